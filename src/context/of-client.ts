import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../clients/define.ts'
import { clients, findClient } from '../clients/index.ts'
import { transcriptRoots, userFolder } from '../clients/paths.ts'
import type { AgentEvent } from '../event/event.ts'
import { listQuietly } from '../fs/list.ts'
import { exists } from '../fs/missing.ts'

/** The folders that contain the transcripts of a client; for an unknown client, those of all clients. */
export function rootsOf(name: string): string[] {
  const known = findClient(name)
  const asked: readonly Client[] = known ? [known] : Object.values(clients)
  return asked.flatMap((client) => transcriptRoots(client))
}

/** A plain name, which cannot lead to another folder. */
const AGENT_ID = /^[\w-]{1,128}$/

/** The transcript of the event's session. */
export function transcriptOf({ client, sessionId, transcriptPath }: AgentEvent): string {
  const { sessionTranscript } = findClient(client) ?? {}
  const [root] = rootsOf(client)
  if (transcriptPath || !sessionTranscript || !root || !AGENT_ID.test(sessionId))
    return transcriptPath
  const path = sessionTranscript.replace('*', sessionId)
  if (!path.startsWith('?/')) return join(root, path)
  const found = listQuietly(root).map((folder) => join(root, folder, path.slice(2)))
  return found.find(exists) ?? ''
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
  const socket = join(userFolder(client), client.sharedServer)
  return await access(socket).then(
    () => true,
    () => false,
  )
}
