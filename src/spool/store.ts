import type { Open, ShownState } from './card.ts'
import type { Claim } from './claim.ts'
import type { Header } from './event-file.ts'

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

/** A message that a channel shows until it is withdrawn or replaced. */
export type Shown = Omit<ShownState, 'state' | 'since'>

/** A destination has asked to be sent nothing for a while. */
export interface AskedWait {
  channel: string
  /** For how long from now. */
  ms: number
}

/**
 * Where events wait, and what is open of them, for one or more workers. A worker knows no paths, so another store may
 * be on another machine. Every method may throw the system error of the storage.
 */
export interface Store {
  /** Accepted events, oldest first, then those that may have crashed a worker. */
  waiting(wanted: Wanted): WaitingEvent[]
  /** Whether any event waits. Cheaper than `waiting`, which reads the time of each file. */
  hasWaiting(): boolean
  /** Syncs the waiting events to the disk, for a front door that cannot do so. */
  sync(): void
  /** Keeps a question for as long as its hook waits for an answer. */
  keepForAnswer(claim: Claim): void
  /** Claims an event for this worker alone. @returns undefined if another worker was faster */
  claimEvent(name: string): Claim | undefined
  /** Accepts and claims an event that no hook has reported. On the disk when this returns. */
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

  /** Keeps what is open of an event on a channel, until its `notBefore`, or for a person. On the disk when this resolves. */
  keep(open: Omit<Open, 'since'>): Promise<void>
  /** Keeps and claims a message of hookbell's own. On the disk when this returns. */
  keepOwn(open: Omit<Open, 'since'>): DeliveryClaim
  /** What channels show, oldest first, without what this worker changes at the moment. */
  shown(): readonly Shown[]
  /** Keeps what a channel shows, in the place of what it showed of the same event. On the disk when this resolves. */
  keepShown(shown: Shown): Promise<void>
  /** Claims it, to be changed or withdrawn: finish it once it is kept anew or gone, else release it. */
  claimShown(shown: Shown): DeliveryClaim | undefined
  /** Whether it is on a card, or was until this worker claimed it. */
  isKept(event: string, channel: string): boolean
  /** The same, or whether it is being written. */
  willBeDue(event: string, channel: string): boolean
  /** Ids of the deliveries that are due, without those for which an answer in these sessions may matter. */
  due(answered?: ReadonlySet<string>): string[]
  /** Ids of the due deliveries of one group. */
  dueInGroup(group: string): string[]
  /** Ids of the deliveries on cards, whenever they are due: of one event, or of all. */
  deliveries(event?: string): string[]
  claimDelivery(id: string): DeliveryClaim | undefined
  /** @returns undefined if its card is damaged. It has then been set aside. */
  readDelivery(claim: DeliveryClaim): Open | undefined
  /** Call it when the delivery is settled, or kept anew, and that is on the disk. */
  finishDelivery(claim: DeliveryClaim): Promise<void>
  /** Gives a delivery back unsettled. */
  releaseDelivery(claim: DeliveryClaim): Promise<void>
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
  /** The same for all deliveries that quiet hours hold, or for those that are held since before a time (Unix ms). */
  reviewQuiet(heldBefore?: number): void
  /** The same for deliveries by their ids, including those that are claimed for a review now. */
  review(deliveries: readonly string[]): void
  /** Whether held deliveries wait for such a review. */
  hasReviews(): boolean
  /** Whether a person has asked, since the last call, for failed deliveries to be tried now. */
  takeFlush(): boolean
  /** Milliseconds until the next delivery is due that is not `isLater`; undefined if there is none. */
  nextDueInMs(isLater?: (name: string) => boolean): number | undefined
  /** Whether another process may have kept deliveries that are not listed here yet. */
  isStale(): boolean

  /** Ids of all events that are not settled. */
  openEvents(): ReadonlySet<string>
  /** Shows that this worker lives. */
  heartbeat(): void
  /** Gives back the claims of workers that have ended, and looks for deliveries that other processes kept. */
  reclaimAbandoned(): void
  /** Gives back all claims of this worker, without counting that as a crash. */
  releaseAll(): void
  /** Calls back when something arrives, or from time to time where changes cannot be watched. */
  watch(onArrival: () => void): { close(): void }
  close(): void
}
