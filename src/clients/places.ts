import { dirname, join, sep } from 'node:path'
import { isTrusted } from '../fs/ownership.ts'
import { readQuietly } from '../fs/read.ts'
import type { Client, HookFile, HookLayout } from './define.ts'
import { type ClientName, clients } from './index.ts'

/** A file that may contain hooks for one client. */
export interface HookPlace {
  client: ClientName
  scope: HookFile['scope']
  path: string
  form: HookLayout | 'tables' | 'plugin'
  /** What was registered there after the last `init`; 0.1.0 did not note it. */
  events?: readonly string[]
}

/** Where `init` records the files that it wrote, so that the hooks can be found from any folder. */
export function placesPath(stateDir: string): string {
  return join(stateDir, 'places.json')
}

/** The recorded places. Entries that cannot be read are left out. */
export function rememberedPlaces(stateDir: string): HookPlace[] {
  const text = readQuietly(placesPath(stateDir))
  if (text === undefined) return []
  try {
    const places: unknown = JSON.parse(text)
    return Array.isArray(places) ? places.filter(isPlace) : []
  } catch {
    return []
  }
}

/** The folder of the client that a file of the user is in, of which each profile has its own; '' for any other file. */
export function profileOf({ client, scope, path }: HookPlace): string {
  const files = (clients[client] as Client).hookFiles.filter((file) => file.scope === 'user')
  const folders = files.flatMap((file) => folderBefore(path, file.path.split('/')) ?? [])
  return scope === 'user' ? (folders[0] ?? '') : ''
}

/**
 * The folders of the user's profiles of a client in which `init` has registered. Only these, and the usual one, are read:
 * a session cannot name another. Nothing is known if others can write to the record.
 */
export function registeredProfiles(client: Client, stateDir: string): string[] {
  if (![stateDir, placesPath(stateDir)].every(isTrusted)) return []
  const places = rememberedPlaces(stateDir).filter((place) => place.client === client.name)
  return [...new Set(places.map(profileOf).filter(Boolean))]
}

/** The start of a path that ends with these names; a `*` stands for any name with the same start and end. */
function folderBefore(path: string, names: readonly string[]): string | undefined {
  const last = path.split(sep).slice(-names.length)
  const isSame = names.every((name, index) => {
    const [start = '', end] = name.split('*')
    const given = last[index] ?? ''
    return end === undefined ? given === name : given.startsWith(start) && given.endsWith(end)
  })
  return isSame ? names.reduce((folder) => dirname(folder), path) : undefined
}

function isPlace(value: unknown): value is HookPlace {
  const { client, path, form, scope, events = [] } = Object(value)
  return (
    Object.hasOwn(clients, String(client)) &&
    typeof path === 'string' &&
    Array.isArray(events) &&
    ['bare', 'wrapped', 'tables', 'plugin'].includes(form) &&
    ['user', 'project', 'local', 'managed'].includes(scope)
  )
}
