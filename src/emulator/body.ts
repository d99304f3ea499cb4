import type { IncomingMessage } from 'node:http'
import { chosen } from './choices.ts'
import { Problem } from './reply.ts'

/**
 * Reads a body as text; undefined if it is larger than allowed. The rest of a body that is too large is
 * read and dropped: a client that is still writing would otherwise miss the response.
 */
export async function readBody(request: IncomingMessage, mostBytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  return size > mostBytes ? undefined : Buffer.concat(chunks).toString('utf8')
}

/** The JSON of a body, `{}` for an empty one. Throws a `Problem` if it is not JSON, or nested too deep. */
export function parseBody(text: string): unknown {
  if (text.trim() === '') return {}
  if (isTooDeep(text)) {
    throw new Problem(chosen.brokenBody.value, `body: nested deeper than ${DEEPEST} levels`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Problem(chosen.brokenBody.value, `body: not JSON: ${why}`)
  }
}

/** JSON below this depth can be stored, copied and written again without running out of stack. */
const DEEPEST = 100

/** Whether JSON is nested too deep. Looks at the text, since a parsed value can no longer be walked safely. */
export function isTooDeep(json: string): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') at = endOfString(json, at)
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > DEEPEST) return true
  }
  return false
}

function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
