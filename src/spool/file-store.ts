import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { deliveryId } from '../delivery.ts'
import { errorCode } from '../errors.ts'
import { renameFile, writeDurable } from '../fs/durable.ts'
import { FolderWatcher } from '../fs/folder-watcher.ts'
import { listQuietly } from '../fs/read.ts'
import { addCard, type Open, type ShownState, shownOn } from './card.ts'
import { isAsked } from './card-index.ts'
import { Cards } from './cards.ts'
import { type Claim, Claims } from './claim.ts'
import {
  formatHeader,
  type Header,
  isOfLaterVersion,
  readSpoolFile,
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
import type {
  AskedWait,
  DeliveryClaim,
  Shown,
  Store,
  StoredEvent,
  WaitingEvent,
  Wanted,
} from './store.ts'
import { keepForAnswer } from './waiting-hooks.ts'
import { Arrivals } from './waiting-limits.ts'

interface FileStoreOptions {
  stateDir: string
  now?: () => number
}

/** The spool as a `Store`. It hides the folders from the worker. The front door adds to `tmp` and `new`. */
export class FileStore implements Store {
  readonly spool: Spool
  readonly #arrivals: Arrivals
  readonly #claims: Claims
  readonly #cards: Cards
  readonly #now: () => number
  /** Names in new/ to ignore: written by a later version of hookbell, or not movable. */
  readonly #leftAlone = new Set<string>()

  /** @throws HookbellError E_SPOOL where a folder is a link, belongs to somebody else or cannot be made */
  constructor({ stateDir, now = Date.now }: FileStoreOptions) {
    this.spool = prepareSpool(stateDir)
    this.#arrivals = new Arrivals(this.spool.new)
    this.#claims = new Claims(this.spool)
    this.#cards = new Cards(this.spool, this.#claims, now)
    this.#now = now
    this.#cards.refresh(true)
    this.#cards.index.takeFlush()
  }

  hasWaiting(): boolean {
    return readdirSync(this.spool.new).some(
      (name) => !this.#leftAlone.has(name) && !isUnreadable(name),
    )
  }

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

  sync() {
    syncWaiting(this.spool)
  }

  claimEvent(name: string): Claim | undefined {
    try {
      return this.#claims.take(this.spool.new, name)
    } catch (error) {
      // A permission error stays, as for a folder of another user. Others, such as a full disk, may pass.
      if (['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) this.#leftAlone.add(name)
      throw error
    }
  }

  acceptOwn(header: Header, body: Buffer): Claim {
    const id = newId()
    const claim = this.#claims.pathFor({ id, isCard: false })
    writeDurable(claim.path, [formatHeader(header), body], join(this.spool.tmp, id))
    return claim
  }

  peekEvent(name: string): StoredEvent | undefined {
    try {
      return storedIn(readSpoolFile(join(this.spool.new, name)))
    } catch {
      return undefined
    }
  }

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

  keepForAnswer({ id, path }: Claim) {
    try {
      keepForAnswer(this.spool.state, id, path)
    } catch {
      // A full disk: then it can only be answered where the agent asks.
    }
  }

  release(claim: Claim, isBegun = false): string {
    return this.#claims.release(claim, isBegun)
  }

  finish(claim: Claim) {
    this.#claims.remove(claim)
  }

  moveToDead(claim: Claim) {
    renameFile(claim.path, join(this.spool.dead, claim.id))
  }

  async keep(open: Omit<Open, 'since'>): Promise<void> {
    const since = this.#now()
    if (open.state !== 'dead') return await this.#cards.keep({ ...open, since })
    const { channel, events } = open.delivery
    const card = new Map([[channel, { ...open, since }]])
    await addCard(this.spool.dead, events[0] ?? '', card, this.spool)
  }

  keepOwn(open: Omit<Open, 'since'>): DeliveryClaim {
    return this.#cards.keepOwn({ ...open, since: this.#now() })
  }

  shown(): readonly ShownState[] {
    this.#cards.refresh()
    return this.#cards.index.shown()
  }

  async keepShown(shown: Shown) {
    await this.#cards.keep({ ...shown, state: 'shown', since: this.#now() })
  }

  claimShown({ event, channel, handle }: Shown): DeliveryClaim | undefined {
    const id = deliveryId(event, shownOn(channel))
    const isSame = this.#cards.index.find(id)?.wait.shown?.handle === handle
    return isSame ? this.#cards.take(id) : undefined
  }

  isKept(event: string, channel: string): boolean {
    return this.#cards.has(event, channel)
  }

  willBeDue(event: string, channel: string): boolean {
    return this.#cards.willBeDue(event, channel)
  }

  due(answered?: ReadonlySet<string>): string[] {
    this.#cards.refresh()
    return this.#cards.index.due({ answered })
  }

  dueInGroup(group: string): string[] {
    return this.#cards.index.due({ group })
  }

  deliveries(event?: string): string[] {
    return this.#cards.index.list(event)
  }

  claimDelivery(id: string): DeliveryClaim | undefined {
    return this.#cards.take(id)
  }

  readDelivery(claim: DeliveryClaim): Open | undefined {
    const open = this.#cards.read(claim)
    if (!open || !this.#cards.index.isFlushed(open)) return open
    return { ...open, delivery: { ...open.delivery, isUnconditional: true } }
  }

  async finishDelivery(claim: DeliveryClaim) {
    await this.#cards.finish(claim)
  }

  async releaseDelivery(claim: DeliveryClaim) {
    await this.#cards.release(claim)
  }

  asked(changedAt: number): AskedWait[] {
    return this.#cards.index.asked(changedAt)
  }

  makeDue(changedAt: number, isMeant: (channel: string) => boolean = () => true) {
    this.#cards.index.makeDue(
      (wait) => !wait.isHeld && isMeant(wait.channel) && !isAsked(wait, changedAt),
    )
  }

  reviewHeld(session: string) {
    this.#cards.index.makeDue((wait) => wait.isHeld && wait.session === session)
  }

  reviewQuiet(heldBefore = Number.POSITIVE_INFINITY) {
    this.#cards.index.makeDue(({ isQuiet, since }) => isQuiet && since < heldBefore)
  }

  review(deliveries: readonly string[]) {
    this.#cards.index.review(deliveries)
  }

  hasReviews(): boolean {
    return this.#cards.index.hasReviews
  }

  takeFlush(): boolean {
    return this.#cards.index.takeFlush()
  }

  nextDueInMs(isLater?: (name: string) => boolean): number | undefined {
    return this.#cards.index.nextInMs(isLater)
  }

  isStale(): boolean {
    return this.#cards.isStale
  }

  openEvents(): ReadonlySet<string> {
    const { cards, dead } = this.spool
    const names = [cards, dead, ...eventFolders(this.spool)].flatMap((folder) =>
      listQuietly(folder),
    )
    return new Set(names.flatMap((name) => parseName(name)?.id ?? []))
  }

  heartbeat() {
    this.#claims.touch()
  }

  reclaimAbandoned() {
    this.#claims.reclaimAbandoned()
    adoptOldDeliveries(this.spool)
    this.#cards.refresh(true)
  }

  releaseAll() {
    this.#claims.releaseAll()
  }

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
