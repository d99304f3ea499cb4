import { basename, join } from 'node:path'
import type { Client, HookLayout, KillSwitch } from '../clients/define.ts'
import { userFolder } from '../clients/paths.ts'
import { exists } from '../fs/read.ts'
import { valueAt } from '../text/zod-issue.ts'
import { doublesOf } from './doubles.ts'
import { readLeniently } from './locate.ts'
import type { Target } from './target.ts'

/**
 * What a person should know about a client's settings before counting on its hooks.
 * Reading is lenient here: a file that cannot be read yields no notes.
 */
export function settingsNotes(
  target: Target,
  found: { shape: HookLayout; links: number },
  { env = process.env, platform = process.platform } = {},
): string[] {
  const { client, scope, folder, file } = target
  const folders = new Set([folder, userFolder(client, env)])
  const paths = [...folders].flatMap((place) => inFolder(client, place))
  const legacy = client.legacy.map((name) => join(folder, name)).filter(exists)
  const notes = [
    ...killSwitchNotes(client, paths, platform),
    ...hiddenFiles(target),
    ...legacy.map(
      (path) => `${path} is of an older version: when ${client.title} moves it, run init again`,
    ),
  ]
  if (found.shape !== file.shape) {
    notes.push(`${file.name} has its events under "hooks", which ${client.title} may not read`)
  }
  notes.push(...doublesOf(client, paths, env))
  if (found.links > 1) {
    notes.push(`${file.path} has ${found.links} hard links: only this one gets the hooks`)
  }
  if (scope === 'project') {
    notes.push(
      `${file.path} is shared with everybody who works on this project. ` +
        'Its command does nothing where hookbell is not installed',
    )
  }
  if (scope === 'local') {
    notes.push(
      `${file.path} is for you alone: it holds a path of this machine, so git must ignore it`,
    )
  }
  return notes
}

/** Notes on hooks that the client ignores: their file has the wrong form, or the first file names the same event. */
function hiddenFiles({ client, folder, file }: Target): string[] {
  const [first, ...others] = inFolder(client, folder)
  if (first === undefined || !client.hidesByEvent || !exists(first)) return []
  const hiding = readLeniently(first)
  if (typeof hiding.hooks === 'object')
    return [`${client.title} ignores ${first}: its events are under "hooks"`]
  if (file.path !== first) return []
  return others.flatMap((path) => {
    const events = Object.keys(Object(readLeniently(path).hooks))
    const hidden = events.filter((event) => Array.isArray(hiding[event]))
    return hidden.map(
      (event) => `${client.title} ignores ${event} in ${path}: ${basename(first)} names it too`,
    )
  })
}

function inFolder({ settings }: Client, folder: string): string[] {
  return settings.map(({ name }) => join(folder, name))
}

/** The settings that keep our hooks from running: in these files, and the organization's. */
export function killSwitchNotes(
  client: Client,
  paths: readonly string[],
  platform: NodeJS.Platform,
): string[] {
  return [
    ...killSwitches(client, 'own', paths),
    ...killSwitches(client, 'managed', [client.managed[platform] ?? []].flat()),
  ]
}

/** One line for each setting that keeps our hooks from running. */
function killSwitches(client: Client, where: KillSwitch['in'], paths: readonly string[]): string[] {
  const switches = client.killSwitches.filter((kill) => kill.in === where)
  return paths.flatMap((path) => {
    const settings = readLeniently(path)
    const set = switches.filter(({ key, off = true }) => valueAt(settings, key.split('.')) === off)
    return set.map(({ key }) => `${path} sets "${key}": hooks of yours do not run`)
  })
}
