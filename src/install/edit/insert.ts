import { createScanner, type Node, type SyntaxKind } from 'jsonc-parser'
import type { Edit } from './splice.ts'

/** A member of an object, or without a key an item of an array. */
export interface Item {
  key?: string
  value: unknown
}

/** Adds items at the end of an object or array, in its own style. Existing text is not changed. */
export function insertInto(text: string, container: Node, items: Item[], style: Style): Edit[] {
  const last = container.children?.at(-1)
  const start = last ? last.offset + last.length : container.offset + 1
  const close = container.offset + container.length - 1
  const tail = readTail(text, start, close)
  const comma = last && !tail.hasComma ? [insertion(start, ',')] : []
  return [...comma, insertion(tail.end, place())]

  function place(): string {
    const { eol, step } = style
    const outer = indentAt(text, container.offset)
    const isOnOneLine = !hasLineBreak(text, container.offset, close)
    if (style.oneLine || (last && isOnOneLine)) {
      return (last && style.oneLine !== 'dense' ? ' ' : '') + onOneLine(items, style)
    }
    // A list that begins with `[{` and ends with `}]` is continued after the brace, as in `}, {`.
    const isHugging = last && lineStart(text, last.offset) === lineStart(text, container.offset)
    if (isHugging && !tail.endsWithLineComment) return ` ${onLines(items, outer, style)}`
    const inner = last && !isHugging ? indentAt(text, last.offset) : outer + step
    const ending = hasLineBreak(text, tail.end, close) || last ? '' : eol + outer
    return eol + inner + onLines(items, inner, style) + ending
  }
}

/** One value over several lines, the first without its indentation. */
export function valueOnLines(value: unknown, indent: string, { eol, step }: Style): string {
  const lines = JSON.stringify(value, null, '\t').split('\n')
  return lines
    .map((line) => line.replace(/^\t+/, (tabs) => step.repeat(tabs.length)))
    .join(eol + indent)
}

function onLines(items: Item[], indent: string, style: Style): string {
  const texts = items.map(({ key, value }) => label(key, ' ') + valueOnLines(value, indent, style))
  return texts.join(`,${style.eol}${indent}`)
}

function onOneLine(items: Item[], { oneLine }: Style): string {
  if (oneLine === 'dense') {
    return items.map(({ key, value }) => label(key, '') + JSON.stringify(value)).join(',')
  }
  return items.map(({ key, value }) => label(key, ' ') + spaced(value)).join(', ')
}

// Raw line breaks are never part of a string in JSON, so only the layout is rewritten.
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/([[{])\n */g, '$1')
    .replace(/\n *([\]}])/g, '$1')
    .replace(/\n */g, ' ')
}

function label(key: string | undefined, space: string): string {
  return key === undefined ? '' : `${JSON.stringify(key)}:${space}`
}

function insertion(offset: number, text: string): Edit {
  return { offset, length: 0, text }
}

// The package's enum exists at compile time only.
const comma = 5 as SyntaxKind.CommaToken
const lineComment = 12 as SyntaxKind.LineCommentTrivia
const blockComment = 13 as SyntaxKind.BlockCommentTrivia
const lineBreak = 14 as SyntaxKind.LineBreakTrivia

/** Looks for a trailing comma, and for the end of the comments that belong to the last item's line. */
function readTail(text: string, start: number, close: number) {
  const scanner = createScanner(text)
  scanner.setPosition(start)
  const tail = { hasComma: false, end: start, endsWithLineComment: false }
  let isSameLine = true
  for (let token = scanner.scan(); scanner.getTokenOffset() < close; token = scanner.scan()) {
    const isComment = token === lineComment || token === blockComment
    if (token === comma) tail.hasComma = true
    if (token === lineBreak) isSameLine = false
    if (token === comma) isSameLine = true
    if (token !== comma && !(isComment && isSameLine)) continue
    tail.end = scanner.getTokenOffset() + scanner.getTokenLength()
    tail.endsWithLineComment = token === lineComment
  }
  return tail
}

/** The layout of a file, so that added text looks like the rest. */
export interface Style {
  eol: string
  /** One step of indentation. */
  step: string
  /** All on one line: `spaced` has a space after each colon, `dense` has none. */
  oneLine: 'spaced' | 'dense' | undefined
}

export function detectStyle(text: string, root: Node | undefined): Style {
  return {
    eol: /\r\n|\r|\n/.exec(text)?.[0] ?? '\n',
    step: (root && detectStep(text, root)) ?? '  ',
    oneLine: root && detectOneLine(text, root),
  }
}

/** The white space that the line of `offset` starts with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(lineStart(text, offset)).replace(/^\uFEFF/, '')
  return /^[\t ]*/.exec(line)?.[0] ?? ''
}

function lineStart(text: string, offset: number): number {
  const before = text.slice(0, offset)
  return Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
}

function hasLineBreak(text: string, from: number, to: number): boolean {
  return /[\r\n]/.test(text.slice(from, to))
}

/** One step of indentation, taken from the first child that is indented more than its parent. */
function detectStep(text: string, node: Node): string | undefined {
  const outer = indentAt(text, node.offset)
  for (const child of node.children ?? []) {
    const inner = indentAt(text, child.offset)
    if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length)
    const deeper = detectStep(text, child)
    if (deeper !== undefined) return deeper
  }
  return undefined
}

function detectOneLine(text: string, root: Node): Style['oneLine'] {
  const [first] = root.children ?? []
  if (!first || hasLineBreak(text, root.offset, root.offset + root.length)) return undefined
  return text[(first.colonOffset ?? root.offset) + 1] === ' ' ? 'spaced' : 'dense'
}
