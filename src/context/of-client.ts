import type { Client } from '../clients/define.ts'
import { clients, findClient } from '../clients/index.ts'
import { transcriptRoots } from '../clients/paths.ts'

/** The folders that contain the transcripts of a client; for an unknown client, those of all clients. */
export function rootsOf(name: string): string[] {
  const known = findClient(name)
  const asked: readonly Client[] = known ? [known] : Object.values(clients)
  return asked.flatMap((client) => transcriptRoots(client))
}

export function formatOf(name: string): Client['transcriptFormat'] | undefined {
  return findClient(name)?.transcriptFormat
}
