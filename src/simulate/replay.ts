import type { Config } from '../config/schema/schema.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import { notifierOf } from '../notifiers/index.ts'
import type { Postponed } from '../policy/held.ts'
import { Memory } from '../policy/memory.ts'
import type { Mute } from '../policy/mutes.ts'
import { sessionKey } from '../policy/sessions.ts'
import type { Candidate, HeldEvent, Verdict } from '../policy/types.ts'
import { type Decided, decide, judgeDue, type Stored, settingsOf } from '../prepare/decide.ts'
import { acceptedEntry } from '../prepare/facts.ts'

/** One message that reaches a channel. */
export interface Ping {
  /** When it is due, Unix ms. */
  at: number
  channel: string
  /** The ids of its events, oldest first. */
  events: string[]
  /** The kind of the first event. */
  kind: string
}

/** An event, and what was known when it was judged. */
export interface Happening {
  found: EnrichedEvent
  /** The clock of the decision, Unix ms. Default: when the event was accepted. */
  now?: number
  stored?: Pick<Stored, 'fingerprint' | 'shared' | 'via'>
  /** The title of its message, for the entry. */
  title?: string
}

interface ReplayOptions {
  memory?: Memory
  host?: string
  /** What is muted at that time, for an event or, with `heldFor`, for its held message to that channel. */
  mutes?(now: number, event: string, heldFor?: string): readonly Mute[]
  /** Why a question that was held for a channel was not asked any more, as by a late worker. */
  whyNotAsked?(event: string, channel: string): string | undefined
}

interface Waiting extends Ping, Pick<HeldEvent, 'expects' | 'isRecord' | 'isStep'> {
  group: string
  event: EnrichedEvent
}

/**
 * Judges events in order, each at its own time, and releases held messages when they are due, on a simulated clock.
 * The decisions are those of the worker; nothing is read, sent or written.
 */
export class Replay {
  readonly pings: Ping[] = []
  /** One per event, as the worker would record it. */
  readonly entries: AcceptedEntry[] = []
  /** Held messages that were no longer worth sending when they were due. */
  readonly dropped: { at: number; id: string; channel: string; reason: string }[] = []
  /** Everything that the worker would record of the decisions, in order. */
  readonly journal: JournalEntry[] = []
  readonly memory: Memory
  readonly #config: Config
  readonly #options: ReplayOptions
  #waiting: Waiting[] = []

  constructor(config: Config, options: ReplayOptions = {}) {
    this.#config = config
    this.#options = options
    this.memory = options.memory ?? new Memory()
  }

  add({ found, now = found.at, stored = { shared: false }, title = '' }: Happening): Decided {
    this.#tellDue(now)
    const decided = decide(found, stored, this.#config, this.#depsAt(now, found.id))
    const renderer = { title, body: '', problems: [] }
    const entry = acceptedEntry({ ...decided, renderer }, { config: this.#config }, now)
    this.memory.fold(entry)
    this.entries.push(entry)
    this.journal.push(entry, ...this.memory.takeAnswers(now, found))
    for (const { candidate, verdict } of decided.judgements) {
      this.#begin(decided.event, candidate, verdict, now)
    }
    if (decided.suppress !== undefined) {
      this.journal.push({ at: now, id: found.id, type: 'suppressed', reason: decided.suppress })
    }
    this.#tellEarly(found, now)
    return decided
  }

  /** Takes an answer, or another result, that was recorded: what was due before is released before. */
  note(entry: JournalEntry) {
    this.#tellDue(entry.at)
    this.memory.fold(entry)
  }

  /** Releases all messages that are still held, each at the time when it is due. */
  end() {
    this.#tellDue(Number.MAX_SAFE_INTEGER)
  }

  #begin(event: EnrichedEvent, candidate: Candidate, verdict: Verdict, now: number) {
    const { channel, isRecord } = candidate
    const { id, kind } = event
    const ping = { at: now, channel, events: [id], kind }
    if (verdict.type === 'send') this.pings.push(ping)
    if (verdict.type !== 'hold') return
    const { until, reason, expects } = verdict
    const isStep = candidate.later !== undefined
    const isTogether = verdict.group !== '' && notifierOf(channel, this.#config)?.summarizes
    const group = `${channel} ${isTogether ? verdict.group : id}`
    this.#waiting.push({ ...ping, at: until, group, event, expects, isRecord, isStep })
    this.journal.push({ at: now, id, type: 'held', channel, until, reason, group })
  }

  /** Sends what is held for the session and will not be followed, as its latest event shows. */
  #tellEarly(session: EnrichedEvent, now: number) {
    const key = sessionKey(session)
    for (const one of this.#waiting.filter(({ event }) => sessionKey(event) === key)) {
      const review = this.#review(one, now)
      if (typeof review !== 'object' || review.until > now) continue
      const { channel, event } = one
      if (judgeDue({ kind: event.kind, channel }, this.#config, now).type === 'hold') continue
      this.#waiting = this.#waiting.filter((other) => other !== one)
      this.#hold(one, review, now)
      this.pings.push({ at: now, channel, events: one.events, kind: one.kind })
    }
  }

  #tellDue(now: number) {
    for (;;) {
      const next = Math.min(...this.#waiting.map(({ at }) => at))
      if (next > now) return
      const due = this.#waiting.filter(({ at }) => at === next)
      this.#waiting = this.#waiting.filter(({ at }) => at !== next)
      const groups = new Map<string, Waiting[]>()
      for (const one of due) groups.set(one.group, [...(groups.get(one.group) ?? []), one])
      for (const group of groups.values()) this.#tellTogether(group, next)
    }
  }

  #tellTogether(group: readonly Waiting[], now: number) {
    const kept = group.filter((one) => this.#isStillDue(one, now))
    const [first] = kept
    if (!first) return
    const { channel, kind } = first
    this.pings.push({ at: now, channel, events: kept.flatMap(({ events }) => events), kind })
  }

  #isStillDue(one: Waiting, now: number): boolean {
    const { event, channel } = one
    const { id } = event
    const review = this.#review(one, now)
    if (review === undefined) return true
    if (typeof review === 'object') {
      this.#waiting.push({ ...one, at: review.until })
      this.#hold(one, review, now)
      return false
    }
    this.dropped.push({ at: now, id, channel, reason: review })
    this.journal.push({ at: now, id, type: 'suppressed', channel, reason: review })
    return false
  }

  #review({ event, channel, at: until, expects, isRecord, isStep }: Waiting, now: number) {
    const { id } = event
    const recorded = this.#options.whyNotAsked?.(id, channel)
    if (recorded !== undefined) return recorded
    const held = { ...event, channel, until, expects, isRecord, isStep }
    return this.memory.review(held, settingsOf(this.#config, this.#depsAt(now, id, channel)))
  }

  #hold({ event: { id }, channel }: Waiting, { until, reason }: Postponed, now: number) {
    this.journal.push({ at: now, id, type: 'held', channel, until, reason })
  }

  #depsAt(now: number, event: string, heldFor?: string) {
    const { mutes, host = '' } = this.#options
    return {
      memory: this.memory,
      mutes: () => mutes?.(now, event, heldFor) ?? [],
      host,
      now: () => now,
    }
  }
}
