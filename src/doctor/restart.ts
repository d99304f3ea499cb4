import { basename } from 'node:path'
import { clients } from '../clients/index.ts'
import { partsOfName } from '../context/project.ts'
import { readBackups } from '../install/backup.ts'
import { type HookPlace, projectOf } from '../install/places.ts'
import type { Registered } from '../install/registered.ts'
import type { EventStatus } from '../journal/history.ts'
import { formatTime } from '../text/local-time.ts'
import { type Check, type ClientFacts, check } from './check.ts'
import { lastEventOf } from './last-event.ts'

/** Clients read their hooks when a session starts, so a session older than the hooks may not run all of them. */
export function checkRestart(
  client: keyof typeof clients,
  ours: readonly Registered[],
  { events, stateDir }: ClientFacts,
): Check[] {
  const last = lastEventOf(client, events)
  if (!last) return []
  const read = ours.filter(({ place }) => mayRead(last, place))
  const writtenAt = Math.max(0, ...read.map(({ place }) => writtenIn(stateDir, place.path)))
  if (writtenAt === 0) return []
  const id = `client.${client}.restart`
  const when = formatTime(writtenAt)
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

/** Whether the hooks are the user's own, or those of the project of the event, which is known by its name only. */
function mayRead({ project }: EventStatus, place: HookPlace): boolean {
  return place.scope === 'user' || basename(projectOf(place)) === partsOfName(project).tree
}

/** When `init` last wrote the file, Unix ms; 0 if it never did. */
function writtenIn(stateDir: string, path: string): number {
  return Date.parse(readBackups(stateDir, path).at(-1)?.record.writtenAt ?? '') || 0
}
