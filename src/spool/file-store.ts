import { existsSync, readdirSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Delivery } from '../delivery.ts'
import { errorCode } from '../errors.ts'
import { writeDurable } from '../fs/durable.ts'
import { FolderWatcher } from '../fs/folder-watcher.ts'
import { listQuietly } from '../fs/list.ts'
import { renameFile } from '../fs/rename.ts'
import { Arrivals } from './arrivals.ts'
import { type Claim, Claims } from './claim.ts'
import { formatHeader, type Header, isOfLaterVersion } from './header.ts'
import { eventFolders, type Spool } from './layout.ts'
import { isUnreadable, parseName, setAside, setUnreadableAside, wasClaimed } from './names.ts'
import { newId } from './new-id.ts'
import { eventsOf, type Parked, readParkedOrThrow, writeParkedAsync } from './park.ts'
import { isAsked, ParkedDeliveries } from './parked-deliveries.ts'
import { prepareSpool } from './prepare.ts'
import { readSpoolFile } from './read.ts'
import { syncWaiting } from './salvage.ts'
import type { AskedWait, ParkReason, Store, StoredEvent, WaitingEvent, Wanted } from './store.ts'
import { storedIn } from './stored-event.ts'

interface FileStoreOptions {
  stateDir: string
  now?: () => number
}

/** The spool as a `Store`. It hides the folders from the worker. The front door adds to `tmp` and `new`. */
export class FileStore implements Store {
  readonly spool: Spool
  readonly #arrivals: Arrivals
  readonly #claims: Claims
  readonly #parked: ParkedDeliveries
  readonly #now: () => number
  /** Names in new/ to ignore: written by a later version of hookbell, or not movable. */
  readonly #leftAlone = new Set<string>()

  /** @throws HookbellError E_SPOOL where a folder is a link, belongs to somebody else or cannot be made */
  constructor({ stateDir, now = Date.now }: FileStoreOptions) {
    this.spool = prepareSpool(stateDir)
    this.#arrivals = new Arrivals(this.spool.new)
    this.#claims = new Claims(this.spool)
    this.#parked = new ParkedDeliveries(this.spool)
    this.#now = now
    this.#parked.refresh(true)
    this.#parked.takeFlush()
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
    const claim = this.#claims.pathFor(id)
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
    const stored = claim.id !== '' && !claim.isDelivery ? storedIn(file) : undefined
    if (stored) return stored
    const name = basename(claim.path)
    if ('bytes' in file && isOfLaterVersion(file.bytes)) {
      this.#leftAlone.add(name)
      this.#claims.release(claim)
    } else setAside(claim.path, name, this.spool, this.#now())
    return undefined
  }

  release(claim: Claim, isBegun = false): string {
    const name = this.#claims.release(claim, isBegun)
    // Not the whole folder: many deliveries may be released one after the other.
    if (claim.isDelivery) this.#parked.look(name)
    return name
  }

  finish(claim: Claim) {
    try {
      unlinkSync(claim.path)
    } catch (error) {
      // Another worker may have taken this one for dead and reclaimed the file.
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  moveToDead(claim: Claim) {
    renameFile(claim.path, join(this.spool.dead, claim.id))
  }

  async park(delivery: Delivery, why: ParkReason): Promise<void> {
    const parked = { ...why, since: this.#now(), delivery }
    await this.#parked.add(parked, () => writeParkedAsync(this.spool, 'deferred', parked))
  }

  async giveUp(delivery: Delivery, reason: string): Promise<void> {
    const now = this.#now()
    await writeParkedAsync(this.spool, 'dead', { since: now, reason, isHeld: false, delivery })
  }

  isParked(event: string, channel: string): boolean {
    return this.#parked.has(event, channel)
  }

  willBeDue(event: string, channel: string): boolean {
    return this.#parked.willBeDue(event, channel)
  }

  due(answered?: ReadonlySet<string>): string[] {
    this.#parked.refresh()
    return this.#parked.due(this.#now(), { answered })
  }

  dueInGroup(group: string): string[] {
    return this.#parked.due(this.#now(), { group })
  }

  claimParked(name: string): Claim | undefined {
    this.#parked.take(name)
    return this.#claims.take(this.spool.deferred, name)
  }

  readParked(claim: Claim): Parked | undefined {
    const now = this.#now()
    const parked = readParkedOrThrow(claim.path)
    if (!parked) setAside(claim.path, basename(claim.path), this.spool, now)
    if (!parked || !this.#parked.isFlushed(parked, now)) return parked
    return { ...parked, delivery: { ...parked.delivery, isUnconditional: true } }
  }

  asked(changedAt: number): AskedWait[] {
    return this.#parked.asked(changedAt, this.#now())
  }

  makeDue(changedAt: number, isMeant: (channel: string) => boolean = () => true) {
    this.#parked.makeDue(
      (wait) => !wait.isHeld && isMeant(wait.channel) && !isAsked(wait, changedAt),
    )
  }

  reviewHeld(session: string) {
    this.#parked.makeDue((wait) => wait.isHeld && wait.session === session)
  }

  reviewQuiet(parkedBefore = Number.POSITIVE_INFINITY) {
    this.#parked.makeDue(({ isQuiet, since }) => isQuiet && since < parkedBefore)
  }

  review(deliveries: readonly string[]) {
    this.#parked.review(deliveries)
  }

  hasReviews(): boolean {
    return this.#parked.hasReviews
  }

  takeFlush(): boolean {
    return this.#parked.takeFlush()
  }

  nextDueInMs(isLater?: (name: string) => boolean): number | undefined {
    return this.#parked.nextInMs(this.#now(), isLater)
  }

  isStale(): boolean {
    return this.#parked.isStale
  }

  openEvents(): ReadonlySet<string> {
    const { deferred, dead } = this.spool
    const files = [deferred, dead, ...eventFolders(this.spool)].flatMap((folder) =>
      listQuietly(folder).map((name) => join(folder, name)),
    )
    return new Set(files.flatMap(eventsOf))
  }

  heartbeat() {
    this.#claims.touch()
  }

  reclaimAbandoned() {
    this.#claims.reclaimAbandoned()
    this.#parked.refresh(true)
  }

  releaseAll() {
    this.#claims.releaseAll()
  }

  watch(onArrival: () => void) {
    const { new: arrivals, deferred } = this.spool
    // A claim changes the folder too. Listing it again then would delay the claimed event.
    const isGone = (name: string) => !existsSync(join(arrivals, name))
    const watchers = [
      new FolderWatcher([arrivals], (name) => {
        if (name === undefined || !isGone(name)) onArrival()
      }),
      new FolderWatcher([deferred], () => onArrival()),
    ]
    return { close: () => watchers.map((watcher) => watcher.close()) }
  }

  close() {
    this.#claims.close()
  }
}
