import { describeError } from '../errors.ts'
import { listWaiting, parseName } from '../spool/claim.ts'
import type { WorkerContext } from './context.ts'
import { handleEvent } from './handle.ts'

/** Events under way at once. Each waits at most seconds for a lane, so a dead channel cannot use them all up. */
const MAX_UNDER_WAY = 256

/** Claims what is due and starts it. Remembers what is under way. */
export class Rounds {
  readonly #context: WorkerContext
  readonly #onSettled: () => void
  readonly #underWay = new Set<Promise<void>>()
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

  /** @returns how many events were claimed */
  async round(): Promise<number> {
    const { spool, deferred, now, leftAlone } = this.#context
    deferred.refresh()
    const waiting = listWaiting(spool.new).filter((name) => !leftAlone.has(name))
    const before = this.handled
    for (const name of waiting) await this.#start(spool.new, name)
    for (const id of deferred.due(now())) {
      deferred.delete(id)
      await this.#start(spool.deferred, id)
    }
    return this.handled - before
  }

  async settled() {
    while (this.#underWay.size > 0) await Promise.race(this.#underWay)
  }

  async #start(folder: string, name: string) {
    // One of the events that were there when a worker ended may be the cause: those go one by one.
    const isSuspect = (parseName(name)?.crashes ?? 0) > 0
    if (isSuspect) await this.settled()
    while (this.#underWay.size >= MAX_UNDER_WAY) await Promise.race(this.#underWay)
    const claim = this.#context.claims.take(folder, name)
    if (!claim) return
    this.handled += 1
    const handling = handleEvent(claim, this.#context)
      // The claim stays where it is: the next worker takes it over.
      .catch((error) => {
        this.faults.push(`${claim.id}: ${describeError(error)}`)
      })
      .finally(() => {
        this.#underWay.delete(handling)
        this.#onSettled()
      })
    this.#underWay.add(handling)
    if (isSuspect) await handling
  }
}
