import { isAbsolute, join } from 'node:path'
import { homeDir } from '../config/paths.ts'
import type { Client } from './define.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The folder in which the client keeps the user's settings and transcripts. */
export function userFolder(client: Client, env: Env = process.env): string {
  const { movedBy, folder, userFolder: own = folder } = client
  return absolute(env, movedBy.folder) ?? join(absolute(env, movedBy.home) ?? homeDir(env), own)
}

/** The only folders below which a transcript of this client may be read. */
export function transcriptRoots(client: Client, env: Env = process.env): string[] {
  return client.transcripts.map((name) => join(userFolder(client, env), name))
}

function absolute(env: Env, name: string | undefined): string | undefined {
  const path = name === undefined ? undefined : env[name]
  return path && isAbsolute(path) ? path : undefined
}
