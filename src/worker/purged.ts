import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readQuietly } from '../fs/read.ts'

/** The recorded reason for purged events. */
export const PURGED = 'purged by hand'

/** Each purge writes this file, because only a running worker can drop the events that it has claimed. */
function purgedPath(stateDir: string): string {
  return join(stateDir, 'purged')
}

/** @throws the system error */
export function notePurge(stateDir: string) {
  writeFileSync(purgedPath(stateDir), `${Date.now()}\n`, { mode: 0o600 })
}

/** When a person last purged what waits, Unix ms; 0 if never. */
export function purgedAt(stateDir: string): number {
  return Number(readQuietly(purgedPath(stateDir))) || 0
}

/** Detects purges that happen after its construction. */
export class PurgeWatch {
  readonly #stateDir: string
  #seen: bigint

  constructor(stateDir: string) {
    this.#stateDir = stateDir
    this.#seen = this.#time()
  }

  hasNew(): boolean {
    const before = this.#seen
    this.#seen = this.#time()
    return this.#seen !== before
  }

  #time(): bigint {
    const path = purgedPath(this.#stateDir)
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n
  }
}
