import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rotateJournal } from '../journal/write.ts'
import { touchLock } from '../spool/lock.ts'
import { parseName } from '../spool/names.ts'
import { HEARTBEAT_MS } from '../spool/owner.ts'
import { sweep } from '../spool/sweep.ts'
import type { WorkerContext } from './context.ts'

const SWEEP_EVERY_MS = 3600_000

/** What a worker does beside delivering, when it has nothing to deliver or at least once in a while. */
export class Upkeep {
  readonly #context: WorkerContext
  #beatAt = Number.NEGATIVE_INFINITY
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(context: WorkerContext) {
    this.#context = context
  }

  /** Shows that this worker lives, and takes over from those that do not. @returns how many events */
  beat(): number {
    const { claims, spool, laneClock } = this.#context
    if (laneClock() - this.#beatAt < HEARTBEAT_MS) return 0
    this.#beatAt = laneClock()
    claims.touch()
    touchLock(spool.state)
    return claims.takeOver()
  }

  /** Only for the holder of the lock. */
  async rotate() {
    const { spool } = this.#context
    await rotateJournal(spool.state, () => openIds(this.#context))
  }

  /** Slow where much was kept: for when nothing else is to be done. */
  sweep() {
    const { spool, config, now, laneClock } = this.#context
    if (laneClock() - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = laneClock()
    sweep(spool, config.get().config.retentionDays * 24 * 3600_000, now())
  }
}

/** Whatever is not settled for good. */
function openIds({ spool }: WorkerContext): Set<string> {
  const owners = readdirSync(spool.cur).map((owner) => join(spool.cur, owner))
  const names = [spool.new, spool.deferred, spool.dead, ...owners].flatMap((folder) => {
    try {
      return readdirSync(folder)
    } catch {
      // An owner that just ended.
      return []
    }
  })
  return new Set(names.map((name) => parseName(name)?.id ?? ''))
}
