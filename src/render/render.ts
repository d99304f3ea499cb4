import type { EnrichedEvent } from '../context/enrich.ts'
import { describeError } from '../errors.ts'
import type { Message, Notifier, Urgency } from '../notifiers/define.ts'
import { redact } from '../redact.ts'
import { cleanText, cutText, oneLine } from '../text.ts'
import { formatDuration } from './duration.ts'
import { type Format, fill } from './engine.ts'
import type { Templates } from './templates.ts'

const MAX_TITLE = 120
const MAX_BODY = 3000
const MAX_FIELD = 2000

/** Fills the templates for one event. A broken template of the user is named in `problems` and ours is used. */
export class Renderer {
  readonly #templates: Templates
  readonly #secrets: readonly string[]
  readonly #values: ReturnType<typeof valuesOf>
  readonly #event: EnrichedEvent
  readonly problems: string[] = []
  readonly title: string
  readonly body: string

  constructor(templates: Templates, event: EnrichedEvent, secrets: readonly string[]) {
    this.#templates = templates
    this.#event = event
    this.#secrets = secrets
    this.#values = valuesOf(event, secrets)
    const [title = '', ...body] = this.#fill('plain').split('\n')
    this.title = cutText(oneLine(title), MAX_TITLE) || 'hookbell'
    this.body = cutText(tidy(body.join('\n')), MAX_BODY)
  }

  message(urgency: Urgency, markup: Notifier['markup']): Message {
    const { id, name, kind, sessionId, cwd, client, at } = this.#event
    return {
      id,
      event: name,
      kind,
      urgency,
      title: this.title,
      body: this.body,
      markup: markup ? tidy(this.#fill(markup)) : '',
      sessionId: redact(oneLine(sessionId).slice(0, 200), this.#secrets),
      cwd: redact(oneLine(cwd).slice(0, 4096), this.#secrets),
      client,
      at: new Date(at).toISOString(),
    }
  }

  #fill(format: Format): string {
    const { kind } = this.#event
    const own = this.#templates.own(format, kind)
    if (own !== undefined) {
      try {
        return fill(format, own, this.#values)
      } catch (error) {
        this.problems.push(`template ${format}/${kind}.liquid: ${oneLine(describeError(error))}`)
      }
    }
    return fill(format, this.#templates.builtIn(format, kind), this.#values)
  }
}

/** All that a template can see: text, bounded and free of secrets and control characters. */
function valuesOf(event: EnrichedEvent, secrets: readonly string[]) {
  const line = (text: string) => cutText(redact(oneLine(text), secrets), 200)
  const text = (value: string) => cutText(redact(cleanText(value), secrets).trim(), MAX_FIELD)
  return {
    project: line(event.project) || event.client,
    client: event.client,
    event: line(event.name),
    kind: event.kind,
    message: text(event.message),
    last_message: text(event.lastMessage),
    notification_type: line(event.notificationType),
    reason: line(event.reason),
    tool: line(event.tool),
    agent: line(event.agent),
    duration: event.durationMs === undefined ? '' : formatDuration(event.durationMs),
    cwd: line(event.cwd),
    session: line(event.sessionId).slice(0, 8),
    time: new Date(event.at).toISOString().slice(11, 19),
    problem: line(event.problems.join('; ')),
  }
}

/** Conditions in templates leave empty lines behind. */
function tidy(text: string): string {
  return text.replace(/\n{3,}/g, '\n\n').trim()
}
