import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '../errors.ts'
import type { Claim } from '../spool/claim.ts'
import { hasProc } from '../spool/process.ts'
import type { WaitingEvent } from '../spool/store.ts'
import { readBegun } from './begun.ts'
import type { WorkerDeps } from './deps.ts'
import { runEvent } from './event-run.ts'
import { runParked } from './parked-run.ts'
import { Resting } from './resting.ts'
import { Changes } from './wake-up.ts'

/** Events that are being prepared at once: transcripts are read meanwhile. */
const MAX_PREPARING = 64
/** With more under way than this, what can go out goes first: what is prepared too early only takes memory. */
const MAX_AHEAD = 500
/**
 * Events that this worker holds at once while they go out, and that it looks at in one round: the others wait in new/ and
 * cost no memory, and what a person asks for meanwhile waits no longer.
 */
const MAX_FLOWING = 2000
/** The same where all wait for destinations that failed: those to other destinations must not wait behind them. */
const MAX_STALLED = 20_000
/** Whatever ends a worker does so at once. */
const SUSPECT_MS = 1000
/** How often a run that delivers once looks whether all that is left waits for a destination that failed. */
const STALL_CHECK_MS = 20

/** Claims what is due and starts it. Remembers what is under way. */
export class Dispatcher {
  readonly #deps: WorkerDeps
  readonly #onSettled: () => void
  readonly #underWay = new Set<Promise<void>>()
  #preparing = 0
  #isFull = false
  readonly #changes = new Changes()
  readonly #resting: Resting
  #suspects: Promise<void> | undefined
  /** Unexpected faults, for a worker in the foreground to report. */
  readonly faults: string[] = []
  handled = 0

  constructor(deps: WorkerDeps, onSettled: () => void = () => {}) {
    this.#deps = deps
    this.#onSettled = onSettled
    this.#resting = new Resting(deps.steadyNow)
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0 && !this.#suspects
  }

  /** Whether an event waits that can be handled now. */
  get hasWaiting(): boolean {
    if (this.#underWay.size >= MAX_STALLED) return false
    return this.#isolated('the spool', () => this.#deps.store.hasWaiting()) ?? false
  }

  /** Whether nothing goes on but waiting for destinations that take nothing now. */
  get isStalled(): boolean {
    const { deliverer, journal } = this.#deps
    const isBusy = this.#preparing > 0 || this.#suspects || journal.pending > 0
    return !isBusy && !deliverer.isMoving && this.#underWay.size <= deliverer.waiting
  }

  /** Milliseconds until something rested enough; undefined when nothing rests. */
  get restMs(): number | undefined {
    return this.#resting.nextInMs
  }

  /** Starts what waits and what is due. @returns how many were claimed */
  async dispatch(): Promise<number> {
    const before = this.handled
    const rested = this.#resting.rested()
    // The sh door leaves it to the worker where it cannot.
    if (!hasProc()) this.#isolated('the spool', () => this.#deps.store.sync())
    if (this.#isStillFull()) {
      await this.#startDue()
      return this.handled - before
    }
    const waiting = this.#waiting()
    await this.#readBegun(waiting.filter(({ wasClaimed }) => wasClaimed))
    for (const [index, event] of waiting.filter(({ crashes }) => crashes === 0).entries()) {
      // A long queue must not hold up what is to be tried again.
      if (index % MAX_PREPARING === 0) await this.#startDue()
      this.#isFull = this.#underWay.size >= this.#limit
      if (this.#isFull) break
      await this.#startEvent(event)
    }
    await this.#startDue()
    this.#investigate(waiting.filter(({ crashes }) => crashes > 0))
    // What is not there any more was handled by somebody else: nothing is to be waited for.
    for (const name of rested) if (!this.#resting.has(name)) this.#resting.delete(name)
    return this.handled - before
  }

  /** Starts an event of our own, for one channel alone. */
  async startOwn(claim: Claim | undefined, channel: string) {
    if (!claim) return
    await this.#start(
      claim.id,
      () => claim,
      (_, onQueued) => runEvent(claim, this.#deps, { channel, onQueued }),
    )
  }

  /** Resolves when nothing is under way but what waits for a destination that failed, or for a disk that takes nothing. */
  async comeToRest() {
    while (!this.isIdle && !this.isStalled) {
      if (this.#deps.journal.failure && this.#underWay.size <= this.#deps.journal.pending) return
      await Promise.race([this.#changes.next(), sleep(STALL_CHECK_MS)])
    }
  }

  #waiting(): WaitingEvent[] {
    const wanted = { max: MAX_FLOWING, isLater: (name: string) => this.#resting.has(name) }
    return this.#isolated('the spool', () => this.#deps.store.waiting(wanted)) ?? []
  }

  get #limit(): number {
    return this.isStalled ? MAX_STALLED : MAX_FLOWING
  }

  /** Once full, half has to go before a long folder is listed again. */
  #isStillFull(): boolean {
    this.#isFull &&= this.#underWay.size > this.#limit / 2
    return this.#isFull
  }

  async #startDue() {
    for (const name of this.#isolated('the spool', () => this.#deps.store.due()) ?? []) {
      if (this.#resting.has(name)) continue
      await this.#start(
        name,
        () => this.#deps.store.claimParked(name),
        (claim, onQueued) => runParked(claim, this.#deps, onQueued),
      )
    }
  }

  async #startEvent({ name }: WaitingEvent) {
    if (this.#resting.has(name)) return
    await this.#start(
      name,
      () => this.#deps.store.claimEvent(name),
      (claim, onQueued) => runEvent(claim, this.#deps, { onQueued }),
    )
  }

  /** How far events came that other workers had begun. */
  async #readBegun(events: readonly WaitingEvent[]) {
    const { begun, stateDir } = this.#deps
    const unknown = events.map(({ id }) => id).filter((id) => !begun.has(id))
    if (unknown.length === 0) return
    for (const [id, status] of await readBegun(stateDir, unknown)) begun.set(id, status)
  }

  /**
   * One of the events that were there when a worker ended may be the cause. They are begun last and one by one, so
   * that the cause takes little with it; everything else goes on meanwhile.
   */
  #investigate(events: readonly WaitingEvent[]) {
    if (events.length === 0 || this.#suspects) return
    this.#suspects = this.#beginOneByOne(events).finally(() => {
      this.#suspects = undefined
      this.#changes.notify()
    })
  }

  async #beginOneByOne(events: readonly WaitingEvent[]) {
    await forAWhile([...this.#underWay])
    for (const event of events) {
      const before = new Set(this.#underWay)
      await this.#startEvent(event)
      await forAWhile([...this.#underWay].filter((one) => !before.has(one)))
    }
  }

  async #start(
    name: string,
    take: () => Claim | undefined,
    run: (claim: Claim, onQueued: () => void) => Promise<void>,
  ) {
    while (this.#preparing >= MAX_PREPARING) await this.#changes.next()
    if (this.#underWay.size > MAX_AHEAD) await nextTurn()
    const times = this.#resting.timesOf(name) + 1
    let claim: Claim | undefined
    try {
      claim = take()
    } catch (error) {
      return this.#rest(name, times, error)
    }
    if (!claim) return
    this.#resting.delete(name)
    this.handled += 1
    this.#preparing += 1
    let isPreparing = true
    const onQueued = () => {
      if (isPreparing) this.#preparing -= 1
      isPreparing = false
      this.#changes.notify()
    }
    const running = run(claim, onQueued)
      .catch((error) => {
        this.#rest(name, times, error)
        // Where that fails too, the claim stays where it is: the next worker reclaims it.
        this.#isolated(name, () => this.#deps.store.release(claim))
      })
      .finally(() => {
        onQueued()
        this.#underWay.delete(running)
        this.#changes.notify()
        this.#onSettled()
      })
    this.#underWay.add(running)
  }

  /** It is tried again after a while: nothing else waits for it. */
  #rest(name: string, times: number, error: unknown) {
    this.#tell(name, error)
    this.#resting.add(name, times)
  }

  /** One folder or file that cannot be used takes nothing with it but itself. */
  #isolated<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      this.#tell(what, error)
      return undefined
    }
  }

  #tell(name: string, error: unknown) {
    const fault = `${name}: ${describeError(error)}`
    if (this.faults.length < 100 && !this.faults.includes(fault)) this.faults.push(fault)
  }
}

async function forAWhile(running: readonly Promise<void>[]) {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SUSPECT_MS)
  })
  await Promise.race([Promise.all(running), timeout])
  clearTimeout(timer)
}
