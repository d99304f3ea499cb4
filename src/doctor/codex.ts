import { join } from 'node:path'
import { codex } from '../clients/codex.ts'
import { userFolder } from '../clients/paths.ts'
import { profileOf } from '../clients/places.ts'
import { realPath } from '../fs/links.ts'
import { readLeniently } from '../install/locate.ts'
import type { Registered, RegisteredHook } from '../install/registered.ts'
import { sha256 } from '../text/sha256.ts'
import { valueAt } from '../text/zod-issue.ts'
import { type Check, type ClientFacts, check } from './check.ts'

type Env = ClientFacts['env']
type States = Readonly<Record<string, { enabled?: unknown; trusted_hash?: unknown }>>

const limitsMs: Readonly<Record<string, number>> = codex.timeoutLimitsMs
const matchers: Readonly<Record<string, string>> = codex.matchers
const APPROVE = 'Start codex and approve the hooks, or see /hooks'

/** Whether codex was told to trust a project. Otherwise it reads neither the settings nor the hooks of the project. */
export function isTrustedByCodex(root: string, env: Env): boolean {
  return [root, realPath(root)].some(
    (path) =>
      valueAt(readConfig(userFolder(codex, env)), ['projects', path, 'trust_level']) === 'trusted',
  )
}

/**
 * Codex runs a hook only after a person approved it. It stores the approval under the position of the entry, with a hash
 * of its content. The hash was checked against `hooks/list` of the app server of codex 0.169.
 */
export function checkTrust(id: string, { place, hooks }: Registered): Check[] {
  if (place.scope !== 'user') return []
  const states: States = Object(valueAt(readConfig(profileOf(place)), ['hooks', 'state']))
  const found = new Map<Trust, string[]>()
  for (const hook of hooks) {
    const trust = trustOf(hook, [place.path, realPath(place.path)], states)
    found.set(trust, [...new Set([...(found.get(trust) ?? []), hook.event])])
  }
  return [...found].map(([trust, events]) =>
    trust === 'approved' || trust === 'approved in a form that is not ours'
      ? check(`${id}.trust`, trust === 'approved' ? 'ok' : 'cannot tell', seenAs(trust, events))
      : check(`${id}.trust`, 'warning', seenAs(trust, events), APPROVE),
  )
}

type Trust =
  | 'approved'
  | 'approved in a form that is not ours'
  | 'not approved yet'
  | 'not approved at its new position: another entry was put before it'
  | 'changed since it was approved'
  | 'switched off in /hooks'

function trustOf(hook: RegisteredHook, paths: readonly string[], states: States): Trust {
  const { event, at } = hook
  const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
  const keys = paths.map((path) => `${path}:${name}:`)
  const state = keys.map((key) => states[`${key}${at?.group}:${at?.index}`]).find(Boolean)
  const hash = hashOf(name, hook)
  if (!state?.trusted_hash) {
    const others = Object.entries(states).filter(([key]) =>
      keys.some((start) => key.startsWith(start)),
    )
    if (state?.enabled === false) return 'switched off in /hooks'
    const wasApproved = others.some(([, one]) => one.trusted_hash === hash)
    return wasApproved
      ? 'not approved at its new position: another entry was put before it'
      : 'not approved yet'
  }
  if (state.enabled === false) return 'switched off in /hooks'
  if (hash === undefined) return 'approved in a form that is not ours'
  return state.trusted_hash === hash ? 'approved' : 'changed since it was approved'
}

/** The hash that codex computes for an entry; undefined if the entry has properties that `init` does not write. */
function hashOf(
  name: string,
  { event, command, timeout, matcher, isPlain }: RegisteredHook,
): string | undefined {
  if (!isPlain || matcher !== matchers[event]) return undefined
  const limit = limitsMs[event]
  const seconds = Math.max(1, timeout ?? (limit ? 1 : 600))
  const hook = { async: false, command, timeout: Math.min(seconds, (limit ?? Infinity) / 1000) }
  // The keys must be in alphabetical order.
  const entry = { event_name: name, hooks: [{ ...hook, type: 'command' }], matcher }
  return `sha256:${sha256(JSON.stringify(entry))}`
}

function seenAs(trust: Trust, events: readonly string[]): string {
  return `${trust}: ${events.join(', ')}`
}

function readConfig(folder: string): Record<string, unknown> {
  return readLeniently(join(folder, 'config.toml'))
}
