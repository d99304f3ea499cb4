import { usageError } from '../errors.ts'
import { CANARY_EVENT } from '../journal/canary.ts'
import type { EventStatus } from '../journal/history.ts'
import type { Events } from './_events.ts'

/** Mostly the last event is among so many. */
const FEW = 10

/** The events that a person may mean: by the start of an id, or the last one, which is none of `doctor`. */
export function findEvents({ all, inFull }: Events, word: string): EventStatus[] {
  if (word !== 'last') return inFull(all.filter(({ id }) => id.startsWith(word)))
  for (const count of [FEW, all.length]) {
    const last = inFull(all.slice(-count)).findLast(({ event }) => event !== CANARY_EVENT)
    if (last) return [last]
  }
  return []
}

/** @throws usageError unless it is exactly one event */
export function findEvent(command: string, events: Events, word: string): EventStatus {
  const found = findEvents(events, word)
  const [only] = found
  if (only && found.length === 1) return only
  if (word === 'last') {
    const hint = 'hookbell status shows whether hookbell is registered'
    throw usageError(`${command}: no events yet`, hint)
  }
  const what = only ? `${found.length} events` : 'no event'
  const message = `${command}: ${what} with an id that starts with "${word}"`
  throw usageError(message, 'hookbell log --json shows the ids')
}
