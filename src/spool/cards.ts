import { lstatSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { byAcceptance } from '../acceptance-order.ts'
import { deliveryId } from '../delivery.ts'
import { dropOldest } from '../drop-oldest.ts'
import { errorCode } from '../errors.ts'
import { listIfThere } from '../fs/list.ts'
import { monotonicMs } from '../monotonic.ts'
import {
  addCard,
  type Card,
  isOfLaterFormat,
  type Open,
  placeCard,
  readCard,
  readCardQuietly,
  replaceCard,
} from './card.ts'
import type { Claim, Claims } from './claim.ts'
import { isFlushed, readFlushedAt } from './flushed.ts'
import type { Spool } from './layout.ts'
import { parseName, setAside, wasClaimed } from './names.ts'
import type { AskedWait, DeliveryClaim } from './store.ts'

/** When one delivery is due, without its text. */
interface Wait {
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
}

/** A card in cards/, or one that this process has claimed. */
interface CardFile {
  name: string
  event: string
  /** To see whether another file took its place. */
  inode: number
  /** By channel; undefined while the channel is under way. */
  waits: Map<string, Wait | undefined>
  claim?: Claim
  /** The new states of channels that are still under way. */
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

/** The shortest time between two listings: with many cards, one after every change would be too slow. */
const REFRESH_MS = 1000
const MAX_TAKEN = 10_000

/**
 * What is open of each event, per channel. On the disk, where another process may add cards; in memory only when each
 * delivery is due. A card is claimed while one of its channels is under way. Its other channels do not wait for that.
 */
export class Cards {
  readonly #spool: Spool
  readonly #claims: Claims
  readonly #now: () => number
  readonly #files = new Map<string, CardFile>()
  readonly #byEvent = new Map<string, Set<CardFile>>()
  /** By id of the delivery: where it is. */
  readonly #places = new Map<string, { file: CardFile; channel: string }>()
  /** Ids of the deliveries that were claimed, oldest first. */
  readonly #taken = new Set<string>()
  /** Ids of deliveries that are under way now and to be made due as soon as they are back. */
  readonly #awaited = new Set<string>()
  /** By id: states that are being written. They are not due before that, but may be made due meanwhile. */
  readonly #beingWritten = new Map<string, Wait>()
  /** By event: the last change of its cards. */
  readonly #changes = new Map<string, Promise<void>>()
  #refreshedAt = Number.NEGATIVE_INFINITY
  /** Whether the folder may hold cards that are not known here yet. */
  isStale = false
  /** When a person asked for failed deliveries to be tried at once, and the same as last reported. */
  #flushedAt = 0
  #reportedFlush = 0

  constructor(spool: Spool, claims: Claims, now: () => number) {
    this.#spool = spool
    this.#claims = claims
    this.#now = now
  }

  /** Reads what other processes have changed in the folder, at most once a second unless `now`. */
  refresh(now = false) {
    this.isStale = !now && monotonicMs() - this.#refreshedAt < REFRESH_MS
    if (this.isStale) return
    this.#refreshedAt = monotonicMs()
    this.#flushedAt = readFlushedAt(this.#spool)
    const names = new Set(listIfThere(this.#spool.cards).filter((name) => parseName(name)?.isCard))
    for (const file of this.#files.values()) {
      if (!file.claim && !names.has(file.name)) this.#forget(file)
    }
    for (const name of names) this.#look(name)
  }

  /**
   * Writes what is open of an event on a channel. It is not due before that, even if it can be seen in the folder: its
   * next attempt must not be recorded before the one that has failed. @throws the system error; nothing is changed then
   */
  async keep(open: Open) {
    const wait = waitOf(open)
    this.#beingWritten.set(wait.id, wait)
    try {
      await this.#change(wait.event, () => this.#write(wait, open))
    } finally {
      this.#beingWritten.delete(wait.id)
    }
  }

  /** Claims a delivery for this process. @returns undefined if another one was faster */
  take(id: string): DeliveryClaim | undefined {
    const found = this.#find(id)
    if (!found) return undefined
    const { file, wait } = found
    if (!file.claim) {
      const claim = this.#claims.take(this.#spool.cards, file.name)
      if (!claim) return this.#forget(file)
      file.claim = claim
    }
    file.waits.set(wait.channel, undefined)
    this.#taken.add(id)
    dropOldest(this.#taken, MAX_TAKEN)
    const { event, channel } = wait
    const { crashes } = file.claim
    return { id, event, channel, crashes, wasClaimed: wasClaimed(file.name), file: file.name }
  }

  /** @returns undefined if the card is damaged. It has then been set aside. */
  read({ channel, file: name }: DeliveryClaim): Open | undefined {
    const file = this.#files.get(name)
    if (!file?.claim) return undefined
    const card = readCard(file.claim.path)
    const open = card?.get(channel)
    if (open) return open
    if (card) return this.#learn(file, card)
    setAside(file.claim.path, name, this.#spool, this.#now())
    this.#forget(file)
    return undefined
  }

  /** Gives back a card that could not be read when it was listed. Now its channels are known. */
  #learn(file: CardFile, card: Card): undefined {
    file.waits.clear()
    for (const open of card.values()) this.#setWait(file, waitOf(open))
    const { id, crashes } = file.claim ?? {}
    if (id) this.#moveBack(file, { id, crashes: wasClaimed(file.name) ? crashes : undefined })
  }

  /** Call it when everything about a claimed delivery is settled, or kept anew, and on the disk. */
  async finish({ channel, file: name }: DeliveryClaim) {
    const file = this.#files.get(name)
    if (!file) return
    file.hasEnded = true
    const next = file.next.get(channel)
    file.next.delete(channel)
    if (next) this.#setWait(file, next)
    else {
      file.waits.delete(channel)
      file.settled.add(channel)
    }
    await this.#putBack(file)
  }

  /** Gives a claimed delivery back unsettled. */
  async release({ id, channel, file: name }: DeliveryClaim) {
    const file = this.#files.get(name)
    if (!file?.claim) return
    const open = readCardQuietly(file.claim.path)?.get(channel)
    this.#setWait(file, open ? waitOf(open) : unreadable(id, file.event, channel))
    await this.#putBack(file)
  }

  /** Whether a delivery of the event to the channel is kept, or was until this process claimed it. */
  has(event: string, channel: string): boolean {
    const files = this.#byEvent.get(event) ?? []
    return (
      this.#taken.has(deliveryId(event, channel)) ||
      [...files].some(({ waits }) => waits.has(channel))
    )
  }

  /** The same, but true even while it is being written: a crash could still lose it, but it will be due. */
  willBeDue(event: string, channel: string): boolean {
    return this.has(event, channel) || this.#beingWritten.has(deliveryId(event, channel))
  }

  /** Whether a person has asked, since the last call, for failed deliveries to be tried now. */
  takeFlush(): boolean {
    this.#flushedAt = readFlushedAt(this.#spool)
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
    for (const wait of [...this.#waits(), ...this.#beingWritten.values()]) {
      if (which(wait)) wait.until = 0
    }
  }

  review(ids: readonly string[]) {
    for (const id of ids) {
      const found = this.#find(id)
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

  /** Ids of the deliveries that are not under way, whenever they are due: of one event, or of all. */
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

  #waits(): Wait[] {
    return [...this.#files.values()].flatMap(({ waits }) =>
      [...waits.values()].flatMap((wait) => wait ?? []),
    )
  }

  #find(id: string): { file: CardFile; wait: Wait } | undefined {
    const { file, channel = '' } = this.#places.get(id) ?? {}
    const wait = file?.waits.get(channel)
    return file && wait && { file, wait }
  }

  /** A card that may have crashed a worker is handled one channel after the other: only one of them may be the cause. */
  #isBlocked({ id }: Wait): boolean {
    const crashes = this.#places.get(id)?.file.claim?.crashes ?? 0
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

  /** Changes the cards of an event one after the other. */
  async #change(event: string, work: () => Promise<void>) {
    const before = this.#changes.get(event) ?? Promise.resolve()
    const change = before.then(work)
    const ended = change.catch(() => {})
    this.#changes.set(event, ended)
    await change.finally(() => {
      if (this.#changes.get(event) === ended) this.#changes.delete(event)
    })
  }

  async #write(wait: Wait, open: Open): Promise<void> {
    const { event, channel } = wait
    const file = this.#fileFor(event, channel)
    if (!file) {
      const name = await addCard(this.#spool.cards, event, new Map([[channel, open]]), this.#spool)
      return this.#remember(name, [wait])
    }
    const isUnderWay = file.waits.has(channel) && file.waits.get(channel) === undefined
    file.claim ??= this.#claims.take(this.#spool.cards, file.name)
    if (!file.claim) {
      // Another worker has it now.
      this.#forget(file)
      return await this.#write(wait, open)
    }
    const card = new Map(readCard(file.claim.path))
    for (const settled of file.settled) card.delete(settled)
    await replaceCard(file.claim.path, card.set(channel, open), this.#spool)
    file.settled.clear()
    if (isUnderWay) file.next.set(channel, wait)
    else this.#setWait(file, wait)
    await this.#putBackNow(file)
  }

  #setWait(file: CardFile, wait: Wait) {
    const { id, channel } = wait
    file.waits.set(channel, this.#awaitedOr(wait))
    this.#places.set(id, { file, channel })
  }

  /** The card of the event to which the channel belongs, or may be added. */
  #fileFor(event: string, channel: string): CardFile | undefined {
    const files = [...(this.#byEvent.get(event) ?? [])]
    return (
      files.find(({ waits }) => waits.has(channel)) ?? files.find(({ claim }) => claim) ?? files[0]
    )
  }

  async #putBack(file: CardFile) {
    if (this.#isUnderWay(file)) return
    const { claim, event } = file
    // The usual case, without a promise: nothing is left of the card.
    if (claim && file.waits.size === 0 && !this.#changes.has(event))
      return this.#remove(file, claim)
    await this.#change(event, () => this.#putBackNow(file))
  }

  /** Moves a claimed card back to cards/, unless a channel is under way. */
  async #putBackNow(file: CardFile) {
    const { claim } = file
    if (!claim || this.#isUnderWay(file)) return
    if (file.waits.size === 0) return this.#remove(file, claim)
    if (file.settled.size > 0) {
      await this.#takeOff(file, claim)
      if (this.#isUnderWay(file)) return
    }
    // What could not be taken off the card is in the journal, which the next worker asks about a name with a `~`.
    const isMarked = wasClaimed(file.name) || file.settled.size > 0
    // A channel that was run without a crash proves nothing of the others, which begin anew.
    const crashes = file.hasEnded ? 0 : claim.crashes
    this.#moveBack(file, { id: claim.id, crashes: isMarked ? crashes : undefined })
  }

  #moveBack(file: CardFile, name: { id: string; crashes: number | undefined }) {
    this.#forget(file)
    try {
      const waits = [...file.waits.values()].flatMap((wait) => wait ?? [])
      this.#remember(placeCard(file.claim?.path ?? '', this.#spool.cards, name), waits)
    } catch (error) {
      // Another worker may have taken this one for dead and reclaimed the file.
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  /** Takes what is settled off the card. If the disk is full, it stays there. */
  async #takeOff(file: CardFile, claim: Claim) {
    try {
      const card = new Map(readCard(claim.path))
      const settled = [...file.settled]
      for (const channel of settled) card.delete(channel)
      await replaceCard(claim.path, card, this.#spool)
      for (const channel of settled) file.settled.delete(channel)
    } catch {}
  }

  #isUnderWay({ waits }: CardFile): boolean {
    return [...waits.values()].includes(undefined)
  }

  #remove(file: CardFile, claim: Claim) {
    try {
      unlinkSync(claim.path)
    } catch (error) {
      // Another worker may have taken this one for dead and reclaimed the file.
      if (errorCode(error) !== 'ENOENT') throw error
    }
    this.#forget(file)
  }

  #forget(file: CardFile): undefined {
    this.#files.delete(file.name)
    for (const wait of file.waits.values()) {
      if (wait && this.#places.get(wait.id)?.file === file) this.#places.delete(wait.id)
    }
    const files = this.#byEvent.get(file.event)
    files?.delete(file)
    if (files?.size === 0) this.#byEvent.delete(file.event)
  }

  #remember(name: string, waits: readonly Wait[]) {
    const known = this.#files.get(name)
    if (known) this.#forget(known)
    const event = parseName(name)?.id ?? ''
    const inode = this.#inodeOf(name) ?? 0
    const none = { waits: new Map(), next: new Map(), settled: new Set<string>(), hasEnded: false }
    const file: CardFile = { name, event, inode, ...none }
    for (const wait of waits) this.#setWait(file, wait)
    this.#files.set(name, file)
    const files = this.#byEvent.get(event) ?? new Set()
    this.#byEvent.set(event, files.add(file))
  }

  #inodeOf(name: string): number | undefined {
    return lstatSync(join(this.#spool.cards, name), { throwIfNoEntry: false })?.ino
  }

  /** Reads one card that was put into the folder. */
  #look(name: string) {
    const inode = this.#inodeOf(name)
    const known = this.#files.get(name)
    if (inode === undefined || known?.claim || known?.inode === inode) return
    const path = join(this.#spool.cards, name)
    const card = readCardQuietly(path)
    if (!card && isOfLaterFormat(path)) return
    const event = parseName(name)?.id ?? ''
    const waits = card
      ? [...card.values()].map((open) => waitOf(open))
      : [unreadable(name, event, '')]
    this.#remember(
      name,
      waits.filter(({ id }) => !this.#beingWritten.has(id)),
    )
  }
}

/** Whether it waits because its destination has asked for that, and nobody has changed the configuration since. */
export function isAsked({ askedUntil, since }: Readonly<Wait>, changedAt: number): boolean {
  return askedUntil > 0 && since > changedAt
}

function waitOf({ state, since, isAsked: wasAsked, dueOtherwise, group, delivery }: Open): Wait {
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

/** What cannot be read is due at once. */
function unreadable(id: string, event: string, channel: string): Wait {
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
