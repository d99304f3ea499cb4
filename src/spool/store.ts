import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { deliveryId } from '../delivery.ts'
import { errorCode } from '../errors.ts'
import { renameFile, writeDurable } from '../fs/durable.ts'
import { FolderWatcher } from '../fs/folder-watcher.ts'
import { listQuietly } from '../fs/read.ts'
import { addCard, type Open, type Shown, type ShownState, shownOn } from './card.ts'
import { type AskedWait, isAsked } from './card-index.ts'
import { Cards, type DeliveryClaim } from './cards.ts'
import { type Claim, Claims } from './claim.ts'
import {
  formatHeader,
  type Header,
  isOfLaterVersion,
  readSpoolFile,
  type StoredEvent,
  storedIn,
} from './event-file.ts'
import {
  eventFolders,
  isUnreadable,
  newId,
  parseName,
  prepareSpool,
  type Spool,
  setAside,
  setUnreadableAside,
  wasClaimed,
} from './layout.ts'
import { adoptOldDeliveries } from './old-deliveries.ts'
import { syncWaiting } from './salvage.ts'
import { keepForAnswer } from './waiting-hooks.ts'
import { Arrivals } from './waiting-limits.ts'

/** An accepted event that nobody has claimed. */
export interface WaitingEvent {
  name: string
  id: string
  /** Whether a worker had it before: then the journal shows what is already done. */
  wasClaimed: boolean
  /** How many workers crashed while they had it. */
  crashes: number
  /** The size of its file. */
  bytes: number
}

/** Which of the waiting events a worker wants to see. */
export interface Wanted {
  /**
   * At most this many, and as many again that may have crashed a worker: thousands of these must not hide the others.
   */
  max: number
  /** Whether to skip the event for now. */
  isLater(name: string): boolean
}

interface StoreOptions {
  stateDir: string
  now?: () => number
}

/**
 * Where events wait, and what is open of them, for one or more workers. It hides the folders of the spool. The front door
 * adds to `tmp` and `new`. Every method may throw the system error of the disk.
 */
export class Store {
  readonly spool: Spool
  readonly #arrivals: Arrivals
  readonly #claims: Claims
  readonly #cards: Cards
  readonly #now: () => number
  /** Names in new/ to ignore: written by a later version of hookbell, or not movable. */
  readonly #leftAlone = new Set<string>()

  /** @throws HookbellError E_SPOOL where a folder is a link, belongs to somebody else or cannot be made */
  constructor({ stateDir, now = Date.now }: StoreOptions) {
    this.spool = prepareSpool(stateDir)
    this.#arrivals = new Arrivals(this.spool.new)
    this.#claims = new Claims(this.spool)
    this.#cards = new Cards(this.spool, this.#claims, now)
    this.#now = now
    this.#cards.refresh(true)
    this.#cards.index.takeFlush()
  }

  /** Whether any event waits. Cheaper than `waiting`, which reads the time of each file. */
  hasWaiting(): boolean {
    return readdirSync(this.spool.new).some(
      (name) => !this.#leftAlone.has(name) && !isUnreadable(name),
    )
  }

  /** Accepted events, oldest first, then those that may have crashed a worker. */
  waiting({ max, isLater }: Wanted): WaitingEvent[] {
    const arrivals = this.#arrivals.list()
    if (arrivals.some(({ id }) => isUnreadable(id)))
      setUnreadableAside(this.spool.new, this.spool, this.#now())
    const [others, suspects]: [WaitingEvent[], WaitingEvent[]] = [[], []]
    for (const { id: name, bytes } of arrivals) {
      if (others.length >= max) break
      if (this.#leftAlone.has(name) || isUnreadable(name) || isLater(name)) continue
      const { id = '', crashes = 0 } = parseName(name) ?? {}
      const list = crashes > 0 ? suspects : others
      list.push({ name, id, crashes, wasClaimed: wasClaimed(name), bytes })
    }
    return [...others, ...suspects.slice(0, max)]
  }

  /** Syncs the waiting events to the disk, for a front door that cannot do so. */
  sync() {
    syncWaiting(this.spool)
  }

  /** Claims an event for this worker alone. @returns undefined if another worker was faster */
  claimEvent(name: string): Claim | undefined {
    try {
      return this.#claims.take(this.spool.new, name)
    } catch (error) {
      // A permission error stays, as for a folder of another user. Others, such as a full disk, may pass.
      if (['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) this.#leftAlone.add(name)
      throw error
    }
  }

  /** Accepts and claims an event that no hook has reported. On the disk when this returns. */
  acceptOwn(header: Header, body: Buffer): Claim {
    const id = newId()
    const claim = this.#claims.pathFor({ id, isCard: false })
    writeDurable(claim.path, [formatHeader(header), body], join(this.spool.tmp, id))
    return claim
  }

  /** An event that waits, without a claim; undefined if it cannot be read. Never throws. */
  peekEvent(name: string): StoredEvent | undefined {
    try {
      return storedIn(readSpoolFile(join(this.spool.new, name)))
    } catch {
      return undefined
    }
  }

  /** @returns undefined if the file is foreign or of a later version. It has then been set aside or released. */
  readEvent(claim: Claim): StoredEvent | undefined {
    const file = readSpoolFile(claim.path)
    const stored = claim.id !== '' && !claim.isCard ? storedIn(file) : undefined
    if (stored) return stored
    const name = basename(claim.path)
    if ('bytes' in file && isOfLaterVersion(file.bytes)) {
      this.#leftAlone.add(name)
      this.#claims.release(claim)
    } else setAside(claim.path, name, this.spool, this.#now())
    return undefined
  }

  /** Keeps a question for as long as its hook waits for an answer. */
  keepForAnswer({ id, path }: Claim) {
    try {
      keepForAnswer(this.spool.state, id, path)
    } catch {
      // A full disk: then it can only be answered where the agent asks.
    }
  }

  /** Gives a claim back unsettled. `isStarted`: the next worker asks the journal what is already done. @returns its name */
  release(claim: Claim, isStarted = false): string {
    return this.#claims.release(claim, isStarted)
  }

  /** Removes the claimed file. Call it when everything about it is settled and on the disk. */
  finish(claim: Claim) {
    this.#claims.remove(claim)
  }

  /** Moves an event that cannot be handled to the dead ones, for a person. */
  moveToDead(claim: Claim) {
    renameFile(claim.path, join(this.spool.dead, claim.id))
  }

  /** Keeps what is open of an event on a channel, until its `notBefore`, or for a person. On the disk when this resolves. */
  async keep(open: Omit<Open, 'since'>): Promise<void> {
    const since = this.#now()
    if (open.state !== 'dead') return await this.#cards.keep({ ...open, since })
    const { channel, events } = open.delivery
    const card = new Map([[channel, { ...open, since }]])
    await addCard(this.spool.dead, events[0] ?? '', card, this.spool)
  }

  /** Keeps and claims a message of hookbell's own. On the disk when this returns. */
  keepOwn(open: Omit<Open, 'since'>): DeliveryClaim {
    return this.#cards.keepOwn({ ...open, since: this.#now() })
  }

  /** What channels show, oldest first, without what this worker changes at the moment. */
  shown(): readonly ShownState[] {
    this.#cards.refresh()
    return this.#cards.index.shown()
  }

  /** Keeps what a channel shows, in the place of what it showed of the same event. On the disk when this resolves. */
  async keepShown(shown: Shown) {
    await this.#cards.keep({ ...shown, state: 'shown', since: this.#now() })
  }

  /** Claims it, to be changed or withdrawn: finish it once it is kept anew or gone, else release it. */
  claimShown({ event, channel, handle }: Shown): DeliveryClaim | undefined {
    const id = deliveryId(event, shownOn(channel))
    const isSame = this.#cards.index.find(id)?.wait.shown?.handle === handle
    return isSame ? this.#cards.take(id) : undefined
  }

  /** Whether it is on a card, or was until this worker claimed it. */
  isKept(event: string, channel: string): boolean {
    return this.#cards.has(event, channel)
  }

  /** The same, or whether it is being written. */
  willBeDue(event: string, channel: string): boolean {
    return this.#cards.willBeDue(event, channel)
  }

  /** Ids of the deliveries that are due, without those for which an answer in these sessions may matter. */
  due(answered?: ReadonlySet<string>): string[] {
    this.#cards.refresh()
    return this.#cards.index.due({ answered })
  }

  /** Ids of the due deliveries of one group. */
  dueInGroup(group: string): string[] {
    return this.#cards.index.due({ group })
  }

  /** Ids of the deliveries on cards, whenever they are due: of one event, or of all. */
  deliveries(event?: string): string[] {
    return this.#cards.index.list(event)
  }

  claimDelivery(id: string): DeliveryClaim | undefined {
    return this.#cards.take(id)
  }

  /** @returns undefined if its card is damaged. It has then been set aside. */
  readDelivery(claim: DeliveryClaim): Open | undefined {
    const open = this.#cards.read(claim)
    if (!open || !this.#cards.index.isFlushed(open)) return open
    return { ...open, delivery: { ...open.delivery, isUnconditional: true } }
  }

  /** Call it when the delivery is settled, or kept anew, and that is on the disk. */
  async finishDelivery(claim: DeliveryClaim) {
    await this.#cards.finish(claim)
  }

  /** Gives a delivery back unsettled. */
  async releaseDelivery(claim: DeliveryClaim) {
    await this.#cards.release(claim)
  }

  /**
   * The waits that destinations have asked for, this worker or others, and that are not over.
   * @param changedAt when the configuration was last changed, Unix ms: earlier waits do not count
   */
  asked(changedAt: number): AskedWait[] {
    return this.#cards.index.asked(changedAt)
  }

  /**
   * Makes failed deliveries due now, of all channels or of those that `isMeant` accepts, but not those for which `asked`
   * has a wait.
   */
  makeDue(changedAt: number, isMeant: (channel: string) => boolean = () => true) {
    this.#cards.index.makeDue(
      (wait) => !wait.isHeld && isMeant(wait.channel) && !isAsked(wait, changedAt),
    )
  }

  /** Makes the held deliveries of a session due for a review now. Those that are still wanted stay held. */
  reviewHeld(session: string) {
    this.#cards.index.makeDue((wait) => wait.isHeld && wait.session === session)
  }

  /** The same for all deliveries that quiet hours hold, or for those that are held since before a time (Unix ms). */
  reviewQuiet(heldBefore = Number.POSITIVE_INFINITY) {
    this.#cards.index.makeDue(({ isQuiet, since }) => isQuiet && since < heldBefore)
  }

  /** The same for deliveries by their ids, including those that are claimed for a review now. */
  review(deliveries: readonly string[]) {
    this.#cards.index.review(deliveries)
  }

  /** Whether held deliveries wait for such a review. */
  hasReviews(): boolean {
    return this.#cards.index.hasReviews
  }

  /** Whether a person has asked, since the last call, for failed deliveries to be tried now. */
  takeFlush(): boolean {
    return this.#cards.index.takeFlush()
  }

  /** Milliseconds until the next delivery is due that is not `isLater`; undefined if there is none. */
  nextDueInMs(isLater?: (name: string) => boolean): number | undefined {
    return this.#cards.index.nextInMs(isLater)
  }

  /** Whether another process may have kept deliveries that are not listed here yet. */
  isStale(): boolean {
    return this.#cards.isStale
  }

  /** Ids of all events that are not settled. */
  openEvents(): ReadonlySet<string> {
    const { cards, dead } = this.spool
    const names = [cards, dead, ...eventFolders(this.spool)].flatMap((folder) =>
      listQuietly(folder),
    )
    return new Set(names.flatMap((name) => parseName(name)?.id ?? []))
  }

  /** Shows that this worker lives. */
  heartbeat() {
    this.#claims.touch()
  }

  /** Gives back the claims of workers that have ended, and looks for deliveries that other processes kept. */
  reclaimAbandoned() {
    this.#claims.reclaimAbandoned()
    adoptOldDeliveries(this.spool)
    this.#cards.refresh(true)
  }

  /** Gives back all claims of this worker, without counting that as a crash. */
  releaseAll() {
    this.#claims.releaseAll()
  }

  /** Calls back when something arrives, or from time to time where changes cannot be watched. */
  watch(onArrival: () => void) {
    const { new: arrivals, cards, requests, answers } = this.spool
    // A claim changes the folder too. Listing it again then would delay the claimed event.
    const isGone = (name: string) => !existsSync(join(arrivals, name))
    const watchers = [
      new FolderWatcher([arrivals], (name) => {
        if (name === undefined || !isGone(name)) onArrival()
      }),
      new FolderWatcher([cards, requests, answers], () => onArrival()),
    ]
    return { close: () => watchers.map((watcher) => watcher.close()) }
  }

  close() {
    this.#claims.close()
  }
}
