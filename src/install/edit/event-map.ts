import type { Node } from 'jsonc-parser'
import type { HookLayout } from '../../clients/define.ts'
import { isHookCommand } from '../hook-command.ts'
import { kindOf, type Refuse } from './parse.ts'

/** The places of the hooks in a settings file. */
export interface EventMap {
  /** The shape found, which is not always the one asked for. */
  shape: HookLayout
  /** The object keyed by event name, if there is one. */
  node: Node | undefined
  /** The arrays in that object, by event name. */
  events: ReadonlyMap<string, EventNode>
}

interface EventNode {
  node: Node
  /** Our hooks among its entries. */
  ours: Node[]
}

/** How one event lists its hooks: in groups that share a matcher, or one after the other. */
export type Entries = 'nested' | 'flat'

export interface Reading {
  shape: HookLayout
  /** @default 'nested' */
  entries?: Entries
  /** Names that are certainly events, even if they begin with a small letter. */
  events?: readonly string[]
}

/** Finds the hooks, and refuses every form that a client would read differently than we do. */
export function readEventMap(root: Node | undefined, reading: Reading, refuse: Refuse): EventMap {
  const { shape } = reading
  if (!root) return { shape, node: undefined, events: new Map() }
  if (root.type !== 'object') refuse(root.offset, `the file is ${kindOf(root)}, not an object`)
  const wrapper = property(root, 'hooks')
  if (wrapper && wrapper.type !== 'object') {
    refuse(wrapper.offset, `"hooks" is ${kindOf(wrapper)}, not an object`)
  }
  if (shape === 'wrapped' || wrapper) {
    const events = new Map(wrapper ? entriesOf(wrapper, reading, refuse) : [])
    if (shape === 'bare') refuseMixed(root, refuse)
    return { shape: 'wrapped', node: wrapper, events }
  }
  return { shape, node: root, events: new Map(entriesOf(root, reading, refuse)) }
}

export function property(object: Node, key: string): Node | undefined {
  return object.children?.find(({ children }) => children?.[0]?.value === key)?.children?.[1]
}

/** Refuses events both at the top level and under `hooks`: which of them a client reads is not known. */
function refuseMixed(root: Node, refuse: Refuse): void {
  const bare = root.children?.find(({ children }) => children?.[1]?.type === 'array')
  if (bare) refuse(bare.offset, 'hooks are both at the top level and under "hooks"')
}

function* entriesOf(map: Node, reading: Reading, refuse: Refuse): Generator<[string, EventNode]> {
  for (const { children: [key, node] = [] } of map.children ?? []) {
    const name = String(key?.value)
    if (!node || !isEvent(name, node, reading)) continue
    if (node.type !== 'array') refuse(node.offset, `"${name}" is ${kindOf(node)}, not an array`)
    yield [
      name,
      { node, ours: (node.children ?? []).flatMap((item) => ours(item, reading, refuse)) },
    ]
  }
}

/** Whether a property is an event, and not a `$schema`, a `version` or a list of names such as `disabled`. */
function isEvent(name: string, node: Node, { events = [] }: Reading): boolean {
  if (/^[A-Z]/.test(name) || events.includes(name)) return true
  return node.type === 'array' && (node.children ?? []).every(({ type }) => type !== 'string')
}

function ours(item: Node, { entries = 'nested' }: Reading, refuse: Refuse): Node[] {
  if (item.type !== 'object') refuse(item.offset, `a hook entry is ${kindOf(item)}, not an object`)
  const hooks = property(item, 'hooks')
  if (!hooks) return entries === 'flat' && isOurs(item) ? [item] : []
  if (hooks.type !== 'array') refuse(hooks.offset, `"hooks" is ${kindOf(hooks)}, not an array`)
  for (const hook of hooks.children ?? []) {
    if (hook.type !== 'object') refuse(hook.offset, `a hook is ${kindOf(hook)}, not an object`)
  }
  return (hooks.children ?? []).filter(isOurs)
}

function isOurs(hook: Node): boolean {
  return isHookCommand(property(hook, 'command')?.value)
}
