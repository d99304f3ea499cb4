import { isDeepStrictEqual } from 'node:util'
import type { HookLayout } from '../../clients/define.ts'
import type { Reading } from './event-map.ts'
import { entryOf, hookOf, type InstallRequest, keepsTimeoutOf } from './request.ts'
import { isOurs, type Json, readValue } from './settings-value.ts'
import { type Span, unsplice } from './splice.ts'

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
