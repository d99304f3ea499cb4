import { isDeepStrictEqual } from 'node:util'
import type { Node } from 'jsonc-parser'
import type { HookLayout } from '../../clients/define.ts'
import { refuseTooLarge } from '../file.ts'
import { type EventMap, property, readEventMap } from './event-map.ts'
import { type Item, insertInto, valueOnLines } from './insert.ts'
import { parseSettings, refuseAt } from './parse.ts'
import { entryOf, hookOf, type InstallRequest, keepsTimeoutOf } from './request.ts'
import { type Edit, type Span, splice } from './splice.ts'
import { detectStyle, type Style } from './style.ts'
import { verifyInstall } from './verify.ts'

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
