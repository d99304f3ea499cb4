import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { HookbellError } from '../../errors.ts'
import { splitWords } from '../../text/clean.ts'
import { TOO_DEEP, tooDeepAt } from '../../text/nesting.ts'

/** Throws an error that points at one place in the file. */
export type Refuse = (offset: number, what: string, hint?: string) => never

const CORRECT = 'Correct the file by hand, then run the command again. Nothing was written'

export function refuseAt(path: string, text: string): Refuse {
  return (offset, what, hint = CORRECT) => {
    const { line, column } = position(text, offset)
    throw new HookbellError('E_SETTINGS', `${path}:${line}:${column}: ${what}`, { hint })
  }
}

/**
 * Parses a settings file; undefined if there is nothing but space and comments.
 * Comments and trailing commas are tolerated; what two parsers could read differently is not.
 */
export function parseSettings(text: string, refuse: Refuse): Node | undefined {
  const deep = tooDeepAt(text)
  if (deep !== undefined) refuse(deep, TOO_DEEP)
  const errors: ParseError[] = []
  // A space in place of the byte order mark keeps all offsets.
  const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  })
  const [first] = errors
  if (first) refuse(first.offset, splitWords(printParseErrorCode(first.error)))
  if (root) refuseDuplicates(root, refuse)
  return root
}

/** A node's type with its article: `an array`, `null`. */
export function kindOf({ type }: Node): string {
  if (type === 'null') return type
  return `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`
}

function refuseDuplicates(node: Node, refuse: Refuse): void {
  const seen = new Set<unknown>()
  for (const child of node.children ?? []) {
    const [key] = child.type === 'property' ? (child.children ?? []) : []
    if (key && seen.has(key.value)) refuse(key.offset, `duplicate key ${JSON.stringify(key.value)}`)
    if (key) seen.add(key.value)
    refuseDuplicates(child, refuse)
  }
}

/** Counted as editors do: from 1, a byte order mark takes no column. */
function position(text: string, offset: number): { line: number; column: number } {
  const lines = text
    .slice(0, offset)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
