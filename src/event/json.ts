import { type ParseError, parse as parseLeniently, printParseErrorCode } from 'jsonc-parser'
import { HookbellError } from '../errors.ts'
import { splitWords } from '../text/clean.ts'
import { isPayload, type Payload } from './payload.ts'

/**
 * Parses bytes into a JSON object. Damaged JSON is read as far as possible, and a line is added to `problems`.
 * @param isUsable whether a damaged object still contains enough
 * @throws HookbellError E_EVENT if no usable object can be read
 */
export function readObject(
  body: Buffer,
  problems: string[],
  isUsable: (payload: Payload) => boolean,
): Payload {
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new HookbellError('E_EVENT', 'the event is empty')
  const value = readJson(text, problems, isUsable)
  if (isPayload(value)) return value
  const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
  throw new HookbellError('E_EVENT', `the event is not a JSON object but ${what}`)
}

function readJson(
  text: string,
  problems: string[],
  isUsable: (payload: Payload) => boolean,
): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { value, fault } = readDamaged(text)
    if (!isPayload(value) || !isUsable(value)) {
      throw new HookbellError('E_EVENT', `the event is not JSON: ${fault}`)
    }
    problems.push(`damaged JSON, read as far as it goes: ${fault}`)
    return value
  }
}

/** Describes the fault in our own words: messages of JSON.parse quote the text, which may contain a secret. */
function readDamaged(text: string): { value?: unknown; fault: string } {
  const errors: ParseError[] = []
  try {
    const value = parseLeniently(text, errors, { allowTrailingComma: true })
    const [first] = errors
    if (!first) return { value, fault: 'a comment or a comma too many' }
    const what = splitWords(printParseErrorCode(first.error))
    return { value, fault: `${what} at character ${first.offset + 1}` }
  } catch {
    return { fault: 'nested too deeply to be repaired' }
  }
}
