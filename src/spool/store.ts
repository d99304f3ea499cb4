import type { Delivery } from '../delivery.ts'
import type { Claim } from './claim.ts'
import type { Header } from './header.ts'
import type { Parked } from './park.ts'

/** An accepted event as the front door stored it. */
export interface StoredEvent {
  header: Header
  body: Buffer
  truncated: boolean
  /** When it was accepted, Unix ms. */
  at: number
}

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

/** Why a delivery is parked until its `notBefore`. */
export interface ParkReason {
  reason: string
  /** Held by a policy; otherwise parked after a failure. */
  isHeld: boolean
  /** The destination has asked to wait until then. */
  isAsked?: boolean | undefined
  /** Deliveries of the same group that are due together become one message. */
  group?: string | undefined
  /** What is expected to follow, if it is held for that. */
  expects?: 'turn' | 'notice' | undefined
  /** For a later step: when it may be sent at the earliest if nobody was reached before, Unix ms. */
  earliest?: number | undefined
  /** If quiet hours hold it: when it would be due without them, Unix ms. */
  dueOtherwise?: number | undefined
  /** The name of the project, by which a person may mute it while it is held. */
  project?: string | undefined
}

/** A destination has asked to be sent nothing for a while. */
export interface AskedWait {
  channel: string
  /** For how long from now. */
  ms: number
}

/**
 * Where events wait and deliveries are parked, for one or more workers. A worker knows no paths, so another store may
 * be on another machine. Every method may throw the system error of the storage.
 */
export interface Store {
  /** Accepted events, oldest first, then those that may have crashed a worker. */
  waiting(wanted: Wanted): WaitingEvent[]
  /** Whether any event waits. Cheaper than `waiting`, which reads the time of each file. */
  hasWaiting(): boolean
  /** Syncs the waiting events to the disk, for a front door that cannot do so. */
  sync(): void
  /** Claims an event for this worker alone. @returns undefined if another worker was faster */
  claimEvent(name: string): Claim | undefined
  /** Accepts and claims an event of hookbell's own, such as a test. On the disk when this returns. */
  acceptOwn(header: Header, body: Buffer): Claim
  /** An event that waits, without a claim; undefined if it cannot be read. Never throws. */
  peekEvent(name: string): StoredEvent | undefined
  /** @returns undefined if the file is foreign or of a later version. It has then been set aside or released. */
  readEvent(claim: Claim): StoredEvent | undefined
  /** Gives a claim back unsettled. `isBegun`: the next worker asks the journal what is already done. @returns its name */
  release(claim: Claim, isBegun?: boolean): string
  /** Removes the claimed file. Call it when everything about it is settled and on the disk. */
  finish(claim: Claim): void
  /** Moves an event that cannot be handled to the dead ones, for a person. */
  moveToDead(claim: Claim): void

  /** Keeps a delivery until its `notBefore`. On the disk when this resolves. */
  park(delivery: Delivery, reason: ParkReason): Promise<void>
  /** Keeps a delivery that gave up, for a person. On the disk when this resolves. */
  giveUp(delivery: Delivery, reason: string): Promise<void>
  /** Whether it is on the disk, or was until this worker claimed it. */
  isParked(event: string, channel: string): boolean
  /** The same, or whether it is being written. */
  willBeDue(event: string, channel: string): boolean
  /** Names of the parked deliveries that are due, without those for which an answer in these sessions may matter. */
  due(answered?: ReadonlySet<string>): string[]
  /** Names of the due deliveries of one group. */
  dueInGroup(group: string): string[]
  claimParked(name: string): Claim | undefined
  /** @returns undefined if the file is damaged. It has then been set aside. */
  readParked(claim: Claim): Parked | undefined
  /**
   * The waits that destinations have asked for, this worker or others, and that are not over.
   * @param changedAt when the configuration was last changed, Unix ms: earlier waits do not count
   */
  asked(changedAt: number): AskedWait[]
  /**
   * Makes failed deliveries due now, of all channels or of those that `isMeant` accepts, but not those for which `asked`
   * has a wait.
   */
  makeDue(changedAt: number, isMeant?: (channel: string) => boolean): void
  /** Makes the held deliveries of a session due for a review now. Those that are still wanted stay held. */
  reviewHeld(session: string): void
  /** The same for all deliveries that quiet hours hold, or for those that were parked before a time (Unix ms). */
  reviewQuiet(parkedBefore?: number): void
  /** The same for deliveries by their ids, including those that are claimed for a review now. */
  review(deliveries: readonly string[]): void
  /** Whether held deliveries wait for such a review. */
  hasReviews(): boolean
  /** Whether a person has asked, since the last call, for failed deliveries to be tried now. */
  takeFlush(): boolean
  /** Milliseconds until the next parked delivery is due that is not `isLater`; undefined if there is none. */
  nextDueInMs(isLater?: (name: string) => boolean): number | undefined
  /** Whether another process may have parked deliveries that are not listed here yet. */
  isStale(): boolean

  /** Ids of all events that are not settled. */
  openEvents(): ReadonlySet<string>
  /** Shows that this worker lives. */
  heartbeat(): void
  /** Gives back the claims of workers that have ended, and looks for deliveries that other processes parked. */
  reclaimAbandoned(): void
  /** Gives back all claims of this worker, without counting that as a crash. */
  releaseAll(): void
  /** Calls back when something arrives, or from time to time where changes cannot be watched. */
  watch(onArrival: () => void): { close(): void }
  close(): void
}
