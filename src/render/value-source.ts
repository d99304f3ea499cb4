import type { EnrichedEvent } from '../context/enrich.ts'
import type { Clearance } from '../delivery.ts'
import { type Headline, headline } from '../event/headline.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { redact, redactStart } from '../text/redact.ts'
import type { Formatted } from './formatted.ts'
import { fromMarkdown, type ReadMarkdown } from './markdown.ts'

export const MAX_LINE = 200
/** Of a text, where whole messages are shown, and where only what matters is. */
const MAX_TEXT = { full: 2000, summary: 600, minimal: 0 } as const
/** Of a longer answer only the end is looked at for what matters. */
const MAX_ANSWER = 16 * 1024
const MAX_LISTED = 20

export interface ValueDeps {
  secrets: readonly string[]
  /** The name of this machine. */
  host: string
  /** Absent where no text has Markdown. */
  read?: ReadMarkdown | undefined
}

/** What the values of a template are made of: an event, with its texts bounded and without secrets. */
export class Source {
  readonly event: EnrichedEvent
  readonly clearance: Clearance
  readonly deps: ValueDeps
  #said: Headline | undefined

  constructor(event: EnrichedEvent, clearance: Clearance, deps: ValueDeps) {
    this.event = event
    this.clearance = clearance
    this.deps = deps
  }

  /** The longest that a text may be. */
  get maxText(): number {
    return MAX_TEXT[this.clearance]
  }

  get isFull(): boolean {
    return this.clearance === 'full'
  }

  /** What of a long answer matters. */
  get said(): Headline {
    this.#said ??= headline(redact(endOf(cleanText(this.event.lastMessage)), this.deps.secrets))
    return this.#said
  }

  get session(): string {
    return this.line(this.event.sessionId).slice(0, 8).toWellFormed()
  }

  line(text: string, max = MAX_LINE): string {
    return cutText(redactStart(oneLine(text), max, this.deps.secrets), max)
  }

  lines(list: readonly string[]): string {
    const more = list.length > MAX_LISTED ? [`and ${list.length - MAX_LISTED} more`] : []
    return [...list.slice(0, MAX_LISTED).map((one) => this.line(one)), ...more].join('\n')
  }

  text(value: string, max = this.maxText): string {
    return cutText(redactStart(cleanText(value), max, this.deps.secrets).trim(), max)
  }

  formatted(markdown: string): Formatted {
    return fromMarkdown(markdown, this.deps.read, this.deps.secrets)
  }
}

/** The last part of a long text, from the start of a word: half a key has no known shape. */
function endOf(text: string): string {
  if (text.length <= MAX_ANSWER) return text
  const end = text.slice(-MAX_ANSWER)
  return end.slice(end.search(/\s/) + 1).toWellFormed()
}
