import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'
import type { Client } from '../clients/define.ts'
import { userFolder } from '../clients/paths.ts'
import type { Env } from '../fs/home.ts'
import { exists } from '../fs/read.ts'

/** What shows that a client is installed here. */
interface Presence {
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
  for (const folder of programFolders(env.PATH ?? '')) {
    for (const ending of endings) {
      // Not `join`, which is slower: `status` looks for a dozen programs in a dozen folders.
      const path = `${folder}${sep}${name}${ending}`
      if (existsSync(path) && isProgram(path)) return join(path)
    }
  }
  return undefined
}

let known: { list: string; folders: readonly string[] } | undefined

function programFolders(list: string): readonly string[] {
  if (known?.list !== list) {
    const folders = list.split(delimiter).filter((folder) => isAbsolute(folder))
    known = { list, folders: [...new Set(folders)] }
  }
  return known.folders
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
