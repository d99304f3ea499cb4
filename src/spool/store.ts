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
  /** Whether a worker had it before: then the journal knows how far it came. */
  wasClaimed: boolean
  /** How many workers ended while they had it. */
  crashes: number
}

/** Which of the waiting events a worker wants to know of. */
export interface Wanted {
  max: number
  /** Whether it wants nothing to do with it for now. */
  isLater(name: string): boolean
}

/** Why a delivery is parked, and until when. */
export interface ParkReason {
  /** Unix ms. */
  until: number
  reason: string
  /** By a policy; else after a failure. */
  isHeld: boolean
  /** What is due together with the same group is told in one message. */
  group?: string | undefined
  /** Of a later step: when it may be told at the earliest, should nobody be reached before. Unix ms. */
  earliest?: number | undefined
}

/**
 * Where events wait and deliveries are parked, for one or more workers. A worker knows no paths: another store may
 * keep the same on another machine. Every method may throw the system error of what it stands on.
 */
export interface Store {
  /** Accepted events, oldest first. */
  waiting(wanted: Wanted): WaitingEvent[]
  /** The same question without their order, which costs a look at each. */
  hasWaiting(): boolean
  /** Puts what waits on the disk, for a front door that cannot. */
  sync(): void
  /** Makes an event this worker's alone. @returns undefined where another worker was faster */
  claimEvent(name: string): Claim | undefined
  /** Accepts an event of our own, such as a test: no other worker sees it. On the disk when this returns. */
  acceptOwn(header: Header, body: Buffer): Claim
  /** @returns undefined where it is none of ours, or of a later version: it is out of the way then */
  readEvent(claim: Claim): StoredEvent | undefined
  /** Back to where it was. `isBegun`: the next worker asks the journal how far it came. */
  release(claim: Claim, isBegun?: boolean): void
  /** All that concerns it is settled, and on the disk. */
  finish(claim: Claim): void
  /** Nothing can be made of it: a person has to look. */
  moveToDead(claim: Claim): void

  /** Keeps a delivery for later. On the disk when this returns. */
  park(delivery: Delivery, reason: ParkReason): void
  /** Keeps a delivery that gave up, for a person. On the disk when this returns. */
  giveUp(delivery: Delivery, reason: string): void
  isParked(event: string, channel: string): boolean
  /** Names of parked deliveries whose time has come. */
  due(): string[]
  /** Of these the names of one group. */
  dueInGroup(group: string): string[]
  claimParked(name: string): Claim | undefined
  /** @returns undefined where it is damaged: it is out of the way then */
  readParked(claim: Claim): Parked | undefined
  /** What failed is tried again at once; with `isMeant` that of some channels. */
  makeDue(isMeant?: (channel: string) => boolean): void
  /** What a policy holds of a session is due at once: whoever claims it looks whether it is still worth telling. */
  reviewHeld(session: string): void
  /** The same for deliveries by their ids, also for those that are being looked at now. */
  review(deliveries: readonly string[]): void
  /** Whether something waits for that look. */
  hasReviews(): boolean
  /** Whether a person asked for something to be tried now, since the last call. */
  takeFlush(): boolean
  /** Milliseconds until the next parked delivery is due; undefined where none is. */
  nextDueInMs(): number | undefined
  /** Whether there may be parked deliveries that were put there a moment ago by somebody else. */
  isStale(): boolean

  /** Everything that is not settled, by event. */
  openEvents(): ReadonlySet<string>
  /** Shows that this worker lives. */
  heartbeat(): void
  /** Gives back what workers left behind that have ended. @returns how many */
  reclaimAbandoned(): number
  /** Gives back all that this worker holds, which is no crash. */
  releaseAll(): void
  /** Calls back when something arrives, or at least once in a while where that cannot be seen. */
  watch(onArrival: () => void): { close(): void }
  close(): void
}
