import { renameSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { appendLine } from '../fs/append.ts'
import { replaceFile } from '../fs/durable.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { redactStart } from '../text/redact/redact.ts'
import type { JournalEntry } from './entry.ts'
import { currentFile, journalFiles } from './files.ts'
import { idIn, readLines } from './read.ts'

const ROTATE_AT_BYTES = 4 * 1024 * 1024

const MAX_LINE = 300
const MAX_TEXT = 1000
/** How long to wait for an entry where work goes on without it: the disk may be full for hours. */
export const RECORD_LIMIT_MS = 1000
const MIN_PAUSE_MS = 500
const MAX_PAUSE_MS = 60_000
const LOOK_MS = 10

interface JournalOptions {
  stateDir: string
  /** Values that must not be written. */
  secrets(): readonly string[]
  /** Called with each entry once it is on the disk. */
  onEntry?: ((entry: JournalEntry) => void) | undefined
}

/**
 * Records what becomes of each event. A disk that cannot be written stops no delivery: entries are kept in memory and
 * retried until they are written.
 */
export class Journal {
  readonly #options: JournalOptions
  readonly #unwritten = new Set<JournalEntry>()
  /** Why the last attempt to write failed; undefined while all is well. */
  failure: unknown

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** How many entries are not on the disk yet. */
  get pending(): number {
    return this.#unwritten.size
  }

  /** Resolves when no entry waits for the disk, or the last attempt to write failed. */
  async written(): Promise<void> {
    while (this.pending > 0 && this.failure === undefined) await sleep(LOOK_MS)
  }

  /** Resolves once the entry is on the disk, however long that takes. Never rejects. */
  async append(entry: JournalEntry): Promise<void> {
    const clean = cleanEntry(entry, this.#options.secrets())
    this.#unwritten.add(clean)
    for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        await appendEntry(this.#options.stateDir, clean)
        break
      } catch (error) {
        this.failure = error
      }
      // This does not keep the process alive: what is not recorded is sent again later, with the same id.
      await sleep(pauseMs, undefined, { ref: false })
    }
    this.failure = undefined
    this.#unwritten.delete(clean)
    this.#options.onEntry?.(clean)
  }
}

/** Entries that are clean already. */
const cleaned = new WeakSet<JournalEntry>()

/** Bounds free text and removes secrets and control characters. Other fields are written by hookbell itself. */
export function cleanEntry<Entry extends JournalEntry>(
  entry: Entry,
  secrets: readonly string[],
): Entry {
  if (cleaned.has(entry)) return entry
  const clean = withCleanTexts(entry, secrets)
  cleaned.add(clean)
  return clean as Entry
}

function withCleanTexts(entry: JournalEntry, secrets: readonly string[]): JournalEntry {
  const line = (text: string) => cutText(redactStart(oneLine(text), MAX_LINE, secrets), MAX_LINE)
  if (entry.type === 'accepted') {
    const { event, sessionId, project, title, text, problems, facts, trace } = entry
    return {
      ...entry,
      event: line(event),
      sessionId: line(sessionId),
      project: line(project),
      title: line(title),
      ...(text !== undefined && {
        text: cutText(redactStart(cleanText(text), MAX_TEXT, secrets), MAX_TEXT),
      }),
      ...(problems && { problems: problems.map(line) }),
      ...(facts && { facts: mapTexts(facts, line) }),
      ...(trace && { trace: trace.map((step) => ({ ...step, because: line(step.because) })) }),
    }
  }
  if (entry.type === 'undelivered') {
    const { reason, text } = entry
    return { ...entry, reason: line(reason), ...(text !== undefined && { text: line(text) }) }
  }
  if ('reason' in entry && entry.reason !== undefined) {
    return { ...entry, reason: line(entry.reason) } as JournalEntry
  }
  return 'answer' in entry && entry.answer !== undefined
    ? { ...entry, answer: line(entry.answer) }
    : entry
}

function mapTexts<Values extends object>(values: Values, change: (text: string) => string): Values {
  const changed = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? change(value) : value,
  ])
  return Object.fromEntries(changed)
}

/**
 * Resolves once the entry is on the disk; entries written at the same time share one fsync.
 * @throws the system error, also if there is no state folder: one that was removed must not come back with a late entry
 */
export async function appendEntry(state: string, entry: JournalEntry): Promise<void> {
  const line = `${JSON.stringify(entry)}\n`
  await appendLine(currentFile(state), line, { makesFolders: false })
}

/**
 * Rotates a journal file that has reached 4 MiB; only a few files are kept. Entries about events that are still open
 * are never lost. Only for the holder of the worker's lock.
 * @returns whether it rotated, so that a new file begins
 */
export async function rotateJournal(
  state: string,
  openIds: () => ReadonlySet<string>,
  limitBytes = ROTATE_AT_BYTES,
): Promise<boolean> {
  const size = statSync(currentFile(state), { throwIfNoEntry: false })?.size ?? 0
  if (size < limitBytes) return false
  const [open, ...files] = journalFiles(state)
  if (statSync(files[0] ?? '', { throwIfNoEntry: false })) {
    await keepOpen(open, files[0] ?? '', openIds())
  }
  for (const [at, to] of files.slice(0, -1).entries()) {
    const from = files[at + 1] ?? ''
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, to)
  }
  return true
}

async function keepOpen(open: string, oldest: string, ids: ReadonlySet<string>) {
  const kept: string[] = []
  for await (const line of readLines([open, oldest])) {
    if (ids.has(idIn(line))) kept.push(`${line}\n`)
  }
  replaceFile(open, kept.join(''))
}
