import { CANARY_EVENT } from '../journal/entry.ts'
import type { EventStatus } from '../journal/history.ts'

/** The last event of a client itself, not one that `doctor` or `init` made. */
export function lastEventOf(
  client: string,
  events: readonly EventStatus[],
): EventStatus | undefined {
  return events.findLast(
    (one) => one.client === client && one.event !== '' && one.event !== CANARY_EVENT,
  )
}
