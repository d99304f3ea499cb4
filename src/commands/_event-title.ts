import { type EventStatus, emptyStatus } from '../journal/history.ts'

const { event: UNKNOWN } = emptyStatus('', 0)

/** What an event is called in a list. Nothing is known of one that no worker has claimed yet. */
export function eventTitle({
  title,
  event,
  outcome,
}: Pick<EventStatus, 'title' | 'event' | 'outcome'>): string {
  return title || (event === UNKNOWN && outcome === 'waiting' ? 'not read yet' : event)
}
