import { basename, dirname } from 'node:path'
import type { Client } from '../clients/define.ts'
import { clients } from '../clients/index.ts'
import { type HookPlace, projectOf, rememberedPlaces } from './places.ts'
import { readRegistered } from './registered.ts'
import { makeGuard, refuseOutside, type Target } from './target.ts'

/**
 * Finds the other files that `init` wrote before and that still contain our hooks. `init` updates these hooks together
 * with the front door that they start. It adds none, and leaves files that it cannot read to `doctor`.
 */
export function findRenewals(stateDir: string, targets: readonly Target[]): Target[] {
  const chosen = new Set(targets.map(({ file }) => file.path))
  return rememberedPlaces(stateDir)
    .filter(({ path }) => !chosen.has(path))
    .flatMap((place) => renewalOf(place) ?? [])
}

/** @returns undefined if the file contains no hooks of ours, or if it is a link out of its project */
export function renewalOf(place: HookPlace): Target | undefined {
  const { client: name, path, form } = place
  const client: Client = clients[name]
  const { hooks } = readRegistered(place)
  if (hooks.length === 0) return undefined
  const shape = form === 'plugin' || form === 'tables' ? 'bare' : form
  const file = { path, name: basename(path), shape }
  const events = [...new Set(hooks.map(({ event }) => event))]
  const common = { name, client, folder: dirname(path), file, events, isAbsent: false }
  if (place.scope === 'user') return { ...common, scope: 'user', isRenewal: true }
  const root = projectOf(place)
  try {
    refuseOutside(root, [path])
  } catch {
    return undefined
  }
  const scope = place.scope === 'local' ? 'local' : 'project'
  return { ...common, scope, isRenewal: true, guard: makeGuard(root) }
}
