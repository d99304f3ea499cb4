import type { EnrichedEvent } from '../context/enrich.ts'
import type { Clearance } from '../delivery.ts'
import { type Block, blocksOf, inOrder } from '../event/answer-blocks.ts'
import { type Headline, headline } from '../event/headline.ts'
import { cleanText, cutMiddle, cutText, oneLine, startOf } from '../text/clean.ts'
import { redact, redactStart } from '../text/redact/redact.ts'
import { shortSession } from '../text/short-session.ts'
import type { Formatted } from './formatted.ts'
import { fromMarkdown, type ReadMarkdown } from './markdown.ts'

export const MAX_LINE = 200
/** The maximum length of a text, by clearance: whole messages, only what matters, or nothing. */
const MAX_TEXT = { full: 2000, summary: 600, minimal: 0 } as const
/** Of a longer answer only the start and the end are read. */
const MAX_ANSWER = 16 * 1024
const MAX_OPENING = 4 * 1024
const MAX_LISTED = 20

export interface ValueDeps {
  secrets: readonly string[]
  /** The name of this machine. */
  host: string
  /** Absent if no text has Markdown. */
  read?: ReadMarkdown | undefined
}

/** The source of template values: an event, with its texts truncated and redacted. */
export class Source {
  readonly event: EnrichedEvent
  readonly clearance: Clearance
  readonly deps: ValueDeps
  #said: Headline | undefined
  #redacted: string | undefined

  constructor(event: EnrichedEvent, clearance: Clearance, deps: ValueDeps) {
    this.event = event
    this.clearance = clearance
    this.deps = deps
  }

  /** The maximum length of a text. */
  get maxText(): number {
    return MAX_TEXT[this.clearance]
  }

  get isFull(): boolean {
    return this.clearance === 'full'
  }

  /** The headline of the agent's answer. */
  get said(): Headline {
    this.#said ??= headline(this.#answer)
    return this.#said
  }

  /** What the headline of an answer lacks. */
  get rest(): string {
    const blocks = blocksOf(this.said.rest)
    if (this.isFull) return inOrder(blocks, this.maxText)
    if (!this.said.isQuestion) return ''
    return inOrder(blocks.filter(isSpoken), this.maxText - this.said.text.length)
  }

  /** The whole answer in its order. */
  get lastMessage(): string {
    if (this.isFull) return inOrder(blocksOf(this.#answer), this.maxText)
    const { text, isQuestion } = this.said
    return isQuestion ? [this.rest, text].filter(Boolean).join('\n\n') : text
  }

  get #answer(): string {
    this.#redacted ??= redact(bothEndsOf(cleanText(this.event.lastMessage)), this.deps.secrets)
    return this.#redacted
  }

  get session(): string {
    return shortSession(this.line(this.event.sessionId))
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

  /** The start and the end of a command: what follows the last `&&` may be what matters. */
  command(value: string): string {
    return cutMiddle(redact(cleanText(value), this.deps.secrets).trim(), this.maxText)
  }

  formatted(markdown: string): Formatted {
    return fromMarkdown(markdown, this.deps.read, this.deps.secrets)
  }
}

/** Cut between words: a key that is cut in half would not be recognized. Code that the cut leaves open ends there. */
function bothEndsOf(text: string): string {
  if (text.length <= MAX_ANSWER) return text
  const opening = startOf(text, MAX_OPENING)
  const start = /\s/.test(opening) ? opening : ''
  const isOpen = (start.match(/^\s*(`{3,}|~{3,})/gm) ?? []).length % 2 === 1
  const end = text.slice(MAX_OPENING - MAX_ANSWER)
  const words = end.slice(end.search(/\s/) + 1).toWellFormed()
  return `${start}${isOpen ? '\n```' : ''}\n\n${words}`.trimStart()
}

function isSpoken({ type }: Block): boolean {
  return type !== 'code'
}
