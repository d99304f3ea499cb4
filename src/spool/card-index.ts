import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { byAcceptance } from '../acceptance-order.ts'
import { deliveryId } from '../delivery.ts'
import { type Open, type ShownState, shownOn } from './card.ts'
import type { Claim } from './claim.ts'
import { parseName, type Spool } from './layout.ts'
import { isFlushed, requestedAt } from './requests.ts'

/** When one delivery is due, without its text. */
export interface Wait {
  /** Id of the delivery. */
  id: string
  event: string
  channel: string
  /** When it is due, Unix ms; 0 where it is to be reviewed before its time. */
  until: number
  /** Until when its destination has asked for nothing to be sent, Unix ms; 0 if it has not. */
  askedUntil: number
  since: number
  isHeld: boolean
  /** Held by quiet hours. */
  isQuiet: boolean
  group?: string | undefined
  session: string
  /** Whether it may be no longer worth sending once its session goes on. */
  canBeAnswered: boolean
  /** Unix ms. */
  acceptedAt: number
  /** What the channel shows: then it waits for its session, not for a time. */
  shown?: ShownState
}

/** A card in cards/, or one that this process has claimed. */
export interface CardFile {
  name: string
  event: string
  /** To see whether another file took its place. */
  inode: number
  /** By channel; undefined while the channel is in flight. */
  waits: Map<string, Wait | undefined>
  claim?: Claim
  /** The new states of channels that are still in flight. */
  next: Map<string, Wait>
  /** Channels that are settled, but still in the file. */
  settled: Set<string>
  /** Whether a channel was run to its end since the claim. */
  hasEnded: boolean
}

interface DueFilter {
  group?: string
  /** Keys of sessions. */
  answered?: ReadonlySet<string> | undefined
}

export function isInFlight({ waits }: CardFile): boolean {
  return [...waits.values()].includes(undefined)
}

/** The waits of the channels that are not in flight. */
export function waitsOf({ waits }: CardFile): Wait[] {
  return [...waits.values()].flatMap((wait) => wait ?? [])
}

/** The events that a delivery may belong to: ids and names of channels may contain dots. A damaged card has its name as id. */
function eventsOf(id: string): string[] {
  const parts = id.split('.')
  const ids = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))
  const name = parseName(id)
  return name?.isCard ? [name.id, ...ids] : ids
}

/** A destination has asked to be sent nothing for a while. */
export interface AskedWait {
  channel: string
  /** For how long from now. */
  ms: number
}

/** The cards in memory: what is open on which channel, and when it is due. */
export class CardIndex {
  readonly #spool: Spool
  readonly #now: () => number
  readonly #files = new Map<string, CardFile>()
  readonly #byEvent = new Map<string, Set<CardFile>>()
  /** Ids of deliveries that are in flight now and to be made due as soon as they are back. */
  readonly #awaited = new Set<string>()
  /** By id: states that are being written. They are not due before that, but may be made due meanwhile. */
  readonly beingWritten = new Map<string, Wait>()
  /** When a person asked for failed deliveries to be tried at once, and the same as last reported. */
  #flushedAt = 0
  #reportedFlush = 0

  constructor(spool: Spool, now: () => number) {
    this.#spool = spool
    this.#now = now
  }

  /** Looks whether a person has asked for failed deliveries to be tried now. */
  readFlush() {
    this.#flushedAt = requestedAt(this.#spool.state, 'flush')
  }

  /** To see whether another file took the place of a card. */
  inodeOf(name: string): number | undefined {
    return lstatSync(join(this.#spool.cards, name), { throwIfNoEntry: false })?.ino
  }

  files(): CardFile[] {
    return [...this.#files.values()]
  }

  get(name: string): CardFile | undefined {
    return this.#files.get(name)
  }

  /** Where a delivery is that is not in flight. */
  find(id: string): { file: CardFile; wait: Wait } | undefined {
    for (const event of eventsOf(id)) {
      for (const file of this.#byEvent.get(event) ?? []) {
        const wait = waitsOf(file).find((one) => one.id === id)
        if (wait) return { file, wait }
      }
    }
    return undefined
  }

  has(event: string, channel: string): boolean {
    return [...(this.#byEvent.get(event) ?? [])].some(({ waits }) => waits.has(channel))
  }

  /** Notes when a delivery is due. */
  setWait(file: CardFile, wait: Wait) {
    file.waits.set(wait.channel, this.#awaitedOr(wait))
  }

  /** The card of the event to which the channel belongs, or may be added. */
  fileFor(event: string, channel: string): CardFile | undefined {
    const files = [...(this.#byEvent.get(event) ?? [])]
    return (
      files.find(({ waits }) => waits.has(channel)) ?? files.find(({ claim }) => claim) ?? files[0]
    )
  }

  forget(file: CardFile): undefined {
    this.#files.delete(file.name)
    const files = this.#byEvent.get(file.event)
    files?.delete(file)
    if (files?.size === 0) this.#byEvent.delete(file.event)
  }

  /** Notes a card, in the place of one with the same name. */
  remember(name: string, waits: readonly Wait[]): CardFile {
    const known = this.#files.get(name)
    if (known) this.forget(known)
    const event = parseName(name)?.id ?? ''
    const inode = this.inodeOf(name) ?? 0
    const none = { waits: new Map(), next: new Map(), settled: new Set<string>(), hasEnded: false }
    const file: CardFile = { name, event, inode, ...none }
    for (const wait of waits) this.setWait(file, wait)
    this.#files.set(name, file)
    const files = this.#byEvent.get(event) ?? new Set()
    this.#byEvent.set(event, files.add(file))
    return file
  }

  /** Whether a person has asked, since the last call, for failed deliveries to be tried now. */
  takeFlush(): boolean {
    this.readFlush()
    const isNew = this.#flushedAt !== this.#reportedFlush
    this.#reportedFlush = this.#flushedAt
    return isNew
  }

  /** See `Store`. */
  asked(changedAt: number): AskedWait[] {
    return this.#waits()
      .filter((wait) => isAsked(wait, changedAt))
      .map((wait) => ({
        channel: wait.channel,
        ms: this.#dueInMs({ ...wait, until: wait.askedUntil }),
      }))
      .filter(({ ms }) => ms > 0)
  }

  /** Makes deliveries due now, because their reason to wait may be gone. */
  makeDue(which: (wait: Readonly<Wait>) => boolean) {
    for (const wait of [...this.#waits(), ...this.beingWritten.values()]) {
      if (which(wait)) wait.until = 0
    }
  }

  review(ids: readonly string[]) {
    for (const id of ids) {
      const found = this.find(id)
      if (found) found.wait.until = 0
      else this.#awaited.add(id)
    }
  }

  /** Whether a held delivery was made due, to be reviewed. */
  get hasReviews(): boolean {
    return this.#waits().some(({ isHeld, until }) => isHeld && until === 0)
  }

  /**
   * Ids of the due deliveries, in the order of acceptance: of one group, or without those that an answer in one of the
   * sessions may concern, and without their groups.
   */
  due({ group, answered }: DueFilter = {}): string[] {
    const due = this.#waits()
      .filter((wait) => group === undefined || wait.group === group)
      .filter((wait) => !this.#isBlocked(wait) && this.#dueInMs(wait) <= 0)
    const concerned = answered?.size
      ? due.filter((wait) => wait.canBeAnswered && answered.has(wait.session))
      : []
    const left = new Set(concerned.map((wait) => wait.group ?? wait.id))
    return due
      .filter((wait) => !left.has(wait.group ?? wait.id))
      .sort(byAcceptance)
      .map(({ id }) => id)
  }

  /** Ids of the deliveries that are not in flight, whenever they are due: of one event, or of all. */
  list(event?: string): string[] {
    const waits = this.#waits()
    return waits.filter((wait) => event === undefined || wait.event === event).map(({ id }) => id)
  }

  /** Milliseconds until the next one that is not `isLater` is due; undefined if there is none. */
  nextInMs(isLater = (_id: string) => false): number | undefined {
    let next: number | undefined
    for (const wait of this.#waits()) {
      if (isLater(wait.id) || this.#isBlocked(wait)) continue
      next = Math.min(next ?? Number.POSITIVE_INFINITY, this.#dueInMs(wait))
    }
    return next
  }

  /** Whether a person has asked for this attempt. */
  isFlushed({ state, since }: Pick<Open, 'state' | 'since'>): boolean {
    return isFlushed({ isHeld: state === 'held', since }, this.#flushedAt, this.#now())
  }

  /** What channels show, oldest first, without what is being changed. */
  shown(): ShownState[] {
    const all = this.files().flatMap((file) => waitsOf(file).flatMap(({ shown }) => shown ?? []))
    return all.sort((one, other) => one.since - other.since)
  }

  /** What waits for a time. */
  #waits(): Wait[] {
    return this.files().flatMap((file) => waitsOf(file).filter(({ shown }) => !shown))
  }

  /** A card that may have crashed a worker is handled one channel after the other: only one of them may be the cause. */
  #isBlocked({ id }: Wait): boolean {
    const crashes = this.find(id)?.file.claim?.crashes ?? 0
    return crashes > 0
  }

  #dueInMs(wait: Pick<Wait, 'until' | 'since' | 'isHeld'>): number {
    const { since, until } = wait
    const now = this.#now()
    if (now < since || isFlushed(wait, this.#flushedAt, now)) return 0
    return Math.max(0, until - now)
  }

  #awaitedOr(wait: Wait): Wait {
    return this.#awaited.delete(wait.id) ? { ...wait, until: 0 } : wait
  }
}

/** Whether it waits because its destination has asked for that, and nobody has changed the configuration since. */
export function isAsked({ askedUntil, since }: Readonly<Wait>, changedAt: number): boolean {
  return askedUntil > 0 && since > changedAt
}

export function waitOf(open: Open | ShownState): Wait {
  if (open.state === 'shown') return waitOfShown(open)
  const { state, since, isAsked: wasAsked, dueOtherwise, group, delivery } = open
  const { id, events, channel, session, acceptedAt, notBefore: until, kind, message } = delivery
  const [event = ''] = events
  const isHeld = state === 'held'
  return {
    ...{ id, event, channel, until, since, isHeld, group, session, acceptedAt },
    askedUntil: wasAsked ? until : 0,
    isQuiet: dueOtherwise !== undefined,
    // The end of a turn that asked nothing is told even if a person has gone on.
    canBeAnswered: isHeld || kind !== 'done' || message.asks === true,
  }
}

function waitOfShown(shown: ShownState): Wait {
  const { event, session, since, at: acceptedAt } = shown
  const channel = shownOn(shown.channel)
  const never = { until: Number.POSITIVE_INFINITY, askedUntil: 0, isHeld: false, isQuiet: false }
  const about = { id: deliveryId(event, channel), event, channel, session, since, acceptedAt }
  return { ...never, ...about, canBeAnswered: false, shown }
}

/** What cannot be read is due at once. */
export function unreadable(id: string, event: string, channel: string): Wait {
  const times = { until: 0, askedUntil: 0, since: 0, acceptedAt: 0 }
  return {
    ...times,
    id,
    event,
    channel,
    isHeld: false,
    isQuiet: false,
    session: '',
    canBeAnswered: true,
  }
}
