import type { EventStatus } from '../journal/history.ts'
import { CANARY_EVENT } from '../journal/own-events.ts'

/** The last event of a client itself, not one that `doctor` or `init` made. */
export function lastEventOf(
  client: string,
  events: readonly EventStatus[],
): EventStatus | undefined {
  return events.findLast(
    (one) => one.client === client && one.event !== '' && one.event !== CANARY_EVENT,
  )
}

/** The last event of a client is usually among this many of the latest. */
const FEW = 10

/** Finds last events among some events, given oldest first. Of these, it reads a few in full first, then all. */
export function lastEventFinder<Outline>(
  events: readonly Outline[],
  read: (chosen: readonly Outline[]) => readonly EventStatus[],
): (client: string) => EventStatus | undefined {
  let known: readonly EventStatus[] = []
  return (client) => {
    for (const count of [FEW, events.length]) {
      if (known.length < Math.min(count, events.length)) known = read(events.slice(-count))
      const found = lastEventOf(client, known)
      if (found) return found
    }
    return undefined
  }
}
