import { usageError } from '../errors.ts'
import type { EventStatus } from '../journal/history.ts'
import { CANARY_EVENT } from '../journal/own-events.ts'
import type { Events } from './_events.ts'

/** The last event is usually among this many, even if the newest ones are test events of `doctor`. */
const FEW = 10

/** The events whose id starts with `word`. For `last`, the latest event that is not a test event of `doctor`. */
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
