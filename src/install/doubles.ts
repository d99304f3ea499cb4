import { join } from 'node:path'
import type { Client } from '../clients/define.ts'
import { userFolder } from '../clients/paths.ts'
import type { Env } from '../fs/home.ts'
import { isObject } from '../is-object.ts'
import { valueAt } from '../text/zod-issue.ts'
import { readLeniently } from './locate.ts'

/** Programs that show or sound a notification, and programs with a name that says so. */
const NOTIFIER =
  /(?:^|[\s/\\'"(;&|])(terminal-notifier|notify-send|osascript|alerter|growlnotify|dunstify|kdialog|zenity|afplay|paplay|canberra-gtk-play|New-BurntToastNotification|ntfy|say|[\w.-]*notif(?:y|ier|ication)[\w.-]*)(?=$|[\s'";&|)])/i

/**
 * What tells a person of the same events as hookbell does, one line for each file: hooks that run a notifier, and the
 * client's own notifications. Both are only read, never changed.
 */
export function doublesOf(client: Client, paths: readonly string[], env: Env): string[] {
  const hooks = [...new Set(paths)].flatMap((path) => notifiersIn(client, path))
  return [...hooks, ...ownNotifications(client, env)]
}

function notifiersIn({ title }: Client, path: string): string[] {
  const settings = readLeniently(path)
  const events = isObject(settings.hooks) ? settings.hooks : settings
  const found = new Map<string, string>()
  for (const [event, entries] of Object.entries(events)) {
    const command = Array.isArray(entries) ? commandsIn(entries).find(isNotifier) : undefined
    const [, program] = NOTIFIER.exec(command ?? '') ?? []
    if (program !== undefined) found.set(event, program)
  }
  if (found.size === 0) return []
  const programs = [...new Set(found.values())].join(', ')
  return [`${path} runs ${programs} for ${[...found.keys()].join(', ')}: ${title} tells you twice`]
}

function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn)
  if (!isObject(value)) return []
  const { command, hooks } = value
  return [...(typeof command === 'string' ? [command] : []), ...commandsIn(hooks)]
}

function isNotifier(command: string): boolean {
  return NOTIFIER.test(command) && !command.includes('hookbell')
}

function ownNotifications(client: Client, env: Env): string[] {
  const { title, ownNotifications: all = [] } = client
  const folder = userFolder(client, env)
  return all.flatMap(({ file, key, off }) => {
    const path = join(folder, file)
    const value = valueAt(readLeniently(path), key.split('.'))
    const isOff = value === undefined || (Array.isArray(value) && value.length === 0)
    if (isOff || off.includes(value)) return []
    return [`${path} sets ${key}: ${title} notifies you too`]
  })
}
