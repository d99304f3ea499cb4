import { RECORD_LIMIT_MS, rotateJournal } from '../journal/journal.ts'
import { waitAtMost } from '../patience.ts'
import { enforceCaps, type Removal, sweep } from '../spool/caps.ts'
import { prepareSpool, spoolIn } from '../spool/layout.ts'
import { isSoleWorker, touchLock } from '../spool/lock/lock.ts'
import { HEARTBEAT_MS } from '../spool/lock/owner.ts'
import { requestHandoverIfReplaced } from '../spool/requests.ts'
import { nextSalvageInMs, salvage } from '../spool/salvage.ts'
import type { WorkerDeps } from './deps.ts'
import { limitWaiting } from './limit-waiting.ts'

const SWEEP_EVERY_MS = 3600_000

/** The worker's tasks besides delivering. If one fails, the others still run, and it is tried again later. */
export class Maintenance {
  readonly #deps: WorkerDeps
  #beatAt = Number.NEGATIVE_INFINITY
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(deps: WorkerDeps) {
    this.#deps = deps
  }

  /** Updates this worker's heartbeat, takes over what dead workers had and looks for a newer version. */
  beat() {
    const { config, deliverer, store, stateDir, steadyNow } = this.#deps
    if (steadyNow() - this.#beatAt < HEARTBEAT_MS) return
    this.#beatAt = steadyNow()
    // Somebody may have removed a folder or its permissions meanwhile.
    attempt(() => prepareSpool(stateDir))
    attempt(() => store.heartbeat())
    attempt(() => touchLock(stateDir))
    this.salvage()
    attempt(() => store.reclaimAbandoned())
    attempt(() => requestHandoverIfReplaced(stateDir))
    attempt(() => deliverer.block(store.asked(config.changedAt())))
  }

  /**
   * Accepts the events of killed hooks. @returns milliseconds until there may be more of them, 0 if there was one; undefined
   * if none is left
   */
  salvage(): number | undefined {
    const { stateDir, now } = this.#deps
    const spool = spoolIn(stateDir)
    return attempt(() => (salvage(spool, now()) > 0 ? 0 : nextSalvageInMs(spool, now())))
  }

  /** Rotates the journal. Only for the holder of the lock. */
  async rotate() {
    const { memory, store, stateDir } = this.#deps
    // Two workers would move the same files.
    if (!isSoleWorker(stateDir)) return
    try {
      if (await rotateJournal(stateDir, () => store.openEvents()))
        memory.rotated(store.openEvents())
    } catch {
      // Such as a full disk: the journal grows until there is room.
    }
  }

  /** Removes old files and enforces the size limits. Slow if there are many files, so only if nothing can be sent now. */
  async sweep() {
    const { stateDir, now, steadyNow } = this.#deps
    if (steadyNow() - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = steadyNow()
    const spool = spoolIn(stateDir)
    attempt(() => sweep(spool, now()))
    await enforceCaps(spool, (removal) => this.#recordRemoval(removal)).catch(() => {})
    await limitWaiting(this.#deps).catch(() => {})
  }

  /** Records a removal before it happens. Does not wait for long, since a full disk may be the cause. */
  async #recordRemoval({ events, channel, reason }: Removal) {
    const { journal, now } = this.#deps
    const at = now()
    const recorded = events.map((id) =>
      journal.append({ at, id, type: 'dropped', ...(channel && { channel }), reason }),
    )
    await waitAtMost(RECORD_LIMIT_MS, Promise.all(recorded))
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    // It is tried again later.
    return undefined
  }
}
