import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../clients/define.ts'
import { clients, findClient } from '../clients/index.ts'
import { transcriptRoots, userFolder } from '../clients/paths.ts'
import { registeredProfiles } from '../clients/places.ts'
import { stateDir } from '../config/paths.ts'
import type { AgentEvent } from '../event/event.ts'
import { pathGate } from '../fs/path-gate.ts'

/** The folders that contain the transcripts of a client; for an unknown client, those of all clients. */
export function rootsOf(name: string, state = stateDir()): string[] {
  const known = findClient(name)
  const asked: readonly Client[] = known ? [known] : Object.values(clients)
  return asked.flatMap((client) =>
    transcriptRoots(client, process.env, registeredProfiles(client, state)),
  )
}

/** A plain name, which cannot lead to another folder. */
const AGENT_ID = /^[\w-]{1,128}$/

/** The transcript of the event's session. */
export async function transcriptOf(
  { client, sessionId, transcriptPath }: AgentEvent,
  gate = pathGate,
): Promise<string> {
  const { sessionTranscript } = findClient(client) ?? {}
  if (transcriptPath || !sessionTranscript || !AGENT_ID.test(sessionId)) return transcriptPath
  const roots = rootsOf(client)
  const path = sessionTranscript.replace('*', sessionId)
  const isInAny = path.startsWith('?/')
  // It may be written later.
  const otherwise = isInAny ? '' : join(roots[0] ?? '', path)
  return await gate.run(async () => (await findBelow(roots, path)) || otherwise, otherwise)
}

/** The first file that is there; '' if none is. */
async function findBelow(roots: readonly string[], path: string): Promise<string> {
  for (const root of roots) {
    const isInAny = path.startsWith('?/')
    const folders = isInAny ? await readdir(root).catch(() => []) : ['']
    for (const folder of folders) {
      const file = join(root, folder, isInAny ? path.slice(2) : path)
      if (await isThere(file)) return file
    }
  }
  return ''
}

/** The transcript that shows what the event asks, and the answer: the sub-agent's own, if one asks and has one. */
export function askedIn({ client, kind, agentId, transcriptPath }: AgentEvent): string {
  const { agentTranscript } = findClient(client) ?? {}
  const isOfAgent = kind === 'permission' && AGENT_ID.test(agentId)
  if (!agentTranscript || !isOfAgent || !transcriptPath) return transcriptPath
  const folder = transcriptPath.replace(/\.jsonl$/, '')
  return `${folder}/${agentTranscript.replace('*', agentId)}`
}

export function formatOf(name: string): Client['transcriptFormat'] | undefined {
  return findClient(name)?.transcriptFormat
}

/** Whether the terminal that the front door found for a session may be that of another one. */
export async function hasSharedServer(name: string): Promise<boolean> {
  const client: Client | undefined = findClient(name)
  if (!client?.sharedServer) return false
  const { sharedServer } = client
  const folders = [userFolder(client), ...registeredProfiles(client, stateDir())]
  const found = await Promise.all(folders.map((folder) => isThere(join(folder, sharedServer))))
  return found.includes(true)
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
