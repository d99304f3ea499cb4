import { type FSWatcher, watch } from 'node:fs'

/** Without file notifications (too many watches, some mounts) the folder is looked at once a second. */
const POLL_MS = 1000
/** Longest delay that setTimeout keeps. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Rings when a folder changes. A ring between two waits is not lost. */
export class Bell {
  readonly #watchers: FSWatcher[] = []
  #longestWait = MAX_TIMEOUT_MS
  #rung = true
  #wake: (() => void) | undefined

  constructor(folders: readonly string[]) {
    for (const folder of folders) {
      try {
        const watcher = watch(folder, () => this.ring())
        watcher.on('error', () => this.#poll())
        this.#watchers.push(watcher)
      } catch {
        this.#poll()
      }
    }
  }

  ring() {
    this.#rung = true
    this.#wake?.()
  }

  /** Resolves at the next ring, at once if it rang since the last wait, or after `ms`. */
  async wait(ms: number) {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), this.#longestWait))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#rung = false
  }

  close() {
    for (const watcher of this.#watchers) watcher.close()
  }

  #poll() {
    this.#longestWait = POLL_MS
    this.ring()
  }
}
