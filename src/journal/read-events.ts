import { parseEntry } from './entry.ts'
import { journalFiles } from './files.ts'
import { EventHistory, type EventStatus, isAccepted } from './history.ts'
import { closeFiles, type OpenFile, openFiles } from './open-file.ts'
import { idIn, visitLines } from './read.ts'

const FIRST_BYTES = 128 * 1024
const GROWTH = 4

/** The status of each event whose id is meant. Lines about others are not parsed. */
export function readWhole(stateDir: string, isMeant: (id: string) => boolean): EventHistory {
  const files = openFiles(journalFiles(stateDir))
  try {
    return readFrom(files, 0, isMeant)
  } finally {
    closeFiles(files)
  }
}

/** The status of some events of which the journal has the acceptance. Reads no more of its end than that takes. */
export function readBack(stateDir: string, wanted: readonly EventStatus[]): EventHistory {
  if (wanted.length === 0) return new EventHistory()
  const ids = new Set(wanted.map(({ id }) => id))
  const files = openFiles(journalFiles(stateDir))
  try {
    const total = files.reduce((sum, { size }) => sum + size, 0)
    for (let bytes = FIRST_BYTES; ; bytes *= GROWTH) {
      const history = readFrom(files, Math.max(0, total - bytes), (id) => ids.has(id))
      const isFound = wanted.every((event) => isWhole(history.byId.get(event.id), event))
      if (isFound || bytes >= total) return history
    }
  } finally {
    closeFiles(files)
  }
}

/** A first attempt may be recorded before the acceptance. */
function isWhole(found: EventStatus | undefined, { channels }: EventStatus): boolean {
  return (
    found !== undefined &&
    isAccepted(found) &&
    Object.keys(channels).every((name) => found.channels[name])
  )
}

/** @param skip how many of the first bytes are not read */
function readFrom(
  files: readonly OpenFile[],
  skip: number,
  isMeant: (id: string) => boolean,
): EventHistory {
  const history = new EventHistory()
  const visit = (line: string) => {
    if (!isMeant(idIn(line))) return
    const entry = parseEntry(line)
    if (entry && isMeant(entry.id)) history.add(entry)
  }
  let start = -skip
  for (const file of files) {
    if (start + file.size > 0) visit(visitLines(file, Math.max(0, -start), visit))
    start += file.size
  }
  return history
}
