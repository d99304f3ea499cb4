import type { Node } from 'jsonc-parser'
import type { Client, HookLayout } from '../clients/define.ts'
import { clients } from '../clients/index.ts'
import { describeError } from '../errors.ts'
import { readRegular } from '../fs/read.ts'
import { property, readEventMap } from './edit/event-map.ts'
import { parseSettings, refuseAt } from './edit/parse.ts'
import { isOurs, type Json } from './edit/settings-value.ts'
import { hooksIn } from './edit/tables.ts'
import { MAX_SETTINGS_BYTES } from './file.ts'
import type { HookPlace } from './places.ts'
import { isOurPlugin } from './plugin.ts'

export interface RegisteredHook {
  event: string
  command: string
  /** The position of its group in the event and of the hook in the group, from 0. */
  at?: { group: number; index: number }
  /** In the unit of the client. */
  timeout?: number
  /** The tools for which its group runs. */
  matcher?: string
  /** Whether it has no properties but those that `init` writes. */
  isPlain?: boolean
}

/** Our hooks in one settings file. */
export interface Registered {
  place: HookPlace
  hooks: RegisteredHook[]
  /** Why the client cannot read the file, or which entry, ours or not, makes the client reject it. */
  fault?: string
}

/** Reads our hooks from a file. A file that cannot be read has a fault and no hooks. */
export function readRegistered(place: HookPlace): Registered {
  try {
    const text = readRegular(place.path, { maxBytes: MAX_SETTINGS_BYTES, code: 'E_SETTINGS' })
    return text === undefined ? { place, hooks: [] } : readRegisteredText(place, text)
  } catch (error) {
    return { place, hooks: [], fault: describeError(error) }
  }
}

/** The same of a text that is not in the file yet. @throws HookbellError where it cannot be read */
export function readRegisteredText(place: HookPlace, text: string): Registered {
  if (place.form === 'plugin') return readPlugin(place, text)
  if (place.form === 'tables') return readTables(place, text)
  return readSettingsText(place, place.form, text)
}

function readPlugin(place: HookPlace, text: string): Registered {
  if (!isOurPlugin(text)) return { place, hooks: [] }
  const [, listed = '[]'] = /^const events = new Set\((.*)\)$/m.exec(text) ?? []
  const names: string[] = JSON.parse(listed)
  return { place, hooks: names.map((event) => ({ event, command: '' })) }
}

function readTables(place: HookPlace, text: string): Registered {
  const all = hooksIn(place.path, text)
  const hooks = all.filter(isOurs).map(({ event, command, timeout, matcher }) => ({
    event: String(event),
    command: String(command),
    ...(typeof timeout === 'number' && { timeout }),
    ...(matcher !== undefined && { matcher: String(matcher) }),
    isPlain: true,
  }))
  const { isVoidedByOneEntry }: Client = clients[place.client]
  if (!isVoidedByOneEntry || all.every(isStrictHook)) return { place, hooks }
  return {
    place,
    hooks,
    fault: `${place.path}: an entry of hooks has a form that makes all of them invalid`,
  }
}

/** Kimi Code takes no other properties. */
function isStrictHook({ event, command, matcher = '', timeout = 1, ...others }: Json): boolean {
  const texts = [event, command, matcher]
  const isInTime = Number.isInteger(timeout) && Number(timeout) >= 1 && Number(timeout) <= 600
  return (
    texts.every((text) => typeof text === 'string') &&
    event !== '' &&
    command !== '' &&
    isInTime &&
    Object.keys(others).length === 0
  )
}

function readSettingsText(place: HookPlace, shape: HookLayout, text: string): Registered {
  const refuse = refuseAt(place.path, text)
  const { entries, events, isVoidedByOneEntry }: Client = clients[place.client]
  const layout = entries === 'flat' ? 'flat' : 'nested'
  const root = parseSettings(text, refuse)
  const map = readEventMap(root, { shape, entries: layout, events }, refuse)
  const hooks = [...map.events].flatMap(([event, { node, ours }]) =>
    ours.map((hook) => describeHook(event, node.children ?? [], hook)),
  )
  const bad = isVoidedByOneEntry
    ? [...map.events].find(([, { node }]) =>
        (node.children ?? []).some((one) => isBad(one, layout)),
      )
    : undefined
  if (!bad) return { place, hooks }
  return {
    place,
    hooks,
    fault: `${place.path}: an entry of ${bad[0]} has a form that makes the file invalid`,
  }
}

function describeHook(event: string, groups: readonly Node[], hook: Node): RegisteredHook {
  const hooksOf = (group: Node | undefined) => group && property(group, 'hooks')?.children
  const group = groups.findIndex((one) => one === hook || hooksOf(one)?.includes(hook))
  const index = Math.max(0, hooksOf(groups[group])?.indexOf(hook) ?? 0)
  const keys = [groups[group], hook].flatMap((one) => namesIn(one))
  const timeout: unknown = property(hook, 'timeout')?.value
  const matcher = groups[group] && property(groups[group], 'matcher')?.value
  return {
    event,
    command: String(property(hook, 'command')?.value),
    at: { group, index },
    ...(typeof timeout === 'number' && { timeout }),
    ...(matcher !== undefined && { matcher: String(matcher) }),
    isPlain: keys.every((key) => ['matcher', 'hooks', 'type', 'command', 'timeout'].includes(key)),
  }
}

function namesIn(object: Node | undefined): string[] {
  return (object?.children ?? []).map(({ children }) => String(children?.[0]?.value))
}

function isBad(entry: Node, layout: 'nested' | 'flat'): boolean {
  const hooks = property(entry, 'hooks')
  if (!hooks) return layout === 'nested' || property(entry, 'command')?.type !== 'string'
  return (hooks.children ?? []).some((hook) => {
    const isCommand = property(hook, 'type')?.value === 'command'
    return isCommand && property(hook, 'command')?.type !== 'string'
  })
}
