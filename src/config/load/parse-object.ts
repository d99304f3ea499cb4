import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { HookbellError } from '../../errors.ts'
import { splitWords } from '../../text/clean.ts'
import { TOO_DEEP, tooDeepAt } from '../../text/nesting.ts'
import { findLostKey, locate } from './position.ts'

/**
 * Parses JSON with comments and trailing commas. A key that would be lost silently is an error.
 * @throws HookbellError E_CONFIG with `path:line:column: what is wrong`
 */
export function parseObject(
  text: string,
  path: string,
): { tree: Node; raw: Record<string, unknown> } {
  const fail = (offset: number, what: string) =>
    new HookbellError('E_CONFIG', `${path}:${locate(text, offset)}: ${what}`)
  const deep = tooDeepAt(text)
  if (deep !== undefined) throw fail(deep, TOO_DEEP)
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) throw fail(error.offset, `not JSON: ${whatIsWrong(text, error)}`)
  if (tree?.type !== 'object') throw fail(0, 'not a JSON object')
  const lost = findLostKey(tree)
  if (lost) throw fail(lost.offset, lost.what)
  return { tree, raw: { ...getNodeValue(tree) } }
}

function whatIsWrong(text: string, { error, offset }: ParseError): string {
  if (text.trim() === '') return 'the file is empty'
  // What PowerShell 5 and some editors write; read as UTF-8, each second character is NUL.
  if (text.includes('\0')) return 'the file is in UTF-16; save it as UTF-8'
  if (!/^\s*(\{|\[|\/[/*])/.test(text)) return 'it must begin with {'
  if (text[offset] === "'") return 'a string needs double quotes'
  return splitWords(printParseErrorCode(error))
}
