import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { byAcceptance } from '../acceptance-order.ts'

export interface Arrival {
  /** The name of the file, which begins with the id of the event. */
  id: string
  /** The modification time, Unix ms. */
  acceptedAt: number
  bytes: number
}

export interface WaitingLimits {
  maxFiles: number
  maxBytes: number
  maxDays: number
}

const MIB = 1024 * 1024

/** How many events may wait, and how many deliveries. */
export const MAX_WAITING = 100_000
/** How many events may wait if no worker starts: a front door removes older ones. Same number: bin/hookbell-hook. */
export const MAX_WITHOUT_WORKER = 10_000

const limits: WaitingLimits = { maxFiles: MAX_WAITING, maxBytes: 512 * MIB, maxDays: 30 }
/**
 * In force on a disk that is nearly full. Not lower: other programs may have filled the disk, and each event counts.
 */
const scarce: WaitingLimits = { ...limits, maxFiles: MAX_WITHOUT_WORKER, maxBytes: 64 * MIB }
const RESERVE_BYTES = 64 * MIB
const DAY_MS = 24 * 3600_000

/** The limits of what waits on a disk with this much room. */
export function limitsWith(freeBytes: number): WaitingLimits {
  return freeBytes < RESERVE_BYTES ? scarce : limits
}

/** A waiting event or delivery that is not kept any longer, and why. */
export interface Excess {
  name: string
  reason: string
}

/**
 * The waiting events or deliveries that exceed the limits: the oldest ones, and questions only if nothing else is left.
 * @param events oldest first
 */
export function* findExcess(
  events: readonly Arrival[],
  isQuestion: (event: Arrival) => boolean,
  { maxFiles, maxBytes, maxDays }: WaitingLimits,
): Generator<Excess> {
  let files = events.length
  let bytes = events.reduce((sum, one) => sum + one.bytes, 0)
  const remove = (event: Arrival, reason: string) => {
    files -= 1
    bytes -= event.bytes
    return { name: event.id, reason }
  }
  const whyFull = () => {
    if (files > maxFiles) return `more than ${maxFiles} waited`
    return bytes > maxBytes ? `more than ${Math.round(maxBytes / MIB)} MiB waited` : undefined
  }
  const old = countOld(events, maxDays)
  for (const event of events.slice(0, old)) yield remove(event, `waited for ${maxDays} days`)
  const questions: Arrival[] = []
  for (const event of events.slice(old)) {
    const reason = whyFull()
    if (!reason) return
    if (isQuestion(event)) questions.push(event)
    else yield remove(event, reason)
  }
  for (const event of questions) {
    const reason = whyFull()
    if (!reason) return
    yield remove(event, reason)
  }
}

/**
 * How many events are too old. Their age counts up to the last event, and a day at most between two of them: neither a
 * machine that was off nor a clock that jumps makes an event old.
 */
function countOld(events: readonly Arrival[], maxDays: number): number {
  let ageMs = 0
  let count = events.length
  for (; count > 1 && ageMs < maxDays * DAY_MS; count -= 1) {
    const [before, after] = [events[count - 2], events[count - 1]]
    ageMs += Math.min((after?.acceptedAt ?? 0) - (before?.acceptedAt ?? 0), DAY_MS)
  }
  return ageMs < maxDays * DAY_MS ? 0 : count
}

/** Lists the files of a folder, oldest first. The time and the size of each file are read only once. */
export class Arrivals {
  readonly #folder: string
  #known: readonly Arrival[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws the system error where the folder cannot be read */
  list(): readonly Arrival[] {
    const names = new Set(readdirSync(this.#folder))
    const before = this.#known.filter(({ id }) => names.delete(id))
    const added = [...names].map((id) => this.#look(id))
    this.#known = added.length > 0 ? [...before, ...added].sort(byAcceptance) : before
    return this.#known
  }

  #look(id: string): Arrival {
    const { mtimeMs = 0, size = 0 } =
      lstatSync(join(this.#folder, id), { throwIfNoEntry: false }) ?? {}
    return { id, acceptedAt: mtimeMs, bytes: size }
  }
}
