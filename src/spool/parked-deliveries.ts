import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { byAcceptance } from '../acceptance-order.ts'
import { dropOldest } from '../drop-oldest.ts'
import { listIfThere } from '../fs/list.ts'
import { monotonicMs } from '../monotonic.ts'
import { isFlushed, readFlushedAt } from './flushed.ts'
import type { Spool } from './layout.ts'
import { formatName, parseName } from './names.ts'
import { isParkedByLaterVersion, type Parked, readParked } from './park.ts'
import type { AskedWait } from './store.ts'

interface Wait {
  name: string
  /** Id of the delivery: the name without the number of crashes. */
  id: string
  /** When it is due, Unix ms; 0 where it is to be reviewed before its time. */
  until: number
  /** Until when its destination has asked for nothing to be sent, Unix ms; 0 if it has not. */
  askedUntil: number
  since: number
  isHeld: boolean
  /** Held by quiet hours. */
  isQuiet: boolean
  group?: string | undefined
  /** Inode of the file, to see whether another one took its place. */
  inode: number
  /** With the channel, for `has`: an event that a crash left behind must not be delivered twice. */
  events: readonly string[]
  channel: string
  session: string
  /** Whether it may be no longer worth sending once its session goes on. */
  canBeAnswered: boolean
  /** Unix ms. */
  acceptedAt: number
}

interface DueFilter {
  group?: string
  /** Keys of sessions. */
  answered?: ReadonlySet<string> | undefined
}

/** The shortest time between two listings: with many deliveries, one after every change would be too slow. */
const REFRESH_MS = 1000
const MAX_TAKEN = 10_000

/** When each parked delivery is due. Read from the folder, so that another process may add to it. */
export class ParkedDeliveries {
  readonly #spool: Spool
  readonly #waits = new Map<string, Wait>()
  /** Event and channel of the claimed deliveries, oldest first. */
  readonly #taken = new Set<string>()
  /** Ids of deliveries that are claimed now and to be made due as soon as they are back. */
  readonly #awaited = new Set<string>()
  /** Deliveries that are being written. They are not due before that, but may be made due meanwhile. */
  readonly #beingWritten = new Map<string, Wait>()
  #refreshedAt = Number.NEGATIVE_INFINITY
  /** Whether the folder may hold deliveries that are not known here yet. */
  isStale = false
  /** When a person asked for failed deliveries to be tried at once, and the same as last reported. */
  #flushedAt = 0
  #reportedFlush = 0

  constructor(spool: Spool) {
    this.#spool = spool
  }

  /** Reads what other processes have changed in the folder, at most once a second unless `now`. */
  refresh(now = false) {
    this.isStale = !now && monotonicMs() - this.#refreshedAt < REFRESH_MS
    if (this.isStale) return
    this.#refreshedAt = monotonicMs()
    this.#flushedAt = readFlushedAt(this.#spool)
    const { deferred } = this.#spool
    const names = new Set(listIfThere(deferred).filter((name) => parseName(name)?.isDelivery))
    for (const name of this.#waits.keys()) if (!names.has(name)) this.#waits.delete(name)
    for (const name of names) this.look(name)
  }

  /**
   * Adds a delivery that this process puts into the folder. It is not due before `write` ends, even if it can be seen in
   * the folder: its next attempt must not be recorded before the one that has failed.
   */
  async add(parked: Omit<Parked, 'format'>, write: () => Promise<void>) {
    const name = formatName({ id: parked.delivery.id, isDelivery: true })
    const wait = waitOf(name, 0, parked)
    this.#beingWritten.set(name, wait)
    try {
      await write()
      this.#set(name, { ...wait, inode: this.#inodeOf(name) ?? 0 })
    } finally {
      this.#beingWritten.delete(name)
    }
  }

  /** Removes a delivery that is claimed. `has` still finds its events. */
  take(name: string) {
    const { events = [], channel = '' } = this.#waits.get(name) ?? {}
    for (const event of events) this.#taken.add(`${event} ${channel}`)
    dropOldest(this.#taken, MAX_TAKEN)
    this.#waits.delete(name)
  }

  /** Whether a delivery of the event to the channel is parked, or was until this process claimed it. */
  has(event: string, channel: string): boolean {
    return this.#taken.has(`${event} ${channel}`) || includes(this.#waits, event, channel)
  }

  /** The same, but true even while it is being written: a crash could still lose it, but it will be due. */
  willBeDue(event: string, channel: string): boolean {
    return this.has(event, channel) || includes(this.#beingWritten, event, channel)
  }

  /** Whether a person has asked, since the last call, for failed deliveries to be tried now. */
  takeFlush(): boolean {
    this.#flushedAt = readFlushedAt(this.#spool)
    const isNew = this.#flushedAt !== this.#reportedFlush
    this.#reportedFlush = this.#flushedAt
    return isNew
  }

  /** See `Store`. */
  asked(changedAt: number, now: number): AskedWait[] {
    return [...this.#waits.values()]
      .filter((wait) => isAsked(wait, changedAt))
      .map((wait) => {
        const ms = this.#dueInMs({ ...wait, until: wait.askedUntil }, now)
        return { channel: wait.channel, ms }
      })
      .filter(({ ms }) => ms > 0)
  }

  /** Makes deliveries due now, because their reason to wait may be gone. */
  makeDue(which: (wait: Readonly<Wait>) => boolean) {
    const all = [...this.#waits.values(), ...this.#beingWritten.values()]
    for (const wait of all) if (which(wait)) wait.until = 0
  }

  review(deliveries: readonly string[]) {
    for (const id of deliveries) {
      const wait = [...this.#waits.values()].find((one) => one.id === id)
      if (wait) wait.until = 0
      else this.#awaited.add(id)
    }
  }

  /** Whether a held delivery was made due, to be reviewed. */
  get hasReviews(): boolean {
    return [...this.#waits.values()].some(({ isHeld, until }) => isHeld && until === 0)
  }

  /**
   * Names of the due deliveries, in the order of acceptance: of one group, or without those that an answer in one of the
   * sessions may concern, and without their groups.
   */
  due(now: number, { group, answered }: DueFilter = {}): string[] {
    const due = [...this.#waits.values()]
      .filter((wait) => group === undefined || wait.group === group)
      .filter((wait) => this.#dueInMs(wait, now) <= 0)
    const concerned = answered?.size
      ? due.filter((wait) => wait.canBeAnswered && answered.has(wait.session))
      : []
    const left = new Set(concerned.map((wait) => wait.group ?? wait.name))
    return due
      .filter((wait) => !left.has(wait.group ?? wait.name))
      .sort(byAcceptance)
      .map(({ name }) => name)
  }

  /** Milliseconds until the next one that is not `isLater` is due; undefined if there is none. */
  nextInMs(now: number, isLater = (_name: string) => false): number | undefined {
    let next: number | undefined
    for (const wait of this.#waits.values()) {
      if (isLater(wait.name)) continue
      next = Math.min(next ?? Number.POSITIVE_INFINITY, this.#dueInMs(wait, now))
    }
    return next
  }

  /** Whether a person has asked for this attempt. */
  isFlushed(parked: Pick<Parked, 'isHeld' | 'since'>, now: number): boolean {
    return isFlushed(parked, this.#flushedAt, now)
  }

  #dueInMs(wait: Pick<Wait, 'until' | 'since' | 'isHeld'>, now: number): number {
    const { since, until } = wait
    if (now < since || this.isFlushed(wait, now)) return 0
    return Math.max(0, until - now)
  }

  #inodeOf(name: string): number | undefined {
    return lstatSync(join(this.#spool.deferred, name), { throwIfNoEntry: false })?.ino
  }

  /** Reads one delivery that was put into the folder. */
  look(name: string) {
    if (this.#beingWritten.has(name)) return
    const inode = this.#inodeOf(name)
    if (inode === undefined || this.#waits.get(name)?.inode === inode) return
    const path = join(this.#spool.deferred, name)
    const parked = readParked(path)
    if (!parked && isParkedByLaterVersion(path)) return
    this.#set(name, waitOf(name, inode, parked))
  }

  #set(name: string, wait: Wait) {
    const isAwaited = this.#awaited.delete(wait.id)
    this.#waits.set(name, isAwaited ? { ...wait, until: 0 } : wait)
  }
}

function includes(waits: ReadonlyMap<string, Wait>, event: string, channel: string): boolean {
  for (const wait of waits.values()) {
    if (wait.channel === channel && wait.events.includes(event)) return true
  }
  return false
}

/** Whether it was parked because its destination has asked to wait, and nobody has changed the configuration since. */
export function isAsked({ askedUntil, since }: Readonly<Wait>, changedAt: number): boolean {
  return askedUntil > 0 && since > changedAt
}

/** One that cannot be read is due at once. */
function waitOf(name: string, inode: number, parked: Partial<Parked> = {}): Wait {
  const { since = 0, isHeld = false, dueOtherwise, group, delivery } = parked
  const until = delivery?.notBefore ?? 0
  const askedUntil = parked.isAsked ? until : 0
  const isQuiet = dueOtherwise !== undefined
  const { events = [], channel = '', session = '', acceptedAt = 0 } = delivery ?? {}
  // The end of a turn that asked nothing is told even if a person has gone on.
  const canBeAnswered = isHeld || delivery?.kind !== 'done' || delivery.message.asks === true
  const about = {
    id: parseName(name)?.id ?? '',
    events,
    channel,
    session,
    canBeAnswered,
    acceptedAt,
  }
  return { name, until, askedUntil, since, isHeld, isQuiet, group, inode, ...about }
}
