import { isDeepStrictEqual } from 'node:util'
import type { Node } from 'jsonc-parser'
import type { Shape } from '../clients/define.ts'
import { type EventMap, property, readEventMap } from './event-map.ts'
import type { HookEntry } from './hook-command.ts'
import { type Item, insertInto, valueOnLines } from './insert.ts'
import { parseSettings, refuseAt } from './parse.ts'
import { type Edit, type Span, splice } from './splice.ts'
import { detectStyle, type Style } from './style.ts'
import { verifyInstall } from './verify.ts'

export interface InstallRequest {
  /** The file's name in messages. */
  path: string
  /** How the client expects this file. A `hooks.json` that is wrapped stays so. */
  shape: Shape
  events: readonly string[]
  hook: HookEntry
}

export interface Plan {
  text: string
  changed: boolean
  /** What is new in `text`. Without it the text is the old one. */
  spans: Span[]
  /** The shape of the file. */
  shape: Shape
}

/**
 * Registers one hook for each event, by inserting text into the file's own.
 * A hook of ours that is there is brought up to date where it stands; nothing else is touched.
 * @throws HookbellError `E_SETTINGS` for a file that is damaged, ambiguous or of another form.
 */
export function planInstall(text: string, request: InstallRequest): Plan {
  const refuse = refuseAt(request.path, text)
  const root = parseSettings(text, refuse)
  const map = readEventMap(root, request.shape, refuse)
  const style = detectStyle(text, root)
  const edits = root ? editTree(text, root, map, request, style) : [writeAll(text, request, style)]
  const { text: after, spans } = splice(text, edits)
  verifyInstall(text, after, spans, map.shape, request)
  return { text: after, changed: edits.length > 0, spans, shape: map.shape }
}

function editTree(
  text: string,
  root: Node,
  map: EventMap,
  { events, hook }: InstallRequest,
  style: Style,
): Edit[] {
  const group = { hooks: [hook] }
  const missing = events.filter((event) => !map.events.has(event))
  const items = missing.map((event): Item => ({ key: event, value: [group] }))
  const present = events.flatMap((event) => map.events.get(event) ?? [])
  const edits = present.flatMap(({ node, ours }) =>
    ours.length === 0
      ? insertInto(text, node, [{ value: group }], style)
      : ours.flatMap((old) => update(text, old, hook, style)),
  )
  if (items.length === 0) return edits
  if (map.node) return [...edits, ...insertInto(text, map.node, items, style)]
  const hooks = Object.fromEntries(missing.map((event) => [event, [group]]))
  return [...edits, ...insertInto(text, root, [{ key: 'hooks', value: hooks }], style)]
}

/** Replaces the values that differ, so that what a person added to the hook stays. */
function update(text: string, old: Node, hook: HookEntry, style: Style): Edit[] {
  return Object.entries(hook).flatMap(([key, value]) => {
    const node = property(old, key)
    if (!node) return insertInto(text, old, [{ key, value }], style)
    if (isDeepStrictEqual(node.value, value)) return []
    return [{ offset: node.offset, length: node.length, text: JSON.stringify(value) }]
  })
}

/** For a file that is empty or has only comments. */
function writeAll(text: string, { shape, events, hook }: InstallRequest, style: Style): Edit {
  const map = Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]))
  const value = valueOnLines(shape === 'bare' ? map : { hooks: map }, '', style)
  const isLineOpen = /[^\r\n\uFEFF]$/.test(text)
  return {
    offset: text.length,
    length: 0,
    text: (isLineOpen ? style.eol : '') + value + style.eol,
  }
}
