import type { EnrichedEvent } from '../context/enrich.ts'
import type { Message, Urgency } from '../delivery.ts'
import { describeError } from '../errors.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { redact } from '../text/redact.ts'
import { formatDuration } from './duration.ts'
import { type Format, fill, formats } from './engine.ts'
import type { Templates } from './templates.ts'

const MAX_TITLE = 120
const MAX_BODY = 3000
const MAX_FIELD = 2000

/** Fills the templates for one event. A broken template of the user is named in `problems` and ours is used. */
export class Renderer {
  readonly #templates: Templates
  readonly #secrets: readonly string[]
  readonly #values: Values
  readonly #event: EnrichedEvent
  readonly #filled = new Map<Format, string>()
  readonly problems: string[] = []
  readonly title: string
  readonly body: string

  constructor(templates: Templates, event: EnrichedEvent, secrets: readonly string[]) {
    this.#templates = templates
    this.#event = event
    this.#secrets = secrets
    this.#values = valuesOf(event, secrets)
    const [title = '', ...body] = cleanText(this.#fill('plain')).split('\n')
    this.title = cutText(oneLine(title), MAX_TITLE) || 'hookbell'
    this.body = cutText(tidy(body.join('\n')), MAX_BODY)
    // A broken template is to be known before the event is recorded, whichever channel would use it.
    for (const format of formats) {
      const own = format === 'plain' ? undefined : this.#fillOwn(format)
      if (own !== undefined) this.#filled.set(format, own)
    }
  }

  message(urgency: Urgency, markup: Format | undefined): Message {
    const { id, kind, sessionId, cwd, client, at } = this.#event
    return {
      id,
      event: this.#values.event,
      kind,
      urgency,
      title: this.title,
      body: this.body,
      markup: markup ? tidy(this.#fill(markup)) : '',
      sessionId: this.#field(sessionId, 200),
      cwd: this.#field(cwd, 4096),
      client,
      at: new Date(at).toISOString(),
    }
  }

  /** Once per format, however many channels ask. */
  #fill(format: Format): string {
    const text = this.#filled.get(format) ?? this.#fillOwn(format) ?? this.#fillBuiltIn(format)
    this.#filled.set(format, text)
    return text
  }

  #fillOwn(format: Format): string | undefined {
    const { kind } = this.#event
    try {
      const own = this.#templates.own(format, kind)
      return own === undefined ? undefined : fill(format, own, this.#values)
    } catch (error) {
      this.problems.push(`template ${format}/${kind}.liquid: ${oneLine(describeError(error))}`)
      return undefined
    }
  }

  #fillBuiltIn(format: Format): string {
    const { kind } = this.#event
    try {
      return fill(format, this.#templates.builtIn(format, kind), this.#values)
    } catch (error) {
      // The package is gone, or the machine slept in the middle and the time for rendering is over.
      this.problems.push(oneLine(describeError(error)))
      const { project, event, message } = this.#values
      return format === 'plain' ? `${project}: ${event}\n${message}` : ''
    }
  }

  #field(value: string, max: number): string {
    return redact(oneLine(value), this.#secrets).slice(0, max).toWellFormed()
  }
}

/** All that a template can see. */
export const valueNames = [
  'project',
  'client',
  'event',
  'kind',
  'message',
  'last_message',
  'prompt',
  'notification_type',
  'reason',
  'tool',
  'agent',
  'background',
  'duration',
  'cwd',
  'session',
  'time',
  'problem',
] as const

type Values = Record<(typeof valueNames)[number], string>

/** Text, bounded and free of secrets and control characters. */
function valuesOf(event: EnrichedEvent, secrets: readonly string[]): Values {
  const line = (text: string) => cutText(redact(oneLine(text), secrets), 200)
  const text = (value: string) => cutText(redact(cleanText(value), secrets).trim(), MAX_FIELD)
  return {
    project: line(event.project) || event.client,
    client: event.client,
    event: line(event.name),
    kind: event.kind,
    message: text(event.message),
    last_message: text(event.lastMessage),
    prompt: text(event.prompt),
    notification_type: line(event.notificationType),
    reason: line(event.reason),
    tool: line(event.tool),
    agent: line(event.agent),
    background: tasks(event.backgroundTasks),
    duration: event.durationMs === undefined ? '' : formatDuration(event.durationMs),
    cwd: line(event.cwd),
    session: line(event.sessionId).slice(0, 8).toWellFormed(),
    time: new Date(event.at).toISOString().slice(11, 19),
    problem: line(event.problems.join('; ')),
  }
}

function tasks(count: number): string {
  if (count === 0) return ''
  return count === 1 ? '1 task' : `${count} tasks`
}

/** Conditions in templates leave empty lines behind. */
function tidy(text: string): string {
  return text.replace(/\n{3,}/g, '\n\n').trim()
}
