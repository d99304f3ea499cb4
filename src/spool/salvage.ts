import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../fs/durable.ts'
import { isObject } from '../is-object.ts'
import { parseSpoolFile, readSpoolFile } from './event-file.ts'
import { parseName, type Spool } from './layout.ts'

/** Longer than a client lets a hook run, so that none is still writing: see TIMEOUT_MS in install/hook-command.ts. */
const SALVAGE_AFTER_MS = 30_000

/**
 * Accepts the events that a killed front door had written in full but not yet moved to new/. Half-written ones stay
 * and are swept later. @returns how many events
 */
export function salvage(spool: Spool, now: number): number {
  const names = readdirSync(spool.tmp).filter((name) => parseName(name))
  const count = names.filter((name) => salvageOne(spool, name, now)).length
  if (count > 0) syncFolder(spool.new)
  return count
}

/** Milliseconds until `salvage` may accept an event that is written in full; undefined if there is none. */
export function nextSalvageInMs(spool: Spool, now: number): number | undefined {
  const ages = readdirSync(spool.tmp).flatMap((name) => ageOfWhole(spool, name, now) ?? [])
  // Those that are older could not be moved.
  const young = ages.filter((age) => age >= 0 && age < SALVAGE_AFTER_MS)
  return young.length > 0 ? SALVAGE_AFTER_MS - Math.max(...young) : undefined
}

function ageOfWhole(spool: Spool, name: string, now: number): number | undefined {
  if (!parseName(name)) return undefined
  try {
    const file = readSpoolFile(join(spool.tmp, name))
    return 'bytes' in file && isWhole(file.bytes) ? now - file.writtenAt : undefined
  } catch {
    // It is in new/ by now, or cannot be read.
    return undefined
  }
}

function salvageOne(spool: Spool, name: string, now: number): boolean {
  const [from, to] = [join(spool.tmp, name), join(spool.new, name)]
  try {
    const file = readSpoolFile(from)
    if ('foreign' in file || now - file.writtenAt < SALVAGE_AFTER_MS) return false
    if (!isWhole(file.bytes) || existsSync(to)) return false
    sync(from)
    renameSync(from, to)
    return true
  } catch {
    // Another worker was faster, or it cannot be read or moved now.
    return false
  }
}

/** An event that was cut off, because its writer was killed or at the maximum size, is not a complete JSON value. */
function isWhole(bytes: Buffer): boolean {
  const parsed = parseSpoolFile(bytes)
  if (!parsed) return false
  try {
    return isObject(JSON.parse(parsed.body.toString()))
  } catch {
    return false
  }
}

/**
 * Syncs the waiting events to the disk. Where the command `sync` accepts no file (macOS), the sh front door leaves
 * that to the worker. @returns how many files
 */
export function syncWaiting(spool: Spool): number {
  const names = readdirSync(spool.new)
  const count = names.filter((name) => syncIfThere(join(spool.new, name))).length
  if (count > 0) syncFolder(spool.new)
  return count
}

function syncIfThere(path: string): boolean {
  try {
    sync(path)
    return true
  } catch {
    // Another worker has claimed it meanwhile, or no front door wrote it.
    return false
  }
}

function sync(path: string) {
  const { O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
