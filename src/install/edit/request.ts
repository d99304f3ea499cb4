import type { HookEntry } from '../hook-command.ts'
import type { Reading } from './event-map.ts'

/** The entry of one event. */
export function hookOf(
  { hook, hooks = {}, timeouts = {} }: Pick<InstallRequest, 'hook' | 'hooks' | 'timeouts'>,
  event: string,
): HookEntry {
  const own = hooks[event]
  if (own) return own
  return { ...hook, timeout: timeouts[event] ?? hook.timeout }
}

/** Whether an existing hook of an event keeps its timeout. One that differs from the others needs its own. */
export function keepsTimeoutOf(
  { hooks = {}, keepsTimeout = false }: Pick<InstallRequest, 'hooks' | 'keepsTimeout'>,
  event: string,
): boolean {
  return keepsTimeout && hooks[event] === undefined
}

/** The entry of one event: its hook, in a group with a matcher unless the client's entries are flat. */
export function entryOf(request: Omit<InstallRequest, 'path' | 'shape'>, event: string): object {
  const hook = hookOf(request, event)
  const matcher = request.matchers?.[event]
  return request.entries === 'flat' ? hook : { ...(matcher && { matcher }), hooks: [hook] }
}

/** What to register, in the form that the client expects. A `hooks.json` that is wrapped stays wrapped. */
export interface InstallRequest extends Reading {
  /** The file's name in messages. */
  path: string
  events: readonly string[]
  hook: HookEntry
  /** The hooks of events that differ from `hook`. */
  hooks?: Readonly<Record<string, HookEntry>>
  /** The timeouts of events that differ from the one of `hook`, in the unit of the client. */
  timeouts?: Readonly<Record<string, number>>
  /** The tools for which an event is registered; all, for an event that is not here. */
  matchers?: Readonly<Record<string, string>> | undefined
  /** Other properties that the file needs at its top level. Existing ones are not changed. */
  header?: Readonly<Record<string, unknown>> | undefined
  /** Keeps the timeout of an existing hook, because with another one it would lose the approval it was given. */
  keepsTimeout?: boolean
}
