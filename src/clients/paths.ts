import { join } from 'node:path'
import { absolute, type Env, homeDir } from '../fs/home.ts'
import type { Client } from './define.ts'

/** The folder in which the client keeps the user's settings and transcripts. */
export function userFolder(client: Client, env: Env = process.env): string {
  const { movedBy, folder, userFolder: own = folder } = client
  return named(env, movedBy.folder) ?? join(named(env, movedBy.home) ?? homeDir(env), own)
}

/** The only folders below which a transcript of this client may be read. @param profiles other folders of the client */
export function transcriptRoots(
  client: Client,
  env: Env = process.env,
  profiles: readonly string[] = [],
): string[] {
  const folders = [...new Set([userFolder(client, env), ...profiles])]
  return folders.flatMap((folder) => client.transcripts.map((name) => join(folder, name)))
}

function named(env: Env, name: string | undefined): string | undefined {
  return name === undefined ? undefined : absolute(env[name])
}
