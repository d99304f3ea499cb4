import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { exists, isMissing } from '../fs/missing.ts'
import { renameFile } from '../fs/rename.ts'
import type { Spool } from './layout.ts'

// A full disk allows no new folder, but a rename. So spare/ is a cur/ in reserve, and the folder in it one for a worker.

/** Makes what is missing of the reserve, if there is room. */
export function makeSpare(spool: Spool) {
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
