import { findNodeAtLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser'

/** `line:column` of an offset, or of the value at a path (of its nearest parent that exists). */
export function locate(text: string, where: number | readonly PropertyKey[]): string {
  const offset = typeof where === 'number' ? where : offsetOf(text, where)
  const before = text.slice(0, offset).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

function offsetOf(text: string, path: readonly PropertyKey[]): number {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  for (let length = path.length; tree && length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length) as (string | number)[])
    if (node) return node.offset
  }
  return tree?.offset ?? 0
}

/** The value of an object node, with own properties only whatever the keys are called. */
export function valueAt(tree: Node): Record<string, unknown> {
  return { ...(getNodeValue(tree) as Record<string, unknown>) }
}
