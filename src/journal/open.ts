import { parseEntry } from './entry.ts'
import { journalFiles } from './files.ts'
import { EventHistory } from './history.ts'
import { hashOf } from './id-table.ts'
import { closeFiles, type OpenFile, openFiles } from './open-file.ts'
import { decodeBytes } from './outline.ts'
import { idIn } from './read.ts'
import { type SaveAfter, SavedTallies } from './saved-tally.ts'
import { type Segment, segmentOf } from './segment.ts'
import { eachLine, readStretches } from './stretches.ts'
import { Tally } from './tally.ts'

/**
 * The journal as it was when it was opened, for a short-lived command. Calls are synchronous, since the promises of
 * node:fs cost such a command a tenth of its time.
 */
export class OpenJournal {
  readonly #saved: SavedTallies
  readonly #files: OpenFile[]
  readonly #segments = new Map<OpenFile, readonly Segment[]>()

  /** @throws if a file exists and cannot be read: a person must not be told that the journal is empty */
  constructor(stateDir: string, saveAfter?: SaveAfter) {
    this.#saved = new SavedTallies(stateDir, saveAfter)
    this.#files = openFiles(journalFiles(stateDir))
  }

  /** The outcomes of all events, without texts. What the saved tallies count is not read again. */
  tally(): Tally {
    for (const file of this.#files) {
      this.#segments.set(file, segmentsOf(file, this.#saved))
    }
    // Listing the folder takes time, and files go only when others grow.
    if (this.#saved.hasSaved) this.#saved.forgetAllBut(this.#files.map(({ inode }) => inode))
    return new Tally([...this.#segments.values()].flat())
  }

  /** The full status of some events, read from the first line about one of them on. Call it after `tally`. */
  read(ids: ReadonlySet<string>): EventHistory {
    const history = new EventHistory()
    const hashes = new Set(Array.from(ids, hashOf))
    for (const file of this.#files) {
      for (const segment of this.#segments.get(file) ?? []) {
        const from = firstOf(segment, ids, hashes)
        if (from !== undefined) readFrom(from, segment.end, file, ids, history)
      }
    }
    return history
  }

  close() {
    closeFiles(this.#files.splice(0))
  }
}

/** The saved segments of a file, and those of the lines added since. */
function segmentsOf(file: OpenFile, saved: SavedTallies): Segment[] {
  const segments = saved.read(file)
  const from = segments.at(-1)?.end ?? 0
  let whole = from
  for (const stretch of readStretches(file.fd, from, file.size)) {
    const segment = segmentOf(stretch)
    segments.push(segment)
    if (stretch.text.endsWith('\n')) whole = segment.end
  }
  if (saved.isWorthSaving(from, whole)) {
    const complete = segments.filter(({ end }) => end <= whole)
    saved.save(file, complete)
  }
  return segments
}

/** The offset in the file of the first line about one of the wanted ids; undefined if there is none. */
function firstOf(
  { ids, hashes, offsets, start }: Segment,
  wanted: ReadonlySet<string>,
  wantedHashes: ReadonlySet<number>,
): number | undefined {
  // The ids are in the order of their first lines.
  const index = hashes.findIndex(
    (hash, at) => wantedHashes.has(hash) && wanted.has(ids.list[at] ?? ''),
  )
  return index < 0 ? undefined : start + (offsets[index] ?? 0)
}

/** Adds the entries of the given events to the history. Lines about other events are not parsed. */
function readFrom(
  from: number,
  to: number,
  { fd }: OpenFile,
  ids: ReadonlySet<string>,
  history: EventHistory,
) {
  for (const { text } of readStretches(fd, from, to)) {
    const lines = text.endsWith('\n') ? text : `${text}\n`
    eachLine(lines, (start, end) => {
      const line = lines.slice(start, end)
      if (!ids.has(idIn(line))) return
      const entry = parseEntry(decodeBytes(line))
      if (entry && ids.has(entry.id)) history.add(entry)
    })
  }
}
