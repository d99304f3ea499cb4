import { setTimeout as sleep } from 'node:timers/promises'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { redactStart } from '../text/redact/redact.ts'
import type { JournalEntry } from './entry.ts'
import { appendEntry } from './write.ts'

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
