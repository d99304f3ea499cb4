import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Client, SettingsFile } from '../clients/define.ts'

export interface FileInForce extends SettingsFile {
  path: string
}

/** The one file of a client's folder that the client takes hooks from. */
export function fileInForce(client: Client, folder: string): FileInForce {
  const files = client.settings.map((file) => ({ ...file, path: join(folder, file.name) }))
  const found = files.find(({ path }) => exists(path)) ?? files.at(-1)
  if (!found) throw new Error(`${client.name}: no settings file is declared`)
  return found
}

/**
 * The folder that a client would call the project: the nearest one around `start` that has the
 * client's folder or is a repository. The home directory is never a project.
 */
export function projectRoot(client: Client, start: string, home: string): string | undefined {
  for (let folder = start; folder !== home; folder = dirname(folder)) {
    if ([client.folder, '.git'].some((name) => exists(join(folder, name)))) return folder
    if (folder === dirname(folder)) return start
  }
  return start === home ? undefined : start
}

/** Also true for a link to nothing, which is for the reader of the file to refuse. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
