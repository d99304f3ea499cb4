import { existsSync } from 'node:fs'
import { describeError, errorCode } from '../errors.ts'
import type { Claim } from '../spool/claim.ts'
import {
  isUnreadable,
  listWaiting,
  parseName,
  setUnreadableAside,
  wasClaimed,
} from '../spool/names.ts'
import type { WorkerContext } from './context.ts'
import { statesFromJournal } from './event-state.ts'
import { handleEvent } from './handle.ts'

/** Events under way at once. Each waits at most seconds for a lane, so a dead channel cannot use them all up. */
const MAX_UNDER_WAY = 256
const MAX_REST_MS = 60_000

/** Claims what is due and starts it. Remembers what is under way. */
export class Rounds {
  readonly #context: WorkerContext
  readonly #onSettled: () => void
  readonly #underWay = new Set<Promise<void>>()
  #wake = () => {}
  /** Names of files that could not be handled (a full disk, a fault of ours), and until when they rest. */
  readonly #resting = new Map<string, { times: number; until: number }>()
  /** Unexpected faults, for a worker in the foreground to report. */
  readonly faults: string[] = []
  handled = 0

  constructor(context: WorkerContext, onSettled: () => void = () => {}) {
    this.#context = context
    this.#onSettled = onSettled
  }

  get idle(): boolean {
    return this.#underWay.size === 0
  }

  /** Whether new/ holds something that can be handled now. */
  get hasWaiting(): boolean {
    return this.#waiting().length > 0
  }

  /** Milliseconds until something rested enough; undefined when nothing rests. */
  get restMs(): number | undefined {
    if (this.#resting.size === 0) return undefined
    const until = Math.min(...[...this.#resting.values()].map((rest) => rest.until))
    return Math.max(0, until - this.#context.laneClock())
  }

  /** @returns how many events were claimed */
  async round(): Promise<number> {
    const { spool, deferred } = this.#context
    const before = this.handled
    deferred.refresh()
    const names = this.#waiting()
    for (const [index, name] of names.filter((name) => !wasClaimed(name)).entries()) {
      // A long queue must not hold up what is to be tried again.
      if (index % MAX_UNDER_WAY === 0) await this.#startDue()
      await this.#start(spool.new, name)
    }
    await this.#startDue()
    await this.#investigate(names.filter(wasClaimed))
    return this.handled - before
  }

  async settled() {
    while (this.#underWay.size > 0) await this.#oneSettled()
  }

  #waiting(): string[] {
    const { spool, leftAlone, now, laneClock } = this.#context
    const names = listWaiting(spool.new)
    if (names.some(isUnreadable)) setUnreadableAside(spool.new, spool, now())
    return names.filter((name) => {
      if (leftAlone.has(name) || isUnreadable(name)) return false
      return (this.#resting.get(name)?.until ?? 0) <= laneClock()
    })
  }

  async #startDue() {
    const { spool, deferred, now, laneClock } = this.#context
    for (const id of deferred.due(now())) {
      if ((this.#resting.get(id)?.until ?? 0) > laneClock()) continue
      deferred.delete(id)
      await this.#start(spool.deferred, id)
    }
  }

  /**
   * One of the events that were there when a worker ended may be the cause. They go last and one by one,
   * so that it takes nothing with it but itself.
   */
  async #investigate(names: string[]) {
    if (names.length === 0) return
    await this.settled()
    const { known, spool } = this.#context
    const ids = names.map((name) => parseName(name)?.id ?? '').filter((id) => !known.has(id))
    for (const [id, state] of await statesFromJournal(spool.state, ids)) known.set(id, state)
    for (const name of names) {
      await this.#start(spool.new, name)
      await this.settled()
    }
  }

  async #start(folder: string, name: string) {
    while (this.#underWay.size >= MAX_UNDER_WAY) await this.#oneSettled()
    const claim = this.#claim(folder, name)
    if (!claim) return
    this.handled += 1
    const handling = handleEvent(claim, this.#context)
      .then(() => void this.#resting.delete(name))
      .catch((error) => this.#rest(claim, name, error))
      .finally(() => {
        this.#underWay.delete(handling)
        this.#wake()
        this.#onSettled()
      })
    this.#underWay.add(handling)
  }

  #claim(folder: string, name: string): Claim | undefined {
    try {
      return this.#context.claims.take(folder, name)
    } catch (error) {
      // Such as a folder of another user.
      this.#context.leftAlone.add(name)
      this.#tell(name, error)
      return undefined
    }
  }

  /** It goes back to where it was, and is tried again after a while: nothing else waits for it. */
  #rest(claim: Claim, name: string, error: unknown) {
    // Taken over by another worker, after this one was stopped for long.
    if (errorCode(error) === 'ENOENT' && !existsSync(claim.path)) return
    this.#tell(claim.id || name, error)
    const times = (this.#resting.get(name)?.times ?? 0) + 1
    const ms = Math.min(1000 * 2 ** (times - 1), MAX_REST_MS)
    const until = this.#context.laneClock() + ms
    this.#resting.set(name, { times, until })
    try {
      this.#context.claims.putBack(claim)
    } catch (putBackError) {
      // The claim stays where it is: the next worker takes it over.
      this.#resting.delete(name)
      this.#tell(name, putBackError)
    }
  }

  #tell(name: string, error: unknown) {
    if (this.faults.length < 100) this.faults.push(`${name}: ${describeError(error)}`)
  }

  #oneSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
