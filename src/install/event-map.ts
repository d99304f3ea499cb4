import type { Node } from 'jsonc-parser'
import type { Shape } from '../clients/define.ts'
import { isHookCommand } from './hook-command.ts'
import { kindOf, type Refuse } from './parse.ts'

/** Where hooks are in a settings file. */
export interface EventMap {
  /** The shape found, which is not always the one asked for. */
  shape: Shape
  /** The object keyed by event name, where there is one. */
  node: Node | undefined
  /** The arrays below it. */
  events: ReadonlyMap<string, EventNode>
}

export interface EventNode {
  node: Node
  /** The hooks of ours among its entries. */
  ours: Node[]
}

/** Finds the hooks, and refuses every form that a client would read differently than we do. */
export function readEventMap(root: Node | undefined, shape: Shape, refuse: Refuse): EventMap {
  if (!root) return { shape, node: undefined, events: new Map() }
  if (root.type !== 'object') refuse(root.offset, `the file is ${kindOf(root)}, not an object`)
  const wrapper = property(root, 'hooks')
  if (wrapper && wrapper.type !== 'object') {
    refuse(wrapper.offset, `"hooks" is ${kindOf(wrapper)}, not an object`)
  }
  if (shape === 'wrapped' || wrapper) {
    const events = new Map(wrapper ? entriesOf(wrapper, refuse) : [])
    if (shape === 'bare') refuseMixed(root, refuse)
    return { shape: 'wrapped', node: wrapper, events }
  }
  return { shape, node: root, events: new Map(entriesOf(root, refuse)) }
}

export function property(object: Node, key: string): Node | undefined {
  return object.children?.find(({ children }) => children?.[0]?.value === key)?.children?.[1]
}

/** In a file of event names a `hooks` object hides them, or they hide it: nobody can tell. */
function refuseMixed(root: Node, refuse: Refuse): void {
  const bare = root.children?.find(({ children }) => children?.[1]?.type === 'array')
  if (bare) refuse(bare.offset, 'hooks are both at the top level and under "hooks"')
}

function* entriesOf(map: Node, refuse: Refuse): Generator<[string, EventNode]> {
  for (const { children: [key, node] = [] } of map.children ?? []) {
    const name = String(key?.value)
    // A `$schema` or a `version` beside the events of a bare file.
    if (!node || (node.type !== 'array' && !/^[A-Z]/.test(name))) continue
    if (node.type !== 'array') refuse(node.offset, `"${name}" is ${kindOf(node)}, not an array`)
    yield [name, { node, ours: (node.children ?? []).flatMap((group) => ours(group, refuse)) }]
  }
}

function ours(group: Node, refuse: Refuse): Node[] {
  if (group.type !== 'object')
    refuse(group.offset, `a hook entry is ${kindOf(group)}, not an object`)
  const hooks = property(group, 'hooks')
  if (!hooks) return []
  if (hooks.type !== 'array') refuse(hooks.offset, `"hooks" is ${kindOf(hooks)}, not an array`)
  for (const hook of hooks.children ?? []) {
    if (hook.type !== 'object') refuse(hook.offset, `a hook is ${kindOf(hook)}, not an object`)
  }
  return (hooks.children ?? []).filter((hook) => isHookCommand(property(hook, 'command')?.value))
}
