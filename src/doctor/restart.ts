import { clients } from '../clients/index.ts'
import { readBackups } from '../install/backup.ts'
import type { Registered } from '../install/registered.ts'
import { type Check, type ClientFacts, check } from './check.ts'
import { lastEventOf } from './last-event.ts'

/** Clients read their hooks when a session starts, so a session older than the hooks may not run all of them. */
export function checkRestart(
  client: keyof typeof clients,
  ours: readonly Registered[],
  { events, stateDir }: ClientFacts,
): Check[] {
  const writtenAt = Math.max(...ours.map(({ place }) => writtenIn(stateDir, place.path)))
  const last = lastEventOf(client, events)
  if (!last || writtenAt <= 0) return []
  const id = `client.${client}.restart`
  const when = new Date(writtenAt).toISOString()
  if (last.acceptedAt < writtenAt)
    return [
      check(
        id,
        'cannot tell',
        `no event since the hooks were written, ${when}`,
        clients[client].restartNote,
      ),
    ]
  const first = events.find(
    (one) => one.client === client && one.sessionId === last.sessionId && one.sessionId !== '',
  )
  if (!first || first.acceptedAt >= writtenAt)
    return [check(id, 'ok', 'the last session started after the hooks were written')]
  const seen = `the last session started before the hooks were written, ${when}`
  return [check(id, 'warning', seen, clients[client].restartNote)]
}

/** When `init` last wrote the file, Unix ms; 0 if it never did. */
function writtenIn(stateDir: string, path: string): number {
  return Date.parse(readBackups(stateDir, path).at(-1)?.record.writtenAt ?? '') || 0
}
