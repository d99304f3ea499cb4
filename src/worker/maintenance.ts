import { rotateJournal } from '../journal/write.ts'
import { spoolIn } from '../spool/layout.ts'
import { touchLock } from '../spool/lock.ts'
import { HEARTBEAT_MS } from '../spool/owner.ts'
import { sweep } from '../spool/sweep.ts'
import type { WorkerDeps } from './deps.ts'

const SWEEP_EVERY_MS = 3600_000

/** What a worker does beside delivering. Whatever fails here fails alone, and is done again later. */
export class Maintenance {
  readonly #deps: WorkerDeps
  #beatAt = Number.NEGATIVE_INFINITY
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(deps: WorkerDeps) {
    this.#deps = deps
  }

  /** Shows that this worker lives, and takes over from those that do not. @returns how many events */
  beat(): number {
    const { store, stateDir, steadyNow } = this.#deps
    if (steadyNow() - this.#beatAt < HEARTBEAT_MS) return 0
    this.#beatAt = steadyNow()
    attempt(() => store.heartbeat())
    attempt(() => touchLock(stateDir))
    return attempt(() => store.reclaimAbandoned()) ?? 0
  }

  /** Only for the holder of the lock. */
  async rotate() {
    const { store, stateDir } = this.#deps
    try {
      await rotateJournal(stateDir, () => store.openEvents())
    } catch {
      // A full disk: the journal grows until there is room.
    }
  }

  /** Slow where much was kept: for when nothing else is to be done. */
  sweep() {
    const { stateDir, now, steadyNow } = this.#deps
    if (steadyNow() - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = steadyNow()
    attempt(() => sweep(spoolIn(stateDir), now()))
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
