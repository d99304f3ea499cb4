import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Why what was purged is told to nobody. */
export const PURGED = 'purged by hand'

/** Written by each purge: a worker that runs has events that only it can drop. */
function purgedPath(stateDir: string): string {
  return join(stateDir, 'purged')
}

/** @throws the system error */
export function notePurge(stateDir: string) {
  writeFileSync(purgedPath(stateDir), `${Date.now()}\n`, { mode: 0o600 })
}

/** Sees each purge since it was made. */
export class PurgeWatch {
  readonly #stateDir: string
  #seen: bigint

  constructor(stateDir: string) {
    this.#stateDir = stateDir
    this.#seen = this.#time()
  }

  isNew(): boolean {
    const before = this.#seen
    this.#seen = this.#time()
    return this.#seen !== before
  }

  #time(): bigint {
    const path = purgedPath(this.#stateDir)
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n
  }
}
