import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import type { Spool } from './layout.ts'
import { livenessOf, ownerToken, parseOwner, thisProcess } from './owner.ts'

/** A worker that has moved nothing for so long does nothing any more: its claims go to another. */
const LEASE_MS = 5 * 60 * 1000

/** An event file that this process alone may handle. */
export interface Claim {
  id: string
  /** How many workers ended while they held it. */
  crashes: number
  path: string
}

/** A file name is the event's id, with `~n` after n crashes. */
export function parseName(name: string): { id: string; crashes: number } | undefined {
  const [, id, crashes = '0'] =
    /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})(?:~(\d{1,4}))?$/.exec(name) ?? []
  return id ? { id, crashes: Number(crashes) } : undefined
}

/** Oldest first. The time of the last write is the time of acceptance. */
export function listWaiting(folder: string): string[] {
  const names = readdirSync(folder)
  if (names.length < 2) return names
  const written = (name: string) =>
    lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return names
    .map((name) => ({ name, at: written(name) }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name)
}

export class Claims {
  readonly #folder: string
  readonly #spool: Spool

  constructor(spool: Spool) {
    this.#spool = spool
    this.#folder = join(spool.cur, ownerToken(thisProcess()))
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  /** @returns undefined when another worker was faster */
  take(folder: string, name: string): Claim | undefined {
    const parsed = parseName(name)
    const path = join(this.#folder, name)
    try {
      renameSync(join(folder, name), path)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
    return { id: parsed?.id ?? '', crashes: parsed?.crashes ?? 0, path }
  }

  /** Puts back what dead workers had claimed. @returns the ids of those events */
  takeOver(): string[] {
    const ids: string[] = []
    for (const token of readdirSync(this.#spool.cur)) {
      const folder = join(this.#spool.cur, token)
      if (folder === this.#folder || !isAbandoned(folder, token)) continue
      for (const name of readdirSync(folder)) {
        const { id, crashes } = parseName(name) ?? { id: name, crashes: 0 }
        renameSync(join(folder, name), join(this.#spool.new, `${id}~${crashes + 1}`))
        ids.push(id)
      }
      rmdirSync(folder)
    }
    return ids
  }

  /** After the last event. */
  close() {
    try {
      rmdirSync(this.#folder)
    } catch {
      // Something is still in it: whoever comes next takes over.
    }
  }
}

function isAbandoned(folder: string, token: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return false
  const owner = parseOwner(token)
  if (!owner || livenessOf(owner) === 'dead') return true
  return Math.abs(Date.now() - stat.mtimeMs) > LEASE_MS
}
