import { basename, dirname } from 'node:path'
import type { Client } from '../clients/define.ts'
import { clients } from '../clients/index.ts'
import { type Plan, planInstall } from './edit/plan.ts'
import { planTables } from './edit/tables.ts'
import {
  type HookEntry,
  hookCommand,
  hookEntry,
  sharedHookCommand,
  timeoutsOf,
  waitIn,
  waitingCommand,
} from './hook-command.ts'
import { type HookPlace, projectOf, rememberedPlaces } from './places.ts'
import { planPlugin, pluginText } from './plugin.ts'
import { readRegistered } from './registered.ts'
import { makeGuard, refuseOutside, type Target } from './target.ts'

/** Returns a function that plans the edit of a target's file, so that its hooks start the front door at `door`. */
export function planTarget(target: Target, door: string): (text: string) => Plan {
  const { client, file, events } = target
  if (client.entries === 'plugin') {
    const text = pluginOf(target, door)
    return (old) => planPlugin(file.path, old, text)
  }
  const { path, shape } = file
  const hook = hookEntry(client, commandOf(target, door))
  const keepsTimeout = target.isRenewal ?? client.keepsTimeouts ?? false
  const { entries, matchers, fileHeader: header } = client
  const timeouts = timeoutsOf(client)
  if (entries === 'tables')
    return (text) => planTables(text, { path, events, hook, timeouts, matchers, keepsTimeout })
  const request = { path, shape, entries, events, hook, timeouts, matchers, header, keepsTimeout }
  return (text) => planInstall(text, { ...request, hooks: waitingHooks(target, door, text) })
}

/** The hooks that wait for an answer: if that is asked for, or as they were registered before. */
function waitingHooks(
  { client, name, scope, waitSeconds }: Target,
  door: string,
  text: string,
): Readonly<Record<string, HookEntry>> {
  const seconds = waitSeconds ?? waitIn(text)
  if (!client.takesAnswers || scope !== 'user' || seconds === undefined) return {}
  return { PermissionRequest: hookEntry(client, waitingCommand(door, name, seconds)) }
}

export function commandOf({ name, scope }: Target, door: string): string {
  return scope === 'project' ? sharedHookCommand(name) : hookCommand(door, name)
}

function pluginOf({ client, events, scope }: Target, door: string): string {
  if (scope === 'project') return pluginText(client, events)
  const isScript = process.platform === 'win32'
  return pluginText(client, events, isScript ? [process.execPath, door] : [door])
}

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
