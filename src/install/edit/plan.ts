import { isDeepStrictEqual } from 'node:util'
import type { Node } from 'jsonc-parser'
import type { HookLayout } from '../../clients/define.ts'
import { refuseTooLarge } from '../file.ts'
import { type EventMap, property, type Reading, readEventMap } from './event-map.ts'
import { detectStyle, type Item, insertInto, type Style, valueOnLines } from './insert.ts'
import { parseSettings, refuseAt } from './parse.ts'
import { entryOf, hookOf, type InstallRequest, keepsTimeoutOf } from './request.ts'
import { isOurs, type Json, readValue } from './settings-value.ts'
import { type Edit, type Span, splice, unsplice } from './splice.ts'

export interface Plan {
  text: string
  changed: boolean
  /** What is new in `text`. Undoing it gives the old text. */
  spans: Span[]
  /** The shape of the file. */
  shape: HookLayout
}

/**
 * Registers one hook for each event, by inserting text into the file's own.
 * An existing hook of ours is updated in place; nothing else is touched.
 * @throws HookbellError `E_SETTINGS` for a file that is damaged, ambiguous or of another form.
 */
export function planInstall(text: string, request: InstallRequest): Plan {
  const refuse = refuseAt(request.path, text)
  const root = parseSettings(text, refuse)
  const map = readEventMap(root, request, refuse)
  const style = detectStyle(text, root)
  const edits = root ? editTree(text, root, map, request, style) : [writeAll(text, request, style)]
  const { text: after, spans } = splice(text, edits)
  verifyInstall(text, after, spans, map.shape, request)
  refuseTooLarge(request.path, after)
  return { text: after, changed: edits.length > 0, spans, shape: map.shape }
}

function editTree(
  text: string,
  root: Node,
  map: EventMap,
  request: InstallRequest,
  style: Style,
): Edit[] {
  const { events, header = {} } = request
  const missing = events.filter((event) => !map.events.has(event))
  const items = missing.map((event): Item => ({ key: event, value: [entryOf(request, event)] }))
  const edits = events.flatMap((event) => {
    const found = map.events.get(event)
    if (!found) return []
    const { node, ours } = found
    return ours.length === 0
      ? insertInto(text, node, [{ value: entryOf(request, event) }], style)
      : ours.flatMap((old) => update(text, old, event, request, style))
  })
  const atTop = Object.entries(header)
    .filter(([key]) => !property(root, key))
    .map(([key, value]): Item => ({ key, value }))
  if (items.length > 0) {
    if (map.node && map.node !== root) edits.push(...insertInto(text, map.node, items, style))
    else if (map.node) atTop.push(...items)
    else atTop.push({ key: 'hooks', value: mapOf(missing, request) })
  }
  return atTop.length > 0 ? [...edits, ...insertInto(text, root, atTop, style)] : edits
}

function mapOf(events: readonly string[], request: InstallRequest): object {
  return Object.fromEntries(events.map((event) => [event, [entryOf(request, event)]]))
}

/** Replaces the values that differ, so that what a person added to the hook stays. */
function update(
  text: string,
  old: Node,
  event: string,
  request: InstallRequest,
  style: Style,
): Edit[] {
  const keepsTimeout = keepsTimeoutOf(request, event)
  return Object.entries(hookOf(request, event)).flatMap(([key, value]) => {
    const node = property(old, key)
    if (!node) return insertInto(text, old, [{ key, value }], style)
    if (isDeepStrictEqual(node.value, value) || (key === 'timeout' && keepsTimeout)) return []
    return [{ offset: node.offset, length: node.length, text: JSON.stringify(value) }]
  })
}

/** For a file that is empty or has only comments. */
function writeAll(text: string, request: InstallRequest, style: Style): Edit {
  const { shape, events, header } = request
  const map = mapOf(events, request)
  const value = valueOnLines(shape === 'bare' ? map : { ...header, hooks: map }, '', style)
  const isLineOpen = /[^\r\n\uFEFF]$/.test(text)
  return {
    offset: text.length,
    length: 0,
    text: (isLineOpen ? style.eol : '') + value + style.eol,
  }
}

/**
 * Checks a planned text before anything is written, on values and bytes instead of on the tree
 * that it was planned with. What it finds is a bug of ours, so it throws a plain error.
 */
export function verifyInstall(
  before: string,
  after: string,
  spans: readonly Span[],
  shape: HookLayout,
  request: Omit<InstallRequest, 'path' | 'shape'>,
): void {
  check(unsplice(after, spans) === before, 'the old text does not come back')
  const [old, now] = [readValue(before), readValue(after)]
  check(
    isDeepStrictEqual(foreignHooks(now, shape, request), foreignHooks(old, shape, request)),
    'a hook is lost',
  )
  check(isDeepStrictEqual(now, expected(old, shape, request)), 'the value is not as expected')
  if (isStrictJson(before)) check(isStrictJson(after), 'it is not JSON any more')
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`refusing to write the settings: ${what}`)
}

/** The old value with the entries that `init` adds or updates. */
function expected(
  root: Json,
  shape: HookLayout,
  request: Omit<InstallRequest, 'path' | 'shape'>,
): Json {
  const { events, entries, header } = request
  const result: Json = { ...header, ...structuredClone(root) }
  const map = eventMap(result, shape)
  for (const event of events) {
    const hook = hookOf(request, event)
    map[event] ??= []
    const items = map[event] as Json[]
    const ours = items.flatMap((item) => hooksOf(item, entries)).filter(isOurs)
    for (const old of ours) {
      const { timeout } = old
      const isKept = keepsTimeoutOf(request, event) && timeout !== undefined
      Object.assign(old, hook, isKept && { timeout })
    }
    if (ours.length === 0) items.push(entryOf(request, event) as Json)
  }
  if (shape === 'wrapped' && Object.keys(map).length > 0) result.hooks ??= map
  return result
}

function foreignHooks(
  root: Json,
  shape: HookLayout,
  { entries }: Pick<Reading, 'entries'>,
): unknown[] {
  return Object.entries(eventMap(root, shape)).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [[event, groups]]
    return (groups as Json[]).flatMap((group) => {
      const foreign = hooksOf(group, entries).filter((hook) => !isOurs(hook))
      return foreign.map((hook) => [event, { ...group, hooks: undefined }, hook])
    })
  })
}

function eventMap(root: Json, shape: HookLayout): Json {
  return shape === 'bare' ? root : ((root.hooks ?? {}) as Json)
}

/** The hooks in a group. A flat entry is a hook itself. */
function hooksOf(item: Json, entries: Reading['entries']): Json[] {
  if (item.hooks === undefined && entries === 'flat') return [item]
  return Array.isArray(item.hooks) ? item.hooks : []
}

function isStrictJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return true
  } catch {
    return false
  }
}
