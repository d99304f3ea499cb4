import { isDeepStrictEqual } from 'node:util'
import type { HookLayout } from '../../clients/define.ts'
import { isOurs, type Json, readValue } from './settings-value.ts'

/**
 * Checks a text without our hooks before it is written, on values instead of on the tree that it was planned with.
 * What it finds is a bug of ours, so it throws a plain error.
 */
export function verifyRemoval(
  before: string,
  after: string,
  { shape }: { shape: HookLayout },
): void {
  const [old, now] = [readValue(before), readValue(after)]
  if (!isDeepStrictEqual(pruned(now, shape), pruned(old, shape)))
    throw new Error('refusing to write the settings: something that is not ours would be lost')
  if (hasOurs(now, shape)) throw new Error('refusing to write the settings: a hook of ours is left')
}

/** Whether a file has nothing but the header that all files of its kind have. Comments count as content. */
export function isWithoutContent(text: string, header: Readonly<Json> = {}): boolean {
  if (/\/[/*]/.test(text)) return false
  const { hooks, ...rest } = readValue(text)
  const isEmpty = hooks === undefined || isDeepStrictEqual(hooks, {})
  return isEmpty && (Object.keys(rest).length === 0 || isDeepStrictEqual(rest, header))
}

/** The settings without our hooks, and without empty lists, which mean the same as missing ones. */
function pruned(root: Json, shape: HookLayout): Json {
  const { hooks, ...rest } = root
  const isBare = shape === 'bare' && typeof hooks !== 'object'
  const map = Object.entries(isBare ? root : Object(hooks)).map(([name, items]) => [
    name,
    Array.isArray(items) ? items.flatMap(withoutOurs) : items,
  ])
  const filled = map.filter(([, items]) => !Array.isArray(items) || items.length > 0)
  return { rest: isBare ? {} : rest, map: filled }
}

function withoutOurs(item: Json): Json[] {
  if (isOurs(item)) return []
  if (!Array.isArray(item?.hooks)) return [item]
  const hooks = item.hooks.filter((hook) => !isOurs(hook))
  // An empty group may have been kept because of a comment in it.
  return hooks.length === 0 ? [] : [{ ...item, hooks }]
}

function hasOurs(root: Json, shape: HookLayout): boolean {
  const map = shape === 'bare' && typeof root.hooks !== 'object' ? root : Object(root.hooks)
  return Object.values(map).some(holdsOurs)
}

/** Whether a list of entries has a hook of ours in it. */
export function holdsOurs(items: unknown): boolean {
  if (!Array.isArray(items)) return false
  return items.flatMap((item) => (Array.isArray(item?.hooks) ? item.hooks : [item])).some(isOurs)
}
