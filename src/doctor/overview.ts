import { type ClientName, clientNames, clients } from '../clients/index.ts'
import { userFolder } from '../clients/paths.ts'
import { exists } from '../fs/read.ts'
import { rememberedPlaces } from '../install/places.ts'
import type { EventStatus } from '../journal/history.ts'
import type { Check, ClientPlace } from './check.ts'
import { readAll, whatSilences } from './clients.ts'
import { lastEventOf } from './last-event.ts'

/** One client as `status` shows it: whether its events arrive. */
export interface ClientRow {
  client: ClientName
  title: string
  /** Files that contain our hooks. */
  registered: string[]
  /** Why its hooks do not run, each with what to do. */
  problems: string[]
  /** Unix ms; null if none of the latest events is from this client. */
  lastEvent: number | null
}

/**
 * The clients that were used here, and those that `init` wrote to. One that has no folder was never started: searching
 * for its program takes `status` as long as everything else about clients, so only `clients` and `doctor` do it.
 * @param latest the latest events, oldest first
 */
export function lookAtClients(facts: ClientPlace, latest: readonly EventStatus[]): ClientRow[] {
  const all = readAll(facts)
  const remembered = rememberedPlaces(facts.stateDir)
  return clientNames.flatMap((client) => {
    const places = all.filter(({ place }) => place.client === client)
    const registered = places.filter(({ hooks }) => hooks.length > 0).map(({ place }) => place.path)
    const isOurs = registered.length > 0 || remembered.some((one) => one.client === client)
    if (!isOurs && !exists(userFolder(clients[client], facts.env))) return []
    const silencing = isOurs ? whatSilences(client, places, facts) : []
    const problems = silencing.filter(({ status }) => ['warning', 'broken'].includes(status))
    return [
      {
        client,
        title: clients[client].title,
        registered,
        problems: problems.map(asSentence),
        lastEvent: lastEventOf(client, latest)?.acceptedAt ?? null,
      },
    ]
  })
}

function asSentence({ seen, do: what }: Check): string {
  if (what === '') return seen
  return what.startsWith('hookbell ') ? `${seen}. Run: ${what}` : `${seen}. ${what}`
}
