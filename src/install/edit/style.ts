import type { Node } from 'jsonc-parser'

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
export function indentAt(text: string, offset: number): string {
  const line = text.slice(lineStart(text, offset)).replace(/^\uFEFF/, '')
  return /^[\t ]*/.exec(line)?.[0] ?? ''
}

export function lineStart(text: string, offset: number): number {
  const before = text.slice(0, offset)
  return Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
}

export function hasLineBreak(text: string, from: number, to: number): boolean {
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
