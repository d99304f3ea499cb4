import { type FSWatcher, watch } from 'node:fs'

/** Without file notifications (too many watches, some mounts) the callback is called once a second. */
const POLL_MS = 1000

/** Calls back when a folder changes, with the changed name if known; once a second if folders cannot be watched. */
export class FolderWatcher {
  readonly #watchers: FSWatcher[] = []
  readonly #onChange: (name?: string) => void
  #poll: NodeJS.Timeout | undefined

  constructor(folders: readonly string[], onChange: (name?: string) => void) {
    this.#onChange = onChange
    for (const folder of folders) {
      try {
        const watcher = watch(folder, (_, name) => onChange(name ?? undefined))
        watcher.on('error', () => this.#startPolling())
        this.#watchers.push(watcher)
      } catch {
        this.#startPolling()
      }
    }
  }

  close() {
    clearInterval(this.#poll)
    for (const watcher of this.#watchers) watcher.close()
  }

  #startPolling() {
    this.#poll ??= setInterval(() => this.#onChange(), POLL_MS)
  }
}
