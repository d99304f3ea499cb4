import { readdirSync } from 'node:fs'
import { readEventState } from './event-state.ts'

/** When each deferred event is due. Read from the folder, so that another process may add to it. */
export class DeferredEvents {
  readonly #folder: string
  readonly #dueAt = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Takes in events that were put into the folder by somebody else. */
  refresh() {
    const names = new Set(readdirSync(this.#folder).filter((name) => !name.endsWith('.json')))
    for (const id of this.#dueAt.keys()) if (!names.has(id)) this.#dueAt.delete(id)
    for (const id of names) {
      if (this.#dueAt.has(id)) continue
      this.#dueAt.set(id, readEventState(this.#folder, id)?.nextAt ?? 0)
    }
  }

  set(id: string, dueAt: number) {
    this.#dueAt.set(id, dueAt)
  }

  delete(id: string) {
    this.#dueAt.delete(id)
  }

  due(now: number): string[] {
    return [...this.#dueAt].filter(([, at]) => at <= now).map(([id]) => id)
  }

  /** @returns undefined when nothing is deferred */
  next(): number | undefined {
    let next: number | undefined
    for (const at of this.#dueAt.values()) next = Math.min(next ?? at, at)
    return next
  }
}
