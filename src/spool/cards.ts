import { basename, join } from 'node:path'
import { deliveryId } from '../delivery.ts'
import { dropOldest } from '../drop-oldest.ts'
import { errorCode } from '../errors.ts'
import { writeDurable } from '../fs/durable.ts'
import { listIfThere } from '../fs/read.ts'
import { monotonicMs } from '../monotonic.ts'
import {
  addCard,
  type Card,
  cardText,
  isOfLaterFormat,
  type Open,
  placeCard,
  readCard,
  readCardQuietly,
  replaceCard,
  type ShownState,
  tmpPathIn,
} from './card.ts'
import {
  type CardFile,
  CardIndex,
  isInFlight,
  unreadable,
  type Wait,
  waitOf,
  waitsOf,
} from './card-index.ts'
import type { Claim, Claims } from './claim.ts'
import { parseName, type Spool, setAside, wasClaimed } from './layout.ts'

/** The shortest time between two listings: with many cards, one after every change would be too slow. */
const REFRESH_MS = 1000
const MAX_TAKEN = 10_000

/** A delivery on a card that only this process may handle. */
export interface DeliveryClaim {
  /** Id of the delivery. */
  id: string
  event: string
  channel: string
  /** How many workers crashed while they had the card. */
  crashes: number
  /** Whether a worker had the card before: then the journal shows what is already done. */
  wasClaimed: boolean
  /** The name of the card. */
  file: string
}

/**
 * What is open of each event, per channel. On the disk, where another process may add cards; in memory only when each
 * delivery is due. A card is claimed while one of its channels is in flight. Its other channels do not wait for that.
 */
export class Cards {
  readonly #spool: Spool
  readonly #claims: Claims
  readonly #now: () => number
  /** What is known of the cards. */
  readonly index: CardIndex
  /** Ids of the deliveries that were claimed, oldest first. */
  readonly #taken = new Set<string>()
  /** By event: the last change of its cards. */
  readonly #changes = new Map<string, Promise<void>>()
  #refreshedAt = Number.NEGATIVE_INFINITY
  /** Whether the folder may hold cards that are not known here yet. */
  isStale = false

  constructor(spool: Spool, claims: Claims, now: () => number) {
    this.#spool = spool
    this.#claims = claims
    this.#now = now
    this.index = new CardIndex(spool, now)
  }

  /** Reads what other processes have changed in the folder, at most once a second unless `now`. */
  refresh(now = false) {
    this.isStale = !now && monotonicMs() - this.#refreshedAt < REFRESH_MS
    if (this.isStale) return
    this.#refreshedAt = monotonicMs()
    this.index.readFlush()
    const names = new Set(listIfThere(this.#spool.cards).filter((name) => parseName(name)?.isCard))
    for (const file of this.index.files()) {
      if (!file.claim && !names.has(file.name)) this.index.forget(file)
    }
    for (const name of names) this.#look(name)
  }

  /**
   * Writes what is open of an event on a channel. It is not due before that, even if it can be seen in the folder: its
   * next attempt must not be recorded before the one that has failed. @throws the system error; nothing is changed then
   */
  async keep(open: Open | ShownState) {
    const wait = waitOf(open)
    this.index.beingWritten.set(wait.id, wait)
    try {
      await this.#change(wait.event, () => this.#write(wait, open))
    } finally {
      this.index.beingWritten.delete(wait.id)
    }
  }

  /** Puts a delivery on a new card that this process has claimed. On the disk when this returns. @throws the system error */
  keepOwn(open: Open): DeliveryClaim {
    const wait = waitOf(open)
    const claim = this.#claims.pathFor({ id: wait.event, isCard: true })
    const tmp = tmpPathIn(this.#spool.tmp)
    writeDurable(claim.path, [cardText(new Map([[wait.channel, open]]))], tmp)
    const file = this.index.remember(basename(claim.path), [wait])
    file.claim = claim
    return this.#begin(file, wait)
  }

  /** Claims a delivery for this process. @returns undefined if another one was faster */
  take(id: string): DeliveryClaim | undefined {
    const found = this.index.find(id)
    if (!found) return undefined
    const { file, wait } = found
    if (!file.claim) {
      const claim = this.#claims.take(this.#spool.cards, file.name)
      if (!claim) return this.index.forget(file)
      file.claim = claim
    }
    return this.#begin(file, wait)
  }

  #begin({ name, waits, claim }: CardFile, { id, event, channel }: Wait): DeliveryClaim {
    waits.set(channel, undefined)
    this.#taken.add(id)
    dropOldest(this.#taken, MAX_TAKEN)
    const { crashes = 0 } = claim ?? {}
    return { id, event, channel, crashes, wasClaimed: wasClaimed(name), file: name }
  }

  /** @returns undefined if the card is damaged. It has then been set aside. */
  read({ channel, file: name }: DeliveryClaim): Open | undefined {
    const file = this.index.get(name)
    if (!file?.claim) return undefined
    const card = readCard(file.claim.path)
    const open = card?.get(channel)
    if (open && open.state !== 'shown') return open
    if (card) return this.#learn(file, card)
    setAside(file.claim.path, name, this.#spool, this.#now())
    this.index.forget(file)
    return undefined
  }

  /** Gives back a card that could not be read when it was listed. Now its channels are known. */
  #learn(file: CardFile, card: Card): undefined {
    file.waits.clear()
    for (const open of card.values()) this.index.setWait(file, waitOf(open))
    const { id, crashes } = file.claim ?? {}
    if (id) this.#moveBack(file, { id, crashes: wasClaimed(file.name) ? crashes : undefined })
  }

  /** Call it when everything about a claimed delivery is settled, or kept anew, and on the disk. */
  async finish({ channel, file: name }: DeliveryClaim) {
    const file = this.index.get(name)
    if (!file) return
    file.hasEnded = true
    const next = file.next.get(channel)
    file.next.delete(channel)
    if (next) this.index.setWait(file, next)
    else {
      file.waits.delete(channel)
      file.settled.add(channel)
    }
    await this.#putBack(file)
  }

  /** Gives a claimed delivery back unsettled. */
  async release({ id, channel, file: name }: DeliveryClaim) {
    const file = this.index.get(name)
    if (!file?.claim) return
    const open = readCardQuietly(file.claim.path)?.get(channel)
    this.index.setWait(file, open ? waitOf(open) : unreadable(id, file.event, channel))
    await this.#putBack(file)
  }

  /** Whether a delivery of the event to the channel is kept, or was until this process claimed it. */
  has(event: string, channel: string): boolean {
    return this.#taken.has(deliveryId(event, channel)) || this.index.has(event, channel)
  }

  /** The same, but true even while it is being written: a crash could still lose it, but it will be due. */
  willBeDue(event: string, channel: string): boolean {
    return this.has(event, channel) || this.index.beingWritten.has(deliveryId(event, channel))
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

  async #write(wait: Wait, open: Open | ShownState): Promise<void> {
    const { event, channel } = wait
    const file = this.index.fileFor(event, channel)
    if (!file) {
      const name = await addCard(this.#spool.cards, event, new Map([[channel, open]]), this.#spool)
      this.index.remember(name, [wait])
      return
    }
    const isInFlight = file.waits.has(channel) && file.waits.get(channel) === undefined
    file.claim ??= this.#claims.take(this.#spool.cards, file.name)
    if (!file.claim) {
      // Another worker has it now.
      this.index.forget(file)
      return await this.#write(wait, open)
    }
    try {
      await this.#rewrite(file, file.claim, new Map([[channel, open]]))
    } catch (error) {
      // The disk is full. Otherwise nobody would give back what the card has of other channels.
      await this.#putBackNow(file)
      throw error
    }
    if (isInFlight) file.next.set(channel, wait)
    else this.index.setWait(file, wait)
    await this.#putBackNow(file)
  }

  async #putBack(file: CardFile) {
    if (isInFlight(file)) return
    const { claim, event } = file
    // The usual case, without a promise: nothing is left of the card.
    if (claim && file.waits.size === 0 && !this.#changes.has(event))
      return this.#remove(file, claim)
    await this.#change(event, () => this.#putBackNow(file))
  }

  /** Moves a claimed card back to cards/, unless a channel is in flight. */
  async #putBackNow(file: CardFile) {
    const { claim } = file
    if (!claim || isInFlight(file) || this.index.get(file.name) !== file) return
    if (file.waits.size > 0 && file.settled.size > 0) {
      // If the disk is full, what is settled stays on the card. Meanwhile a channel may have been taken.
      await this.#rewrite(file, claim).catch(() => {})
      if (isInFlight(file)) return
    }
    // Or it was taken and settled, and nothing is left.
    if (file.waits.size === 0) return this.#remove(file, claim)
    // What could not be taken off the card is in the journal, which the next worker asks about a name with a `~`.
    const isMarked = wasClaimed(file.name) || file.settled.size > 0
    // A channel that was run without a crash proves nothing of the others, which begin anew.
    const crashes = file.hasEnded ? 0 : claim.crashes
    this.#moveBack(file, { id: claim.id, crashes: isMarked ? crashes : undefined })
  }

  #moveBack(file: CardFile, name: { id: string; crashes: number | undefined }) {
    try {
      const placed = placeCard(file.claim?.path ?? '', this.#spool.cards, name)
      this.index.forget(file)
      this.index.remember(placed, waitsOf(file))
    } catch (error) {
      // Otherwise another worker may have taken this one for dead and reclaimed the file.
      if (errorCode(error) !== 'ENOENT') throw error
      this.index.forget(file)
    }
  }

  /** Takes what is settled off the card, and adds new states. */
  async #rewrite(file: CardFile, { path }: Claim, added: Card = new Map()) {
    const settled = new Set(file.settled)
    const left = [...(readCard(path) ?? [])].filter(([channel]) => !settled.has(channel))
    await replaceCard(path, new Map([...left, ...added]), this.#spool)
    for (const channel of settled) file.settled.delete(channel)
  }

  #remove(file: CardFile, claim: Claim) {
    this.#claims.remove(claim)
    this.index.forget(file)
  }

  /** Reads one card that was put into the folder. */
  #look(name: string) {
    const inode = this.index.inodeOf(name)
    const known = this.index.get(name)
    if (inode === undefined || known?.claim || known?.inode === inode) return
    const path = join(this.#spool.cards, name)
    const card = readCardQuietly(path)
    if (!card && isOfLaterFormat(path)) return
    const waits = card
      ? [...card.values()].map((open) => waitOf(open))
      : [unreadable(name, parseName(name)?.id ?? '', '')]
    const written = waits.filter(({ id }) => !this.index.beingWritten.has(id))
    this.index.remember(name, written)
  }
}
