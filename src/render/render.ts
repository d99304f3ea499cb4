import { findClient } from '../clients/index.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { Clearance, Message, Origin, Urgency } from '../delivery.ts'
import { describeError } from '../errors.ts'
import type { Kind } from '../event/event.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { redact, redactStart } from '../text/redact/redact.ts'
import { quoteWord } from '../text/shell.ts'
import { type Format, fill, formats, type Templates } from './templates.ts'
import { type ValueDeps, Values } from './values.ts'

/** Longer than any folder that a person types. What is longer could be cut on its way. */
const MAX_FOLDER = 120

const endings: readonly Kind[] = ['ended', 'abnormal-end']

/** After these the agent waits for its person, or is over. A question is answered where it is asked. */
const idleKinds: readonly Kind[] = ['done', 'waiting', 'failed', ...endings]

const MAX_TITLE = 120
const MAX_BODY = 3000

/** What a text depends on besides the event: how much its reader may see, and the template. */
interface Reader {
  clearance: Clearance
  /** The template that the route names. */
  template?: string | undefined
}

/** The properties of a channel that a message depends on. */
interface Channel extends Reader {
  /** The notifier's own format; absent where it has none. */
  markup?: Format | undefined
  /** Whether its messages are read on other machines. */
  leavesMachine?: boolean | undefined
}

/** For the journal on this machine. */
const here: Reader = { clearance: 'full' }

/** Renders the templates for one event. For a broken template of the user the built-in one is used: see `problems`. */
export class Renderer {
  readonly #templates: Templates
  readonly #deps: ValueDeps
  readonly #event: EnrichedEvent
  readonly #values = new Map<Clearance, Values>()
  readonly #filled = new Map<string, string>()
  readonly #problems = new Set<string>()
  /** Title and body as the journal keeps them. */
  readonly title: string
  readonly body: string

  constructor(templates: Templates, event: EnrichedEvent, deps: ValueDeps) {
    this.#templates = templates
    this.#event = event
    this.#deps = deps
    const { title, body } = this.#text(here)
    this.title = title
    this.body = body
    // All formats now, so that a broken template is in `problems` before the event is recorded.
    for (const format of formats) {
      if (format !== 'plain') this.#fillOwn(format, event.kind, here)
    }
  }

  get problems(): string[] {
    return [...this.#problems]
  }

  message(urgency: Urgency, channel: Channel): Message {
    const { id, kind, sessionId, cwd, client, at, asks, isHeadless } = this.#event
    return {
      id,
      event: String(this.#valuesFor(channel).get('event')),
      kind,
      urgency,
      ...this.#text(channel),
      markup: channel.markup ? tidy(this.#fill(channel.markup, channel)) : '',
      origin: this.#origin(channel),
      sessionId: this.#field(sessionId, 200),
      cwd: this.#field(cwd, 4096),
      client,
      at: new Date(at).toISOString(),
      // After a one-shot run nobody can answer.
      ...(asks && isHeadless !== true && { asks }),
    }
  }

  #text(reader: Reader): { title: string; body: string } {
    const [title = '', ...body] = cleanText(this.#fill('plain', reader)).split('\n')
    return {
      title: cutText(oneLine(title), MAX_TITLE) || 'hookbell',
      body: cutText(tidy(body.join('\n')), MAX_BODY),
    }
  }

  #origin({ leavesMachine, ...reader }: Channel): Origin {
    const values = this.#valuesFor(reader)
    const { client, project } = this.#event
    return {
      label: String(values.get('label')),
      project: this.#field(project, 200) || client,
      branch: String(values.get('branch')),
      host: leavesMachine ? String(values.get('host')) : '',
      reply: wayOn(this.#event, String(values.get('session_id')), this.#deps.secrets),
    }
  }

  #valuesFor({ clearance }: Reader): Values {
    const values = this.#values.get(clearance) ?? new Values(this.#event, clearance, this.#deps)
    this.#values.set(clearance, values)
    return values
  }

  /** Rendered once per format and reader, however many channels share them. */
  #fill(format: Format, reader: Reader): string {
    const key = `${format} ${reader.clearance} ${reader.template ?? ''}`
    const known = this.#filled.get(key)
    const text = known ?? this.#fillNamed(format, reader) ?? this.#fillKind(format, reader)
    this.#filled.set(key, text)
    return text
  }

  /** Renders the template of the route. '' if it exists only as plain text, which is then used instead of markup. */
  #fillNamed(format: Format, reader: Reader): string | undefined {
    const { template } = reader
    if (template === undefined) return undefined
    const text = this.#fillOwn(format, template, reader)
    if (text !== undefined) return text
    const isThere = format !== 'plain' && this.#fillOwn('plain', template, reader) !== undefined
    if (isThere) return ''
    if (format === 'plain') this.#problems.add(`template plain/${template}.liquid: cannot be used`)
    return undefined
  }

  #fillKind(format: Format, reader: Reader): string {
    const { kind } = this.#event
    const own = this.#fillOwn(format, kind, reader)
    if (own !== undefined) return own
    try {
      // Without a time limit: on a busy machine, or one that slept, it would be exceeded although nothing is wrong.
      const builtIn = this.#templates.builtIn(format, kind)
      return this.#fillWith(format, builtIn, reader, { renderLimit: Number.POSITIVE_INFINITY })
    } catch (error) {
      // The package is gone.
      this.#problems.add(oneLine(describeError(error)))
      if (format !== 'plain') return ''
      const values = this.#valuesFor(reader)
      const text = values.get('message') || values.get('headline').valueOf()
      return `${values.get('who')}: ${values.get('event')}\n${text}`
    }
  }

  #fillOwn(format: Format, name: string, reader: Reader): string | undefined {
    let own: string | undefined
    try {
      own = this.#templates.own(format, name)
      return own === undefined ? undefined : this.#fillWith(format, own, reader)
    } catch (error) {
      if (own !== undefined && isTooSlow(error)) this.#templates.setAside(own)
      this.#problems.add(`template ${format}/${name}.liquid: ${oneLine(describeError(error))}`)
      return undefined
    }
  }

  #fillWith(format: Format, template: string, reader: Reader, limits = {}): string {
    return fill(format, template, this.#valuesFor(reader).for(template), limits)
  }

  #field(value: string, max: number): string {
    return redactStart(oneLine(value), max, this.#deps.secrets).slice(0, max).toWellFormed()
  }
}

/** liquidjs has no class of its own for this error. */
function isTooSlow(error: unknown): boolean {
  return /render limit exceeded/.test(describeError(error))
}

/** Removes the empty lines that conditions in templates leave behind. */
function tidy(text: string): string {
  return text.replace(/\n{3,}/g, '\n\n').trim()
}

/**
 * The command that answers the session or goes on with it, as one line to paste into a shell; '' if there is none. The id and
 * the folder come from the payload: the id is put into it only if it is a plain word, the folder only in quotes.
 */
function wayOn(event: EnrichedEvent, id: string, secrets: readonly string[]): string {
  const { client, kind, agentId, parentSessionId, isOfSubagent } = event
  const { repliesThroughApi, resume } = findClient(client) ?? {}
  if (!/^\w[\w.-]{0,127}$/.test(id)) return ''
  if (repliesThroughApi && !endings.includes(kind)) return `hookbell reply ${id} "…"`
  const isOfAgent = agentId !== '' || parentSessionId !== '' || isOfSubagent === true
  if (!resume || isOfAgent || !idleKinds.includes(kind)) return ''
  const command = resume.replace('*', id)
  return isPlainFolder(event.cwd, secrets) ? `cd ${quoteWord(event.cwd)} && ${command}` : command
}

/** Whether every receiver shows the path as it is: without marks, line ends, spaces in a row and characters that nobody sees. */
function isPlainFolder(path: string, secrets: readonly string[]): boolean {
  if (!path.startsWith('/') || path.length > MAX_FOLDER) return false
  return !/[`\p{C}\p{Zl}\p{Zp}]|\s\s|[^\S ]|\s$/u.test(path) && redact(path, secrets) === path
}
