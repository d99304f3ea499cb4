import { closeSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listQuietly } from '../fs/read.ts'
import { currentFile } from '../journal/files.ts'
import { openFile, visitLines } from '../journal/read.ts'
import { eventFolders, spoolIn } from '../spool/layout.ts'

const LIMIT_MS = 5000
/** How much of the journal's end is read: the newest entries are there. */
const TAIL_BYTES = 256 * 1024

/** Whether an event that contains `mark` was stored: it waits in one of the folders, or is in its journal. */
export async function hasArrived(
  mark: string,
  { folders, since }: { folders: readonly string[]; since: number },
  limitMs = LIMIT_MS,
): Promise<boolean> {
  // A worker may move it from one folder to the next while they are read, so a single look is not enough.
  for (let waited = 0; waited <= limitMs; waited += 100) {
    if (folders.some((folder) => waits(mark, folder, since) || isRecorded(mark, folder)))
      return true
    await sleep(100)
  }
  return false
}

function waits(mark: string, folder: string, since: number): boolean {
  return eventFolders(spoolIn(folder)).some((place) =>
    listQuietly(place).some(
      (name) => isNew(join(place, name), since) && holds(join(place, name), mark),
    ),
  )
}

/** File systems round times, some to two seconds. */
function isNew(path: string, since: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.mtimeMs >= since - 2000
}

function holds(path: string, mark: string): boolean {
  try {
    return readFileSync(path, 'latin1').includes(mark)
  } catch {
    return false
  }
}

function isRecorded(mark: string, folder: string): boolean {
  try {
    const file = openFile(currentFile(folder))
    if (!file) return false
    try {
      let isFound = false
      const look = (line: string) => {
        isFound ||= line.includes(mark)
      }
      look(visitLines(file, Math.max(0, file.size - TAIL_BYTES), look))
      return isFound
    } finally {
      closeSync(file.fd)
    }
  } catch {
    return false
  }
}
