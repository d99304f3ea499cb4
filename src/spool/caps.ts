import { type Dirent, lstatSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { readCardQuietly } from './card.ts'
import { parseName, type Spool, SWEEP_TMP_AFTER_MS } from './layout.ts'

interface Caps {
  /** Bytes and files that dead/ and corrupt/ may hold, each. */
  maxBytes: number
  maxFiles: number
  /** Free bytes to keep on the disk: with less, the oldest files are removed, whatever the caps are. */
  reserveBytes: number
}

const defaultCaps: Caps = {
  maxBytes: 64 * 1024 * 1024,
  maxFiles: 10_000,
  reserveBytes: 64 * 1024 * 1024,
}

interface Kept {
  path: string
  name: string
  bytes: number
  at: number
}

/** A file that is about to be removed. */
export interface Removal {
  folder: 'dead' | 'corrupt'
  name: string
  /** Ids of the events concerned; none for damaged and foreign files. */
  events: readonly string[]
  /** The channel of a delivery; absent for a whole event. */
  channel?: string
  reason: string
}

/**
 * Keeps dead/ and corrupt/ within their caps. The oldest files are removed first, each after `tell` was called with
 * it. @returns how many files were removed
 */
export async function enforceCaps(
  spool: Spool,
  tell: (removal: Removal) => Promise<void>,
  caps: Caps = defaultCaps,
  freeBytes: () => number = () => freeBytesOf(spool),
): Promise<number> {
  let count = 0
  for (const folder of ['corrupt', 'dead'] as const) {
    const kept = listKept(spool[folder]).sort((a, b) => a.at - b.at)
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0)
    for (const [index, one] of kept.entries()) {
      const reason = whyRemove(kept.length - index, bytes, freeBytes(), caps)
      if (!reason) break
      const concerned = folder === 'dead' ? contentOf(one) : { events: [] }
      await tell({ folder, name: one.name, ...concerned, reason })
      rmSync(one.path, { recursive: true, force: true })
      bytes -= one.bytes
      count += 1
    }
  }
  return count
}

function whyRemove(files: number, bytes: number, free: number, caps: Caps): string | undefined {
  if (files > caps.maxFiles) return `more than ${caps.maxFiles} files were kept`
  if (bytes > caps.maxBytes) return `more than ${inMiB(caps.maxBytes)} were kept`
  if (free < caps.reserveBytes) return `less than ${inMiB(caps.reserveBytes)} of the disk were free`
  return undefined
}

function inMiB(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`
}

function listKept(folder: string): Kept[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry: Dirent) => {
    const path = join(folder, entry.name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat ? { path, name: entry.name, bytes: stat.size, at: stat.mtimeMs } : []
  })
}

function contentOf({ path, name }: Kept): Pick<Removal, 'events' | 'channel'> {
  const parsed = parseName(name)
  if (!parsed) return { events: [] }
  const [channel] = (parsed.isCard && readCardQuietly(path)?.keys()) || []
  return { events: [parsed.id], ...(channel && { channel }) }
}

/** The free bytes on the disk of the spool; infinite where that cannot be found out. */
export function freeBytesOf({ dead }: Spool): number {
  try {
    const { bavail, bsize } = statfsSync(dead)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Removes half-written files of writers that are long gone. */
export function sweep(spool: Spool, now: number) {
  removeOlder(spool.tmp, SWEEP_TMP_AFTER_MS, now)
}

function removeOlder(folder: string, ageMs: number, now: number) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && now - stat.mtimeMs > ageMs) rmSync(path, { recursive: true, force: true })
  }
}
