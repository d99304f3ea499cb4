import { channelOf } from '../../config/channels.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { configPath } from '../../config/paths.ts'
import type { Destination, Outcome } from '../../deliver/attempt.ts'
import { disturbsSomebody, ringBell } from '../../deliver/audience.ts'
import type { MessageLife, Sending } from '../../deliver/message-life.ts'
import { withLine } from '../../deliver/summary.ts'
import type { Delivery } from '../../delivery.ts'
import { dropOldest } from '../../drop-oldest.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import type { KnownEvent } from '../../journal/fold.ts'
import { channelsOf, type EventStatus, hasFailed } from '../../journal/history.ts'
import type { Journal } from '../../journal/journal.ts'
import { counted } from '../../text/counted.ts'
import { named } from '../../text/named.ts'
import type { WorkerMemory } from '../memory.ts'
import { readStatuses } from '../read-statuses.ts'
import type { Notices } from './notices.ts'

/** Enough for those whose alarm is being recorded: the journal shows the others. */
const MAX_ALARMED = 1000

interface AlarmDeps {
  stateDir: string
  configDir: string
  memory: WorkerMemory
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
  /** Questions whose alarm is not in the journal yet, or was raised since their last attempt. */
  readonly #alarmed = new Set<string>()
  /** Dead channels whose report is being made. */
  readonly #beingReported = new Set<string>()
  /** By delivery: ids of the unreached questions that were added to its message. */
  readonly #reportedBy = new Map<string, string[]>()

  constructor(deps: AlarmDeps) {
    this.#deps = deps
  }

  /** Wraps a message life, so that messages also report unreached questions. */
  wrap(life: MessageLife): MessageLife {
    return {
      whyOver: (delivery) => life.whyOver(delivery),
      whyLater: (delivery) => life.whyLater(delivery),
      begin: async (delivery, destination) =>
        this.#begin(await life.begin(delivery, destination), delivery, destination),
    }
  }

  /** Call this with each delivery that was attempted or dropped, after that is in the journal. */
  async ended(delivery: Delivery, outcome: Outcome): Promise<void> {
    if (outcome.type === 'delivered') return await this.#recordReported(delivery)
    if ('isChannelDead' in outcome) await this.#noteDead(delivery, outcome.reason)
    if (outcome.type !== 'unavailable' && outcome.type !== 'exhausted') return
    if (delivery.kind !== 'permission') return
    const known = await readStatuses(this.#deps.stateDir, delivery.events)
    for (const status of known.values()) await this.check(status, delivery)
  }

  /** Raises the alarm if a question has failed on every channel for people. */
  async check(status: EventStatus, delivery?: Delivery): Promise<void> {
    const { id, kind } = status
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
    const asked = delivery?.questions?.find((one) => one.id === id)
    // The message that mentions it may be of another project.
    const text = asked && [...new Set([asked.title, asked.text])].join(' · ')
    const isKept = text !== undefined && this.#deps.config().config.journal.text
    const entry = { at: now(), id, type: 'undelivered', reason, ...(isKept && { text }) } as const
    await journal.append(entry)
  }

  #begin(sending: Sending, { id, events, channel }: Delivery, { notifier }: Destination): Sending {
    // A person may have retried a question that reached nobody.
    for (const event of events) this.#alarmed.delete(event)
    const others = this.#unreached().filter((one) => !events.includes(one.id))
    const isTelling = others.length > 0 && notifier.summarizes === true
    const line = unreachedLine(others, this.#mayRepeat(channel))
    return {
      ...sending,
      delivery: isTelling ? withLine(sending.delivery, line) : sending.delivery,
      delivered: async (handle) => {
        await sending.delivered(handle)
        const told = others.map((one) => one.id)
        if (isTelling) this.#reportedBy.set(id, told)
      },
    }
  }

  /** Without those of which a message has told by now, although the journal does not say so yet. */
  #unreached(): KnownEvent[] {
    const told = [...this.#reportedBy.values()].flat()
    return this.#deps.memory.unreached().filter(({ id }) => !told.includes(id))
  }

  /** Whether a channel may receive the agent's text. */
  #mayRepeat(channel: string): boolean {
    const found = channelOf(channel, this.#deps.config().config)
    return found !== undefined && found.clearance !== 'minimal'
  }

  async #recordReported({ id: delivery, events, channel }: Delivery) {
    const told = this.#reportedBy.get(delivery) ?? []
    const { journal, now } = this.#deps
    const by = { channel, attempt: 1, ms: 0, answer: 'told late', summary: events[0] ?? '' }
    const entries = told.map((id): JournalEntry => ({ at: now(), id, type: 'delivered', ...by }))
    await Promise.all(entries.map((entry) => journal.append(entry)))
    this.#reportedBy.delete(delivery)
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

  async #noteDead({ channel, sessionEnv }: Delivery, reason: string) {
    const { memory, now } = this.#deps
    const isReported = memory.notes.deadChannels.includes(channel)
    if (isReported || this.#beingReported.has(channel)) return
    this.#beingReported.add(channel)
    const notice = {
      reason: `nothing gets through to the channel ${channel} any more`,
      wordsFor: (reader: string) => this.#wordsFor(channel, reason, reader),
      tried: [channel],
    }
    // Added before the channel counts as reported: otherwise a crash in between would lose the notice.
    await this.#deps.notices.add(notice, sessionEnv)
    memory.note('dead channel', channel, now())
    this.#beingReported.delete(channel)
  }

  /** Without the reason for a channel of the lowest clearance, because a receiver may repeat the agent's text in it. */
  #wordsFor(channel: string, reason: string, reader: string): string {
    const clearance = channelOf(reader, this.#deps.config().config)?.clearance
    const why = clearance === 'minimal' ? '' : `${reason}\n`
    const file = configPath(this.#deps.configDir)
    return `${why}Correct it in ${file}, then: hookbell test ${channel}`
  }
}

function unreachedLine(unreached: readonly KnownEvent[], mayRepeat: boolean): string {
  const count = counted(unreached.length, 'question')
  const [last] = unreached.slice(-1)
  return `${count} reached nobody${mayRepeat && last ? `: ${last.asked ?? last.title}` : ''}`
}
