import { createScanner, type Node, type SyntaxKind } from 'jsonc-parser'
import { type Edit, splice } from './splice.ts'

/**
 * The text without one item of an array or one member of an object, and without the comma that it needed.
 * Comments stay: what we write has none, so they are somebody else's.
 */
export function takeOut(text: string, container: Node, item: Node): string {
  const siblings = container.children ?? []
  const at = siblings.indexOf(item)
  const end = item.offset + item.length
  const isLast = at === siblings.length - 1
  const close = container.offset + container.length - 1
  const until = siblings[at + 1]?.offset ?? close
  const comma = findComma(text, end, until)
  if (!isLast && comma !== undefined) {
    const next = comma + 1 + spaceAfter(text, comma + 1)
    return splice(text, [cut(item.offset, end), cut(comma, next)]).text
  }
  const before = siblings[at - 1]
  const edits = [cut(startOfSpace(text, container, item), end)]
  if (comma !== undefined) edits.push(cut(comma, comma + 1))
  else if (before) {
    const old = findComma(text, before.offset + before.length, item.offset)
    if (old !== undefined) edits.unshift(cut(old, old + 1))
  }
  const { text: rest } = splice(text, edits)
  return before ? rest : closeUp(rest, container.offset)
}

/** Space before the last item goes too, unless a line comment would swallow what follows. */
function startOfSpace(text: string, container: Node, item: Node): number {
  const start = container.offset + 1
  const space = /\s*$/.exec(text.slice(start, item.offset))?.[0] ?? ''
  const from = item.offset - space.length
  const isLineOpen = /\/\/[^\r\n]*$/.test(text.slice(start, from))
  const isLineEnded = /^[ \t]*[\r\n]/.test(text.slice(item.offset + item.length))
  return isLineOpen && !isLineEnded ? item.offset : from
}

/** Removes the space inside a container that has become empty. */
function closeUp(text: string, open: number): string {
  const space = /^\s*(?=[\]}])/.exec(text.slice(open + 1))?.[0]
  return space ? text.slice(0, open + 1) + text.slice(open + 1 + space.length) : text
}

function spaceAfter(text: string, offset: number): number {
  return /^\s*/.exec(text.slice(offset))?.[0].length ?? 0
}

// The package's enum exists at compile time only.
const commaToken = 5 as SyntaxKind.CommaToken

function findComma(text: string, from: number, until: number): number | undefined {
  const scanner = createScanner(text)
  scanner.setPosition(from)
  for (let token = scanner.scan(); scanner.getTokenOffset() < until; token = scanner.scan()) {
    if (token === commaToken) return scanner.getTokenOffset()
  }
  return undefined
}

function cut(from: number, until: number): Edit {
  return { offset: from, length: until - from, text: '' }
}
