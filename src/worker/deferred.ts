import { readdirSync } from 'node:fs'
import { readEventState } from './event-state.ts'
import type { Lane } from './lane.ts'

/** Listing many deferred events after every move of one would take all the time there is. */
const REFRESH_MS = 1000

interface Wait {
  dueAt: number
  /** When that was decided: a clock that shows less was put back. */
  since: number
  /** Where it only stands in line, because others were first. */
  queuedIn?: Lane | undefined
}

/** When each deferred event is due. Read from the folder, so that another process may add to it. */
export class DeferredEvents {
  readonly #folder: string
  readonly #waits = new Map<string, Wait>()
  #refreshedAt = Number.NEGATIVE_INFINITY
  /** The folder may hold events that are not known here yet. */
  isStale = false

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Takes in events that were put into the folder by somebody else, at most once a second unless `now`. */
  refresh(now = false) {
    this.isStale = !now && performance.now() - this.#refreshedAt < REFRESH_MS
    if (this.isStale) return
    this.#refreshedAt = performance.now()
    const names = new Set(readdirSync(this.#folder).filter((name) => !name.endsWith('.json')))
    for (const id of this.#waits.keys()) if (!names.has(id)) this.#waits.delete(id)
    for (const id of names) {
      if (this.#waits.has(id)) continue
      const { nextAt = 0, since = 0 } = readEventState(this.#folder, id) ?? {}
      this.#waits.set(id, { dueAt: nextAt, since })
    }
  }

  set(id: string, wait: Wait) {
    this.#waits.set(id, wait)
  }

  delete(id: string) {
    this.#waits.delete(id)
  }

  /** The reason to wait may be gone. */
  makeAllDue() {
    for (const wait of this.#waits.values()) wait.dueAt = 0
  }

  due(now: number): string[] {
    return [...this.#waits].filter(([, wait]) => untilDue(wait, now) <= 0).map(([id]) => id)
  }

  /** Milliseconds until the next one is due; undefined when nothing is deferred (or queued, if only that counts) */
  nextIn(now: number, onlyQueued = false): number | undefined {
    let next: number | undefined
    for (const wait of this.#waits.values()) {
      if (onlyQueued && !wait.queuedIn?.isOpen) continue
      next = Math.min(next ?? Number.POSITIVE_INFINITY, untilDue(wait, now))
    }
    return next
  }
}

function untilDue({ dueAt, since }: Wait, now: number): number {
  return now < since ? 0 : Math.max(0, dueAt - now)
}
