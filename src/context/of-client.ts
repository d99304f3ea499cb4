import type { Client } from '../clients/define.ts'
import { clients, findClient } from '../clients/index.ts'
import { transcriptRoots } from '../clients/paths.ts'

/** Below which folders the transcripts of a client are; for one that is not known, those of all. */
export function rootsOf(name: string): string[] {
  const known = findClient(name)
  const asked: readonly Client[] = known ? [known] : Object.values(clients)
  return asked.flatMap((client) => transcriptRoots(client))
}

export function formatOf(name: string): Client['transcriptFormat'] | undefined {
  return findClient(name)?.transcriptFormat
}
