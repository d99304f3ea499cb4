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
import { planPlugin, pluginText } from './plugin.ts'
import type { Target } from './target.ts'

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
