import { dirname, join, sep } from 'node:path'
import { getNodeValue, parseTree } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import type { Client, SettingsFile } from '../clients/define.ts'
import { exists, readQuietly } from '../fs/read.ts'
import { isObject } from '../is-object.ts'
import { MAX_SETTINGS_BYTES } from './file.ts'

export interface FileInForce extends SettingsFile {
  path: string
}

/** The settings file in a client's folder from which the client reads its hooks. */
export function fileInForce(client: Client, folder: string): FileInForce {
  const files = client.settings.map((file) => ({ ...file, path: join(folder, file.name) }))
  const found = files.find(({ path }) => exists(path)) ?? files.at(-1)
  if (!found) throw new Error(`${client.name}: no settings file is declared`)
  return found
}

/**
 * Assigns each event to the file that it is to be written to. If one file hides events of another, an event goes to the
 * file from which the client reads it now, so that no working hook is switched off.
 */
export function filesInForce(
  client: Client,
  folder: string,
  events: readonly string[],
): { file: FileInForce; events: readonly string[] }[] {
  const file = fileInForce(client, folder)
  const [hiding, hidden] = client.settings.map((one) => ({ ...one, path: join(folder, one.name) }))
  if (!client.hidesByEvent || !hiding || !hidden || file.path !== hiding.path)
    return [{ file, events }]
  const first = readLeniently(hiding.path)
  const second = Object(readLeniently(hidden.path).hooks)
  // The client ignores the first file if its events are under "hooks".
  const isIgnored = typeof first.hooks === 'object'
  const isElsewhere = (event: string) =>
    isIgnored || (!Object.hasOwn(first, event) && Object.hasOwn(second, event))
  return [
    { file, events: events.filter((event) => !isElsewhere(event)) },
    { file: hidden, events: events.filter(isElsewhere) },
  ].filter((one) => one.events.length > 0)
}

/**
 * The folder that a client would call the project: the nearest one around `start` that has the
 * client's folder or is a repository. The home directory is never a project.
 */
export function projectRoot(client: Client, start: string, home: string): string | undefined {
  for (let folder = start; folder !== home; folder = dirname(folder)) {
    // Not `join`: V8 would optimize it during `status`, which takes longer than the whole search.
    if ([client.folder, '.git'].some((name) => exists(`${folder}${sep}${name}`))) return folder
    if (folder === dirname(folder)) return start
  }
  return start === home ? undefined : start
}

/** Reads a settings file for callers that do not write it. A file that cannot be read counts as empty. */
export function readLeniently(path: string): Record<string, unknown> {
  try {
    const text = readQuietly(path, MAX_SETTINGS_BYTES)
    if (!text) return {}
    if (path.endsWith('.toml')) return parseToml(text)
    const value = parseJson(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Most files have no comments, and the built-in parser is faster. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const root = parseTree(text)
    return root && getNodeValue(root)
  }
}
