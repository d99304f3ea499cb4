import { createScanner, type SyntaxKind } from 'jsonc-parser'

/** Deeper than any file that a person writes. A few thousand levels overflow the stack of recursive code. */
const MAX_LEVELS = 500

export const TOO_DEEP = 'the nesting is too deep'

// The package's enum exists at compile time only.
const openBrace = 1 as SyntaxKind.OpenBraceToken
const closeBrace = 2 as SyntaxKind.CloseBraceToken
const openBracket = 3 as SyntaxKind.OpenBracketToken
const closeBracket = 4 as SyntaxKind.CloseBracketToken
const end = 17 as SyntaxKind.EOF

/** The offset of the first brace or bracket of a JSON text that is nested too deep; undefined if none is. */
export function tooDeepAt(text: string): number | undefined {
  // Most texts have too few of them, and scanning takes as long as parsing.
  if ((text.match(/[[{]/g)?.length ?? 0) <= MAX_LEVELS) return undefined
  const scanner = createScanner(text)
  let level = 0
  for (let token = scanner.scan(); token !== end; token = scanner.scan()) {
    if (token === openBrace || token === openBracket) level += 1
    if (token === closeBrace || token === closeBracket) level -= 1
    if (level > MAX_LEVELS) return scanner.getTokenOffset()
  }
  return undefined
}
