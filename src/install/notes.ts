import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getNodeValue, parseTree } from 'jsonc-parser'
import type { Client, KillSwitch, Shape } from '../clients/define.ts'
import { userFolder } from '../clients/paths.ts'
import { valueAt } from '../text/zod-issue.ts'
import { exists } from './locate.ts'
import type { Target } from './target.ts'

/**
 * What a person should know about a client's settings before counting on its hooks.
 * Reading is lenient here: a file that cannot be read has nothing to tell.
 */
export function settingsNotes(
  target: Target,
  found: { shape: Shape; links: number },
  { env = process.env, platform = process.platform } = {},
): string[] {
  const { client, scope, folder, file } = target
  const folders = new Set([folder, userFolder(client, env)])
  const notes = [
    ...[...folders].flatMap((place) => killSwitches(client, 'own', inFolder(client, place))),
    ...killSwitches(client, 'managed', [client.managed[platform] ?? []].flat()),
    ...inFolder(client, folder)
      .filter((path) => path !== file.path && 'hooks' in readLeniently(path))
      .map((path) => `${client.title} ignores the hooks in ${path}: ${file.name} is in force`),
    ...client.legacy
      .map((name) => join(folder, name))
      .filter((path) => exists(path))
      .map(
        (path) => `${path} is of an older version: when ${client.title} moves it, run init again`,
      ),
  ]
  if (found.shape !== file.shape) {
    notes.push(`${file.name} has its events under "hooks", which ${client.title} may not read`)
  }
  if (found.links > 1) {
    notes.push(`${file.path} has ${found.links} hard links: only this one gets the hooks`)
  }
  if (scope === 'project') {
    notes.push(
      `${file.path} is shared with everybody who works on this project. ` +
        'Its command does nothing where hookbell is not installed',
    )
  }
  return notes
}

function inFolder({ settings }: Client, folder: string): string[] {
  return settings.map(({ name }) => join(folder, name))
}

/** One line for each setting that keeps our hooks from running. */
function killSwitches(client: Client, where: KillSwitch['in'], paths: string[]): string[] {
  const switches = client.killSwitches.filter((kill) => kill.in === where)
  return paths.flatMap((path) => {
    const settings = readLeniently(path)
    const set = switches.filter(({ key, off = true }) => valueAt(settings, key.split('.')) === off)
    return set.map(({ key }) => `${path} sets "${key}": hooks of yours do not run`)
  })
}

function readLeniently(path: string): Record<string, unknown> {
  try {
    if (!statSync(path).isFile()) return {}
    const root = parseTree(readFileSync(path, 'utf8').replace(/^\uFEFF/, ' '))
    return root?.type === 'object' ? getNodeValue(root) : {}
  } catch {
    return {}
  }
}
