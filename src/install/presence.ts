import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Client } from '../clients/define.ts'
import { userFolder } from '../clients/paths.ts'
import { exists } from './locate.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What shows that a client is installed here. */
export interface Presence {
  /** Its folder in the home directory, if it is there. */
  folder: string | undefined
  /** Its program on the PATH, if it is there. */
  program: string | undefined
}

export function presenceOf(client: Client, env: Env): Presence {
  const folder = userFolder(client, env)
  return {
    folder: exists(folder) ? folder : undefined,
    program: client.programs.map((name) => findProgram(name, env)).find(Boolean),
  }
}

export function isPresent(client: Client, env: Env): boolean {
  return exists(userFolder(client, env)) || client.programs.some((name) => findProgram(name, env))
}

function findProgram(name: string, env: Env): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    // First without an error for each folder that does not have it: those are nearly all.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
