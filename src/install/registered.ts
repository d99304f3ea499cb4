import { readFileSync, statSync } from 'node:fs'
import type { Node } from 'jsonc-parser'
import type { Client, Shape } from '../clients/define.ts'
import { clients } from '../clients/index.ts'
import { describeError } from '../errors.ts'
import { property, readEventMap } from './event-map.ts'
import { parseSettings, refuseAt } from './parse.ts'
import type { HookPlace } from './places.ts'
import { isOurPlugin } from './plugin.ts'

/** Our hooks in one settings file. */
export interface Registered {
  place: HookPlace
  hooks: { event: string; command: string }[]
  /** Why the client cannot read the file, or which entry, ours or not, makes the client reject it. */
  fault?: string
}

/** Reads our hooks from a file. A file that cannot be read has a fault and no hooks. */
export function readRegistered(place: HookPlace): Registered {
  try {
    if (!statSync(place.path).isFile()) return { place, hooks: [] }
    const text = readFileSync(place.path, 'utf8')
    if (place.form === 'plugin') return readPlugin(place, text)
    return readSettingsText(place, place.form, text)
  } catch (error) {
    return { place, hooks: [], fault: describeError(error) }
  }
}

function readPlugin(place: HookPlace, text: string): Registered {
  if (!isOurPlugin(text)) return { place, hooks: [] }
  const [, listed = '[]'] = /^const events = new Set\((.*)\)$/m.exec(text) ?? []
  const names: string[] = JSON.parse(listed)
  return { place, hooks: names.map((event) => ({ event, command: '' })) }
}

function readSettingsText(place: HookPlace, shape: Shape, text: string): Registered {
  const refuse = refuseAt(place.path, text)
  const { entries, events, isVoidedByOneEntry }: Client = clients[place.client]
  const layout = entries === 'flat' ? 'flat' : 'nested'
  const root = parseSettings(text, refuse)
  const map = readEventMap(root, { shape, entries: layout, events }, refuse)
  const hooks = [...map.events].flatMap(([event, { ours }]) =>
    ours.map((hook) => ({ event, command: String(property(hook, 'command')?.value) })),
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
    fault: `${place.path}: an entry of ${bad[0]} is of a form that voids the file`,
  }
}

function isBad(entry: Node, layout: 'nested' | 'flat'): boolean {
  const hooks = property(entry, 'hooks')
  if (!hooks) return layout === 'nested' || property(entry, 'command')?.type !== 'string'
  return (hooks.children ?? []).some((hook) => {
    const isCommand = property(hook, 'type')?.value === 'command'
    return isCommand && property(hook, 'command')?.type !== 'string'
  })
}
