import type { CurrentConfig } from '../config/current.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { appendEntry } from '../journal/write.ts'
import { cutText, oneLine } from '../text/clean.ts'
import { redact } from '../text/redact.ts'

const MAX_TEXT = 300

/** Writes to the journal. What could not be written (a full disk) is kept and written first the next time. */
export class Recorder {
  readonly #state: string
  readonly #config: CurrentConfig
  readonly #onRecord: ((entry: JournalEntry) => void) | undefined
  #unwritten: JournalEntry[] = []

  constructor(state: string, config: CurrentConfig, onRecord?: (entry: JournalEntry) => void) {
    this.#state = state
    this.#config = config
    this.#onRecord = onRecord
  }

  /** @throws the system error; the entry is not lost then */
  async record(entry: JournalEntry): Promise<void> {
    const clean = cleanRecord(entry, this.#config.last.secrets)
    await this.#write([...this.#unwritten.splice(0), clean])
    this.#onRecord?.(clean)
  }

  async flush(): Promise<void> {
    if (this.#unwritten.length > 0) await this.#write(this.#unwritten.splice(0))
  }

  async #write(entries: JournalEntry[]): Promise<void> {
    const results = await Promise.allSettled(
      entries.map((entry) => appendEntry(this.#state, entry)),
    )
    const failed = entries.filter((_, index) => results[index]?.status === 'rejected')
    this.#unwritten.push(...failed)
    const reason = results.find((result) => result.status === 'rejected')
    if (reason) throw reason.reason
  }
}

/** Free text in one line, bounded, without secrets and control characters. The rest is ours. */
function cleanRecord(entry: JournalEntry, secrets: readonly string[]): JournalEntry {
  const clean = (text: string) => cutText(redact(oneLine(text), secrets), MAX_TEXT)
  if (entry.type === 'accepted') {
    const { event, sessionId, project, title, problems } = entry
    const texts = { event, sessionId, project, title }
    for (const [name, text] of Object.entries(texts)) Object.assign(texts, { [name]: clean(text) })
    return { ...entry, ...texts, ...(problems && { problems: problems.map(clean) }) }
  }
  if ('reason' in entry) return { ...entry, reason: clean(entry.reason) }
  return 'answer' in entry ? { ...entry, answer: clean(entry.answer) } : entry
}
