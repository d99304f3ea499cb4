import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FileTally, type SavedTally } from './file-tally.ts'

const FORMAT = 'hookbell-tally 1'

/** What a file of the journal said up to an offset. Such files are only appended to. */
export interface TallyTo {
  offset: number
  /** The last bytes before it, so that another file with the same number is not taken for it. */
  before: string
  tally: FileTally
}

export function savedPath(stateDir: string, inode: number): string {
  return join(stateDir, 'cache', `journal-${inode}.json`)
}

/** @returns undefined where there is none, or none of use */
export function readSavedTally(path: string): TallyTo | undefined {
  try {
    const saved: SavedTally & Omit<TallyTo, 'tally'> & { format: string } = JSON.parse(
      readFileSync(path, 'utf8'),
    )
    const { format, offset, before } = saved
    if (format !== FORMAT || !Number.isSafeInteger(offset) || typeof before !== 'string') {
      return undefined
    }
    return { offset, before, tally: FileTally.restore(saved) }
  } catch {
    return undefined
  }
}

/** Best effort: without it the journal is read again. */
export function saveTally(path: string, { offset, before, tally }: TallyTo) {
  const tmpPath = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { mode: 0o700, recursive: true })
    const text = JSON.stringify({ format: FORMAT, offset, before, ...tally.save() })
    writeFileSync(tmpPath, text, { mode: 0o600, flag: 'wx' })
    renameSync(tmpPath, path)
  } catch {
    rmSync(tmpPath, { force: true })
  }
}
