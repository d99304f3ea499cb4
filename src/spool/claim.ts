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
import { isOutOfRoom } from '../fs/durable.ts'
import type { Spool } from './layout.ts'
import { formatName, type ParsedName, parseName, setAside } from './names.ts'
import { LEASE_MS, livenessOf, ownerToken, parseOwner, thisProcess } from './owner.ts'

/** A file that this process alone may handle: an event, or a parked delivery. */
export interface Claim extends ParsedName {
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
    this.#makeFolder()
  }

  /** @returns undefined when another worker was faster */
  take(folder: string, name: string): Claim | undefined {
    const parsed = parseName(name) ?? { id: '', crashes: 0, isDelivery: false }
    const claim = { ...parsed, from: join(folder, name), path: join(this.#folder, name) }
    if (move(claim.from, claim.path)) return claim
    // After a long stop, others may have taken this worker for dead, and its folder away.
    if (existsSync(this.#folder)) return undefined
    this.#makeFolder()
    return move(claim.from, claim.path) ? claim : undefined
  }

  /** Of an event that this process accepts itself: it is claimed from the start. */
  pathFor(id: string): Claim {
    const path = join(this.#folder, id)
    return { id, crashes: 0, isDelivery: false, path, from: join(this.#spool.new, id) }
  }

  /** Nothing could be done with it now: it goes back to where it was, with a mark where a worker has begun it. */
  release(claim: Claim, isBegun = false) {
    if (!isBegun) return void move(claim.path, claim.from)
    move(claim.path, join(this.#folderOf(claim), formatName(claim, claim.crashes)))
  }

  /** Puts back what dead workers had claimed. @returns how many events */
  reclaimAbandoned(): number {
    let count = 0
    for (const token of readdirSync(this.#spool.cur)) {
      const folder = join(this.#spool.cur, token)
      if (folder === this.#folder || !isAbandoned(folder, token)) continue
      try {
        const isCrash = !isOfOtherBoot(token)
        for (const name of readdirSync(folder)) count += this.#takeFrom(folder, name, isCrash)
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
  releaseAll() {
    if (!existsSync(this.#folder)) return
    for (const name of readdirSync(this.#folder)) {
      const parsed = parseName(name) ?? { id: name, crashes: 0, isDelivery: false }
      // With `~`, so that the next worker asks the journal what was delivered.
      move(
        join(this.#folder, name),
        join(this.#folderOf(parsed), formatName(parsed, parsed.crashes)),
      )
    }
    this.close()
  }

  /** After the last event. */
  close() {
    try {
      rmdirSync(this.#folder)
      mkdirSync(spareFolder(this.#spool), { mode: 0o700 })
    } catch {
      // Something is still in it, so whoever comes next takes over; or there is a spare one already.
    }
  }

  #makeFolder() {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    } catch (error) {
      // A full disk makes no folder, but it renames one: the receivers may be in good health.
      if (!isOutOfRoom(error)) throw error
      renameSync(spareFolder(this.#spool), this.#folder)
    }
  }

  #takeFrom(folder: string, name: string, isCrash: boolean): number {
    const parsed = parseName(name)
    if (parsed) {
      const to = formatName(parsed, parsed.crashes + (isCrash ? 1 : 0))
      return move(join(folder, name), join(this.#folderOf(parsed), to)) ? 1 : 0
    }
    setAside(join(folder, name), basename(name), this.#spool, Date.now())
    return 0
  }

  #folderOf({ isDelivery }: ParsedName): string {
    return isDelivery ? this.#spool.deferred : this.#spool.new
  }
}

/** For the next worker that finds the disk full. */
function spareFolder({ state }: Spool): string {
  return join(state, 'spool', 'spare')
}

/** A machine that went down took every worker with it: that says nothing against what they held. */
function isOfOtherBoot(token: string): boolean {
  const boot = parseOwner(token)?.boot
  return boot !== undefined && boot !== '-' && boot !== thisProcess().boot
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
