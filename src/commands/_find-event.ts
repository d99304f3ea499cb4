import { usageError } from '../errors.ts'
import type { EventStatus } from '../journal/history.ts'
import { CANARY_EVENT } from '../journal/own-events.ts'
import { allInFull, inFull, readEvents } from './_events.ts'

/** The events whose id starts with `word`. For `last`, the latest event that is not a test event of `doctor`. */
export function findEvents(folders: readonly string[], word: string): EventStatus[] {
  if (word !== 'last') return allInFull(folders, (id) => id.startsWith(word))
  const { known } = readEvents(folders)
  const last = known.findLast(({ event }) => event !== CANARY_EVENT)
  return last ? inFull(folders, [last]) : []
}

/** @throws usageError unless it is exactly one event */
export function findEvent(command: string, folders: readonly string[], word: string): EventStatus {
  const found = findEvents(folders, word)
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
