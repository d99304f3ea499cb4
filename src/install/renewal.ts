import { basename, dirname } from 'node:path'
import type { Client } from '../clients/define.ts'
import { clients } from '../clients/index.ts'
import { exists } from './locate.ts'
import { type HookPlace, rememberedPlaces } from './places.ts'
import { readRegistered } from './registered.ts'
import { makeGuard, refuseOutside, type Target } from './target.ts'

/**
 * The other files that `init` wrote before and that still have hooks of ours: what stands there is brought up to date
 * together with the front door that it starts. Nothing is added, and what cannot be read is left to `doctor`.
 */
export function findRenewals(stateDir: string, targets: readonly Target[]): Target[] {
  const chosen = new Set(targets.map(({ file }) => file.path))
  return rememberedPlaces(stateDir)
    .filter(({ path }) => exists(path) && !chosen.has(path))
    .flatMap((place) => renewalOf(place) ?? [])
}

/** @returns undefined where no hooks of ours stand, or where the file of a project leads out of it */
export function renewalOf(place: HookPlace): Target | undefined {
  const { client: name, path, form } = place
  const client: Client = clients[name]
  const { hooks } = readRegistered(place)
  if (hooks.length === 0) return undefined
  const file = { path, name: basename(path), shape: form === 'plugin' ? 'wrapped' : form } as const
  const events = [...new Set(hooks.map(({ event }) => event))]
  const common = { name, client, folder: dirname(path), file, events, isAbsent: false }
  if (place.scope === 'user') return { ...common, scope: 'user', isRenewal: true }
  const root = dirname(dirname(path))
  try {
    refuseOutside(root, [path])
  } catch {
    return undefined
  }
  return { ...common, scope: 'project', isRenewal: true, guard: makeGuard(root) }
}
