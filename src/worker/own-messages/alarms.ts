import type { LoadedConfig } from '../../config/load/load.ts'
import { configPath } from '../../config/paths.ts'
import { rulesOf } from '../../config/schema/channel.ts'
import type { Destination } from '../../deliver/attempt.ts'
import { disturbsSomebody, ringBell } from '../../deliver/audience.ts'
import type { Begun, MessageLife } from '../../deliver/message-life.ts'
import type { Outcome } from '../../deliver/outcome.ts'
import { withLine } from '../../deliver/summary.ts'
import type { Delivery } from '../../delivery.ts'
import { dropOldest } from '../../drop-oldest.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { channelsOf, type EventStatus, hasFailed } from '../../journal/history.ts'
import type { Journal } from '../../journal/journal.ts'
import { counted } from '../../text/counted.ts'
import { named } from '../../text/named.ts'
import { readStatuses } from '../read-statuses.ts'
import type { AlarmFile } from './alarm-state.ts'
import type { Notices } from './notices.ts'

/** Enough for those whose alarm is being recorded: the journal shows the others. */
const MAX_ALARMED = 1000

interface AlarmDeps {
  stateDir: string
  configDir: string
  file: AlarmFile
  notices: Notices
  journal: Journal
  config(): LoadedConfig
  now(): number
}

/**
 * Reports questions that reached nobody, and dead channels. A question is reported in the next message that gets
 * through, a dead channel at once on another channel.
 */
export class Alarms {
  readonly #deps: AlarmDeps
  readonly #file: AlarmFile
  /** Questions whose alarm is not in the journal yet, or was raised since their last attempt. */
  readonly #alarmed = new Set<string>()
  /** By delivery: ids of the unreached questions that were added to its message. */
  readonly #toldBy = new Map<string, string[]>()

  constructor(deps: AlarmDeps) {
    this.#deps = deps
    this.#file = deps.file
  }

  /** Wraps a message life, so that messages also report unreached questions. */
  around(life: MessageLife): MessageLife {
    return {
      whyOver: (delivery) => life.whyOver(delivery),
      whyLater: (delivery) => life.whyLater(delivery),
      begin: async (delivery, destination) =>
        this.#begin(await life.begin(delivery, destination), delivery, destination),
    }
  }

  /** Call this with each delivery that was attempted or dropped, after that is in the journal. */
  async ended(delivery: Delivery, outcome: Outcome): Promise<void> {
    if (outcome.type === 'delivered') return await this.#recordTold(delivery)
    if ('isChannelDead' in outcome) this.#noteDead(delivery, outcome.reason)
    if (outcome.type !== 'unavailable' && outcome.type !== 'exhausted') return
    if (delivery.kind !== 'permission') return
    const known = await readStatuses(this.#deps.stateDir, delivery.events)
    for (const status of known.values()) await this.check(status, delivery)
  }

  /** Raises the alarm if a question has failed on every channel for people. */
  async check(status: EventStatus, delivery?: Delivery): Promise<void> {
    const { id, kind, title } = status
    if (kind !== 'permission' || this.#alarmed.has(id) || !this.#hasReachedNobody(status)) return
    this.#alarmed.add(id)
    dropOldest(this.#alarmed, MAX_ALARMED)
    const { journal, now } = this.#deps
    const isRung = delivery !== undefined && (await ringBell(delivery))
    const reasons = this.#peopleOf(status).map((name) =>
      named(name, `${status.channels[name]?.detail}`),
    )
    const bell = isRung ? 'the bell of its terminal was rung' : 'its terminal could not be rung'
    const reason = [...reasons, bell].join('; ')
    await journal.append({ at: now(), id, type: 'undelivered', reason })
    const state = this.#file.read()
    const asked = delivery?.questions?.find((one) => one.id === id)
    // The message that reports it may be of another project.
    const text = asked ? [...new Set([asked.title, asked.text])].join(' · ') : title
    const unreached = [...state.unreached.filter((one) => one.id !== id), { id, text }]
    this.#file.write({ ...state, unreached })
  }

  #begin(begun: Begun, { id, events, channel }: Delivery, { notifier }: Destination): Begun {
    // A person may have retried a question that reached nobody.
    for (const event of events) this.#alarmed.delete(event)
    const { unreached } = this.#file.read()
    const others = unreached.filter((one) => !events.includes(one.id))
    const isTelling = others.length > 0 && notifier.summarizes === true
    const line = unreachedLine(others, this.#mayRepeat(channel))
    return {
      ...begun,
      delivery: isTelling ? withLine(begun.delivery, line) : begun.delivery,
      delivered: (handle) => {
        begun.delivered(handle)
        const told = isTelling ? others.map((one) => one.id) : []
        // Nobody has seen a message that is only recorded, such as in a file.
        this.#noteDelivered(channel, notifier.isRecord ? told : [...told, ...events])
        if (told.length > 0) this.#toldBy.set(id, told)
      },
    }
  }

  /** Whether a channel may receive the agent's text. */
  #mayRepeat(channel: string): boolean {
    const { channels } = this.#deps.config().config
    return Object.hasOwn(channels, channel) && channels[channel]?.clearance !== 'minimal'
  }

  /** A channel that works is not dead any more. */
  #noteDelivered(channel: string, ids: readonly string[]) {
    const state = this.#file.read()
    const unreached = state.unreached.filter((one) => !ids.includes(one.id))
    const deadChannels = state.deadChannels.filter((name) => name !== channel)
    const before = state.unreached.length + state.deadChannels.length
    if (unreached.length + deadChannels.length < before)
      this.#file.write({ unreached, deadChannels })
  }

  async #recordTold({ id: delivery, events, channel }: Delivery) {
    const told = this.#toldBy.get(delivery) ?? []
    this.#toldBy.delete(delivery)
    const { journal, now } = this.#deps
    const by = { channel, attempt: 1, ms: 0, answer: 'told late', summary: events[0] ?? '' }
    const entries = told.map((id): JournalEntry => ({ at: now(), id, type: 'delivered', ...by }))
    await Promise.all(entries.map((entry) => journal.append(entry)))
  }

  #hasReachedNobody(status: EventStatus): boolean {
    const people = this.#peopleOf(status)
    // A reason means that the alarm was raised before, or that a person purged the event.
    const isOver = status.reason !== ''
    return !isOver && people.length > 0 && people.every((name) => hasFailed(status, name))
  }

  /** The channels of the event that people read. */
  #peopleOf(status: EventStatus): string[] {
    const { config } = this.#deps.config()
    return channelsOf(status).filter((name) => disturbsSomebody(name, config))
  }

  #noteDead({ channel, sessionEnv }: Delivery, reason: string) {
    const state = this.#file.read()
    if (state.deadChannels.includes(channel)) return
    const notice = {
      reason: `nothing gets through to the channel ${channel} any more`,
      wordsFor: (reader: string) => this.#wordsFor(channel, reason, reader),
      tried: [channel],
    }
    // Added before the channel counts as reported: otherwise a crash in between would lose the notice.
    this.#deps.notices.add(notice, sessionEnv)
    this.#file.write({ ...state, deadChannels: [...state.deadChannels, channel] })
  }

  /** Without the reason for a channel of the lowest clearance, because a receiver may repeat the agent's text in it. */
  #wordsFor(channel: string, reason: string, reader: string): string {
    const clearance = rulesOf(reader, this.#deps.config().config)?.clearance
    const why = clearance === 'minimal' ? '' : `${reason}\n`
    const file = configPath(this.#deps.configDir)
    return `${why}Correct it in ${file}, then: hookbell test ${channel}`
  }
}

function unreachedLine(unreached: readonly { text: string }[], mayRepeat: boolean): string {
  const count = counted(unreached.length, 'question')
  const [last] = unreached.slice(-1)
  return `${count} reached nobody${mayRepeat && last ? `: ${last.text}` : ''}`
}
