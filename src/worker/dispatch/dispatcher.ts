import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isNextQuestion, meaningOf } from '../../event/meaning.ts'
import { parseEvent } from '../../event/parse.ts'
import { waitAtMost } from '../../patience.ts'
import { sessionHash } from '../../prepare/prepare.ts'
import type { DeliveryClaim } from '../../spool/cards.ts'
import type { Claim } from '../../spool/claim.ts'
import { hasProc } from '../../spool/lock/owner.ts'
import type { WaitingEvent } from '../../spool/store.ts'
import type { WorkerDeps } from '../deps.ts'
import { readStatuses } from '../read-statuses.ts'
import { runDelivery } from './card-run.ts'
import { runEvent } from './event-run.ts'
import { Faults, InFlight, Preparing, RetryTimes, Unreleased } from './in-flight.ts'

/** Of a longer queue only the first events are read: of the others, a due message must not wait for long. */
const MAX_READ = 64

/** How many events are started before deliveries that are due for a retry are looked for again. */
const DUE_CHECK_EVENTS = 64
/** With more events in flight than this, sending goes first: preparing further ahead would only use memory. */
const MAX_AHEAD = 128
/** The same while a destination holds deliveries up: its questions must be found before a summary is sent. */
const MAX_AHEAD_OF_SLOW = 500
/** How many events are claimed and listed at a time: others cost no memory, and requests are noticed soon. */
const MAX_FLOWING = 2000
/** The limit with those that their destinations hold up: events for other destinations must not wait behind them. */
const MAX_CLAIMED = 20_000
/** How often a single run checks whether the rest only waits for failed destinations. */
const STALL_CHECK_MS = 20
/** How often such a run looks for deliveries that became due: later ones of their destination may wait for them. */
const DUE_CHECK_MS = 1000

/**
 * How long to wait for a suspect event: one that crashes the worker does so at once. Each one that takes longer shortens
 * the wait for the next ones, to a half, a third and so on: a receiver that hangs must not hold up hundreds of them.
 */
const SUSPECT_MS = 1000
const MIN_SUSPECT_MS = 50

/** Claims and starts the events and deliveries that are due, and keeps track of those in flight. */
export class Dispatcher {
  readonly #deps: WorkerDeps
  readonly #inFlight: InFlight
  readonly #preparing = new Preparing()
  #isFull = false
  readonly #retryTimes: RetryTimes
  #suspects: Promise<void> | undefined
  readonly faults = new Faults()
  readonly #unreleased: Unreleased
  handled = 0

  constructor(deps: WorkerDeps, onSettled: () => void = () => {}) {
    this.#deps = deps
    this.#inFlight = new InFlight(onSettled)
    this.#retryTimes = new RetryTimes(deps.steadyNow)
    this.#unreleased = new Unreleased(this.#retryTimes, this.faults)
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0 && !this.#suspects
  }

  /** Whether an event waits that can be handled now. */
  get hasWaiting(): boolean {
    if (this.#inFlight.size >= MAX_CLAIMED) return false
    return this.faults.isolate('the spool', () => this.#deps.store.hasWaiting()) ?? false
  }

  /** Whether everything in flight waits for a destination that failed, or for a journal that cannot be written. */
  get isStalled(): boolean {
    const { deliverer, journal } = this.#deps
    const isRecording = journal.pending > 0 && !journal.failure
    if (this.#preparing.count > 0 || this.#suspects || isRecording || deliverer.isMoving)
      return false
    return this.#inFlight.size <= deliverer.waiting + journal.pending
  }

  /** Milliseconds until a delivery is due or a failed event may be tried again; undefined if there is none. */
  get nextInMs(): number | undefined {
    const dueInMs = this.#deps.store.nextDueInMs((name) => this.#retryTimes.has(name))
    const times = [dueInMs, this.#retryTimes.nextInMs].filter((ms) => ms !== undefined)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /** Starts waiting events and due deliveries, until another worker takes over. @returns how many were claimed */
  async dispatch(isReplaced = () => false): Promise<number> {
    const before = this.handled
    this.#retryTimes.forgetOld()
    await this.#unreleased.tryAgain()
    // Without /proc, the sh front door leaves the sync to the disk to the worker.
    if (!hasProc()) this.faults.isolate('the spool', () => this.#deps.store.sync())
    if (this.#isStillFull()) {
      await this.#startDue()
      return this.handled - before
    }
    const wanted = { max: MAX_FLOWING, isLater: (name: string) => this.#retryTimes.has(name) }
    const waiting = this.faults.isolate('the spool', () => this.#deps.store.waiting(wanted)) ?? []
    const { channels } = this.#deps.config.last.config
    this.#preparing.messagesEach = waiting.length > MAX_AHEAD ? Object.keys(channels).length : 1
    await this.#readResumed(waiting.filter(({ wasClaimed }) => wasClaimed))
    const answered = this.faults.isolate('the spool', () => answeredSessions(waiting, this.#deps))
    for (const [index, event] of waiting.filter(({ crashes }) => crashes === 0).entries()) {
      const isDueCheck = index % DUE_CHECK_EVENTS === 0
      if (isDueCheck && isReplaced()) break
      // A long queue must not delay deliveries that are due for a retry.
      if (isDueCheck) await this.#startDue(answered)
      this.#isFull = this.#inFlight.size >= this.#limit
      if (this.#isFull || this.#deps.ending?.aborted) break
      await this.#startEvent(event)
    }
    await this.#startDue()
    this.#investigate(waiting.filter(({ crashes }) => crashes > 0))
    return this.handled - before
  }

  /** Starts an event that no hook has reported. */
  async startOwn(claim: Claim) {
    await this.#start(
      claim.id,
      () => claim,
      (_, onQueued) => runEvent(claim, this.#deps, onQueued),
      (one) => this.#releaseEvent(one),
    )
  }

  /** Starts a delivery that this worker has claimed. */
  async startDelivery(claim: DeliveryClaim) {
    await this.#startDelivery(claim.id, () => claim)
  }

  async #startDelivery(id: string, take: () => DeliveryClaim | undefined) {
    await this.#start(
      id,
      take,
      (claim, onQueued) => runDelivery(claim, this.#deps, onQueued),
      (claim) => this.#deps.store.releaseDelivery(claim).then(() => id),
    )
  }

  /** Waits for this work too before the worker ends. A failure is reported. */
  follow(work: Promise<void>) {
    this.#inFlight.add(work.catch((error) => this.faults.note('a shown message', error)))
  }

  /** Resolves when nothing is in flight, or all of it is stalled. */
  async comeToRest({ startsDue = false } = {}) {
    const { steadyNow } = this.#deps
    let lookedAt = steadyNow()
    while (!this.isIdle && !this.isStalled) {
      await Promise.race([this.#inFlight.change(), sleep(STALL_CHECK_MS)])
      if (!startsDue || steadyNow() - lookedAt < DUE_CHECK_MS) continue
      lookedAt = steadyNow()
      await this.#startDue()
    }
  }

  get #limit(): number {
    if (this.isStalled) return MAX_CLAIMED
    return Math.min(MAX_FLOWING + this.#deps.deliverer.heldUp, MAX_CLAIMED)
  }

  /** Once the limit is reached, some of the events must end before a long folder is listed again. */
  #isStillFull(): boolean {
    this.#isFull &&= this.#inFlight.size > this.#limit - MAX_FLOWING / 2
    return this.#isFull
  }

  get #isAhead(): boolean {
    return this.#inFlight.size > (this.#deps.deliverer.heldUp > 0 ? MAX_AHEAD_OF_SLOW : MAX_AHEAD)
  }

  async #startDue(answered?: ReadonlySet<string>) {
    const { store } = this.#deps
    for (const id of this.faults.isolate('the spool', () => store.due(answered)) ?? []) {
      if (this.#deps.ending?.aborted) break
      if (this.#retryTimes.has(id)) continue
      await this.#startDelivery(id, () => store.claimDelivery(id))
    }
  }

  async #startEvent({ name, bytes }: WaitingEvent) {
    if (this.#retryTimes.has(name)) return
    await this.#start(
      name,
      () => this.#deps.store.claimEvent(name),
      (claim, onQueued) => runEvent(claim, this.#deps, onQueued),
      (claim) => this.#releaseEvent(claim),
      bytes,
    )
  }

  /** Loads the journal's status of events that other workers began. */
  async #readResumed(events: readonly WaitingEvent[]) {
    const { resumed, stateDir } = this.#deps
    const unknown = events.map(({ id }) => id).filter((id) => !resumed.has(id))
    if (unknown.length === 0) return
    for (const [id, status] of await readStatuses(stateDir, unknown)) resumed.set(id, status)
  }

  /** Starts events that a crashed worker had claimed: one may have caused the crash. Nothing else waits for them. */
  #investigate(events: readonly WaitingEvent[]) {
    if (events.length === 0 || this.#suspects) return
    const start = (event: WaitingEvent) => this.#startEvent(event)
    this.#suspects = startOneByOne(events, this.#inFlight, start).finally(() => {
      this.#suspects = undefined
      // `isIdle` has just changed.
      this.#inFlight.ended()
    })
  }

  /** @param release gives a claim back that could not be handled, and returns its name from then on */
  async #start<Held extends Claim | DeliveryClaim>(
    name: string,
    take: () => Held | undefined,
    run: (claim: Held, onQueued: () => void) => Promise<void>,
    release: (claim: Held) => Promise<string>,
    bytes = 0,
  ) {
    while (!this.#preparing.admits(bytes)) await this.#inFlight.change()
    if (this.#isAhead) await nextTurn()
    const times = this.#retryTimes.timesOf(name) + 1
    let claim: Held | undefined
    try {
      claim = take()
    } catch (error) {
      return this.#rest(name, times, error)
    }
    if (!claim) return
    this.#retryTimes.delete(name)
    this.#unreleased.forget(name)
    this.handled += 1
    const endPreparing = this.#preparing.begin(bytes)
    const onQueued = () => {
      endPreparing()
      this.#inFlight.notify()
    }
    const running = run(claim, onQueued)
      .catch(async (error) => {
        const released = await this.#unreleased.release(name, () => release(claim))
        this.#rest(released ?? name, times, error)
      })
      .finally(onQueued)
    this.#inFlight.add(running)
  }

  /** Some channels may have the event. */
  async #releaseEvent(claim: Claim): Promise<string> {
    return this.#deps.store.release(claim, true)
  }

  /** Reports the failure and retries the event or delivery after a while. Nothing else waits for it. */
  #rest(name: string, times: number, error: unknown) {
    this.faults.note(name, error)
    this.#retryTimes.add(name, times)
  }
}

/** Starts suspect events one by one, once what is in flight has ended, so that another crash affects few of them. */
async function startOneByOne<Event>(
  events: readonly Event[],
  inFlight: InFlight,
  start: (event: Event) => Promise<void>,
) {
  await waitAtMost(SUSPECT_MS, Promise.all(inFlight.all))
  let slow = 0
  for (const event of events) {
    const before = new Set(inFlight.all)
    await start(event)
    const started = inFlight.all.filter((one) => !before.has(one))
    const ms = Math.max(SUSPECT_MS / (slow + 1), MIN_SUSPECT_MS)
    if (!(await waitAtMost(ms, Promise.all(started)))) slow += 1
  }
}

/**
 * The sessions, by the key of their deliveries, of which an answer is among some waiting events. It must be seen before what
 * is due, as after a night in which the machine was off: a person who has just gone on must not be told of the question.
 */
function answeredSessions(
  events: readonly WaitingEvent[],
  { store, config }: Pick<WorkerDeps, 'store' | 'config'>,
): ReadonlySet<string> {
  // Reading the events twice costs time, and mostly nothing is due when some wait.
  if (events.length === 0 || store.due().length === 0) return new Set()
  const { abnormalReasons } = config.recent().config
  return new Set(
    events.slice(0, MAX_READ).flatMap(({ name, id }) => {
      const stored = store.peekEvent(name)
      return stored ? sessionIfAnswer({ ...stored, id }, abnormalReasons) : []
    }),
  )
}

function sessionIfAnswer(
  stored: Parameters<typeof parseEvent>[0],
  abnormalReasons: readonly string[],
): string[] {
  try {
    const event = parseEvent(stored, abnormalReasons)
    return isNextQuestion(event) || meaningOf(event).isAnswer ? [sessionHash(event)] : []
  } catch {
    // It is recorded as unusable in its turn.
    return []
  }
}
