import { usageError } from '../errors.ts'
import { CANARY_EVENT } from '../journal/entry.ts'
import type { EventStatus } from '../journal/history.ts'
import { allInFull, inFull, readEvents } from './_events.ts'

/** What a person may ask about: neither a prompt or the like that went nowhere, nor a test event of `doctor`. */
export function isOfInterest({ event, kind, outcome }: EventStatus): boolean {
  return event !== CANARY_EVENT && (kind !== 'other' || outcome !== 'suppressed')
}

/** The events whose id starts with `word`. For `last`, the latest of those that count. */
export function findEvents(
  folders: readonly string[],
  word: string,
  counts: (status: EventStatus) => boolean = isOfInterest,
): EventStatus[] {
  if (word !== 'last') return allInFull(folders, (id) => id.startsWith(word))
  const { known } = readEvents(folders)
  // Where nothing else happened, a prompt is better than nothing.
  const last = known.findLast(counts) ?? known.findLast(({ event }) => event !== CANARY_EVENT)
  return last ? inFull(folders, [last]) : []
}

/** @throws usageError unless it is exactly one event */
export function findEvent(
  command: string,
  folders: readonly string[],
  word: string,
  counts?: (status: EventStatus) => boolean,
): EventStatus {
  const found = findEvents(folders, word, counts)
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
