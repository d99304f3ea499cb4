import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
} from 'node:fs'
import { basename, join, sep } from 'node:path'
import { errorCode } from '../errors.ts'
import { isOutOfSpace, isRenamed, renameFile } from '../fs/durable.ts'
import { exists, isMissing, listQuietly } from '../fs/read.ts'
import { placeCard } from './card.ts'
import { formatName, type ParsedName, parseName, type Spool, setAside } from './layout.ts'
import { LEASE_MS, livenessOf, ownerToken, parseOwner, thisProcess } from './lock/owner.ts'

/** An event or a card whose file only this process may handle. */
export interface Claim extends ParsedName {
  path: string
  /** The path from which it was taken. */
  from: string
}

/** The files that only this process may handle. They are in its own folder, cur/<owner>/. */
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
    const parsed = parseName(name) ?? { id: '', crashes: 0, isCard: false }
    const claim = { ...parsed, from: `${folder}${sep}${name}`, path: this.#folder + sep + name }
    if (move(claim.from, claim.path)) return claim
    // After a long stop, another worker may have taken this one for dead and removed its folder.
    if (existsSync(this.#folder)) return undefined
    this.#makeFolder()
    return move(claim.from, claim.path) ? claim : undefined
  }

  /** The claim of an event or a card that this process makes itself, and that is claimed from the start. */
  pathFor(file: Omit<ParsedName, 'crashes'>): Claim {
    const name = formatName(file)
    const from = join(file.isCard ? this.#spool.cards : this.#spool.new, name)
    return { ...file, crashes: 0, path: join(this.#folder, name), from }
  }

  /**
   * Gives an event back unsettled. `isStarted`: marks the name, so that the next worker asks the journal about it.
   * @returns the name
   */
  release(claim: Claim, isStarted = false): string {
    // What is not an event has no id, and keeps its name.
    const to =
      isStarted && claim.id ? join(this.#spool.new, formatName(claim, claim.crashes)) : claim.from
    move(claim.path, to)
    return basename(to)
  }

  /** Removes a file, because all about it is settled. */
  remove({ path }: Claim) {
    try {
      unlinkSync(path)
    } catch (error) {
      // Another worker may have taken this one for dead and reclaimed the file.
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  /** Gives back what dead workers had claimed. @returns how many events and cards */
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
        // Another worker does the same, or a file cannot be moved: go on with the others.
        if (!errorCode(error)) throw error
      }
    }
    return count
  }

  /** Renews the lease, for those who cannot see whether this process lives. */
  touch() {
    const now = new Date()
    if (existsSync(this.#folder)) utimesSync(this.#folder, now, now)
  }

  /** Gives back all claims because this process must end, without counting that as a crash. */
  releaseAll() {
    if (!existsSync(this.#folder)) return
    for (const name of readdirSync(this.#folder)) {
      const parsed = parseName(name) ?? { id: name, crashes: 0, isCard: false }
      // The name gets a `~`, so that the next worker asks the journal what was delivered.
      this.#giveBack(join(this.#folder, name), parsed, parsed.crashes)
    }
    this.close()
  }

  /** Removes the empty folder, and leaves one in reserve. Call it after the last event. */
  close() {
    try {
      rmdirSync(this.#folder)
    } catch {
      // Claims are left, which the next worker takes over.
    }
    makeSpare(this.#spool)
  }

  #makeFolder() {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      makeSpare(this.#spool)
    } catch (error) {
      if (!isOutOfSpace(error) || !takeSpare(this.#spool, this.#folder)) throw error
    }
  }

  #takeFrom(folder: string, name: string, isCrash: boolean): number {
    const parsed = parseName(name)
    const path = join(folder, name)
    if (parsed) return this.#giveBack(path, parsed, parsed.crashes + (isCrash ? 1 : 0)) ? 1 : 0
    setAside(path, basename(name), this.#spool, Date.now())
    return 0
  }

  /** @returns false if it is not there any more */
  #giveBack(path: string, parsed: ParsedName, crashes: number): boolean {
    if (!parsed.isCard) return move(path, join(this.#spool.new, formatName(parsed, crashes)))
    try {
      // After a crash while the card was given back it has two names, and this one is over.
      if (this.#isInCards(path, parsed.id)) unlinkSync(path)
      else placeCard(path, this.#spool.cards, { id: parsed.id, crashes })
      return true
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /** Whether the card has a name in cards/ too. A backup may also have made a link to it. */
  #isInCards(path: string, id: string): boolean {
    const { ino, nlink } = lstatSync(path)
    if (nlink === 1) return false
    const names = listQuietly(this.#spool.cards).filter((name) => parseName(name)?.id === id)
    return names.some(
      (name) => lstatSync(join(this.#spool.cards, name), { throwIfNoEntry: false })?.ino === ino,
    )
  }
}

/** A reboot ends every worker, so it does not count as a crash that a claim may have caused. */
function isOfOtherBoot(token: string): boolean {
  const boot = parseOwner(token)?.boot
  return boot !== undefined && boot !== '-' && boot !== thisProcess().boot
}

/** @returns false if the file is not there (any more) */
function move(from: string, to: string): boolean {
  try {
    renameFile(from, to)
    return true
  } catch (error) {
    // Another worker was faster, or this one has it already.
    if (errorCode(error) === 'ENOENT') return false
    if (isRenamed(from, to, error)) return true
    throw error
  }
}

/** A live owner keeps its claims however long it takes; a stopped or invisible one, until its lease expires. */
function isAbandoned(folder: string, token: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return false
  const owner = parseOwner(token)
  const liveness = owner ? livenessOf(owner) : 'dead'
  if (liveness === 'alive' || liveness === 'dead') return liveness === 'dead'
  return Math.abs(Date.now() - stat.mtimeMs) > LEASE_MS
}

// A full disk allows no new folder, but a rename. So spare/ is a cur/ in reserve, and the folder in it one for a worker.

/** Makes what is missing of the reserve, if there is room. */
function makeSpare(spool: Spool) {
  const folder = forWorker(spareFolder(spool))
  try {
    if (isMissing(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // A full disk: the next worker tries again.
  }
}

/**
 * Gives a worker the folder in reserve as its own, and cur/ too if that is missing.
 * @returns false if there is none
 */
export function takeSpare(spool: Spool, folder: string): boolean {
  if (!hasSpare(spool)) return false
  const spare = spareFolder(spool)
  try {
    if (isMissing(spool.cur)) renameFile(spare, spool.cur)
    // The disk had no room for both folders, or an earlier version of hookbell made only one: spare/ itself.
    const found = [forWorker(spool.cur), forWorker(spare)].find(exists) ?? spare
    renameFile(found, folder)
    return true
  } catch {
    // Another process was faster.
    return false
  }
}

/** Whether a worker that finds the disk full has a folder in reserve. */
export function hasSpare(spool: Spool): boolean {
  return exists(isMissing(spool.cur) ? forWorker(spareFolder(spool)) : spareFolder(spool))
}

function spareFolder({ state }: Spool): string {
  return join(state, 'spool', 'spare')
}

function forWorker(folder: string): string {
  return join(folder, 'worker')
}
