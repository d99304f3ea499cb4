import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  utimesSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { errorCode } from '../errors.ts'
import type { Spool } from './layout.ts'
import { parseName, setAside } from './names.ts'
import { LEASE_MS, livenessOf, ownerToken, parseOwner, thisProcess } from './owner.ts'

export { parseName } from './names.ts'

/** An event file that this process alone may handle. */
export interface Claim {
  /** '' where the name is none of ours. */
  id: string
  /** How many workers ended while they held it. */
  crashes: number
  path: string
  /** Where it was taken from. */
  from: string
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
    const { id, crashes } = parseName(name) ?? { id: '', crashes: 0 }
    const claim = { id, crashes, from: join(folder, name), path: join(this.#folder, name) }
    if (move(claim.from, claim.path)) return claim
    // After a long stop, others may have taken this worker for dead, and its folder away.
    if (existsSync(this.#folder)) return undefined
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    return move(claim.from, claim.path) ? claim : undefined
  }

  /** Nothing could be done with it now. */
  putBack({ path, from }: Claim) {
    move(path, from)
  }

  /** Puts back what dead workers had claimed. @returns how many events */
  takeOver(): number {
    let count = 0
    for (const token of readdirSync(this.#spool.cur)) {
      const folder = join(this.#spool.cur, token)
      if (folder === this.#folder || !isAbandoned(folder, token)) continue
      try {
        for (const name of readdirSync(folder)) count += this.#takeFrom(folder, name)
        rmdirSync(folder)
      } catch (error) {
        // Another worker does the same, or something in there cannot be moved: the rest goes on.
        if (!errorCode(error)) throw error
      }
    }
    return count
  }

  /** Shows those who cannot look at this process that it lives. */
  touch() {
    const now = new Date()
    if (existsSync(this.#folder)) utimesSync(this.#folder, now, now)
  }

  /** Gives back everything that is under way, because this process is told to end: that is no crash. */
  standDown() {
    if (!existsSync(this.#folder)) return
    for (const name of readdirSync(this.#folder)) {
      const { id, crashes } = parseName(name) ?? { id: name, crashes: 0 }
      // With `~`, so that the next worker asks the journal what was delivered.
      move(join(this.#folder, name), join(this.#spool.new, `${id}~${crashes}`))
    }
    this.close()
  }

  /** After the last event. */
  close() {
    try {
      rmdirSync(this.#folder)
    } catch {
      // Something is still in it: whoever comes next takes over.
    }
  }

  #takeFrom(folder: string, name: string): number {
    const parsed = parseName(name)
    if (parsed) {
      const { id, crashes } = parsed
      return move(join(folder, name), join(this.#spool.new, `${id}~${crashes + 1}`)) ? 1 : 0
    }
    setAside(join(folder, name), basename(name), this.#spool, Date.now())
    return 0
  }
}

/** @returns false when it is not there (any more) */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** An owner that lives is never robbed, however long it takes; one that cannot be seen, after its lease. */
function isAbandoned(folder: string, token: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return false
  const owner = parseOwner(token)
  const liveness = owner ? livenessOf(owner) : 'dead'
  if (liveness === 'alive' || liveness === 'dead') return liveness === 'dead'
  return Math.abs(Date.now() - stat.mtimeMs) > LEASE_MS
}
