import { findNodeAtLocation, type Node } from 'jsonc-parser'

/** A configuration, to name places in it. */
export interface Place {
  /** The file's path. */
  path: string
  text: string
  tree: Node
}

/** `path:line:column: setting: what`. */
export function messageAt(
  { path, text, tree }: Place,
  setting: readonly PropertyKey[],
  what: string,
): string {
  const name = setting.length > 0 ? `${setting.join('.')}: ` : ''
  return `${path}:${locate(text, { tree, path: setting })}: ${name}${what}`
}

/** `line:column` of an offset, or of the value at a path (of its nearest parent that exists). */
export function locate(
  text: string,
  where: number | { tree: Node; path: readonly PropertyKey[] },
): string {
  const offset = typeof where === 'number' ? where : offsetOf(where.tree, where.path)
  const before = text.slice(0, offset).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

/** The offset of the value at a path, or of its nearest parent that exists. */
export function offsetOf(tree: Node, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length) as (string | number)[])
    // Points at a key, not at its value.
    const isKey = node?.parent?.type === 'property'
    if (node) return isKey ? (node.parent?.offset ?? node.offset) : node.offset
  }
  return tree.offset
}

/** The first key that would be lost silently: a duplicate, or one that no object can hold. */
export function findLostKey(node: Node): { what: string; offset: number } | undefined {
  const seen = new Set<string>()
  for (const child of node.children ?? []) {
    const [key] = node.type === 'object' ? (child.children ?? []) : []
    if (key?.value === '__proto__')
      return { what: `"${key.value}" cannot be a name`, offset: key.offset }
    if (key && seen.has(key.value))
      return { what: `duplicate key "${key.value}"`, offset: key.offset }
    if (key) seen.add(key.value)
    const inner = findLostKey(child)
    if (inner) return inner
  }
  return undefined
}
