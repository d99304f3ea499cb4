import { completeConfig, configSchema } from '../../src/config/schema.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import type { AcceptedEntry } from '../../src/journal/entry.ts'
import { notifierOf } from '../../src/notifiers/index.ts'
import { Memory } from '../../src/policy/memory.ts'
import type { Mute } from '../../src/policy/mutes.ts'
import type { Policy } from '../../src/policy/types.ts'
import { acceptedEntry } from '../../src/prepare/accepted-entry.ts'
import { decide, settingsOf } from '../../src/prepare/decide.ts'

/** One message that reached a channel. */
export interface Ping {
  at: number
  channel: string
  /** The events that it tells of, oldest first. */
  events: string[]
  kind: string
}

interface Waiting extends Ping {
  group: string
  event: EnrichedEvent
}

export interface Options {
  config?: object
  mutes?: (now: number) => readonly Mute[]
  policies?: readonly Policy[]
  memory?: Memory
}

/** Judges events one after the other, each at its own time, and tells what is held when it is due: a clock without waiting. */
export function runTimeline(events: readonly EnrichedEvent[], options: Options = {}) {
  const { mutes = () => [], policies, memory = new Memory({}, policies) } = options
  const config = completeConfig(configSchema.parse(options.config ?? {}))
  const pings: Ping[] = []
  const entries: AcceptedEntry[] = []
  const dropped: { id: string; reason: string }[] = []
  let waiting: Waiting[] = []

  const depsAt = (now: number) => ({
    memory,
    mutes: () => mutes(now),
    host: 'workstation',
    now: () => now,
  })

  const tellDue = (now: number) => {
    for (;;) {
      const next = Math.min(...waiting.map(({ at }) => at))
      if (next > now) return
      const due = waiting.filter(({ at }) => at === next)
      waiting = waiting.filter(({ at }) => at !== next)
      const groups = new Map<string, Waiting[]>()
      for (const one of due) groups.set(one.group, [...(groups.get(one.group) ?? []), one])
      for (const group of groups.values()) tellTogether(group, next)
    }
  }

  const tellTogether = (group: readonly Waiting[], now: number) => {
    const kept = group.filter(({ event, channel }) => {
      const { id, client, sessionId, at, kind, cwd } = event
      const held = { id, client, sessionId, at, kind, channel, cwd }
      const reason = memory.review(held, settingsOf(config, depsAt(now)))
      if (reason !== undefined) dropped.push({ id, reason })
      return reason === undefined
    })
    const [first] = kept
    if (!first) return
    const told = kept.flatMap((one) => one.events)
    pings.push({ at: now, channel: first.channel, events: told, kind: first.kind })
  }

  for (const found of events) {
    tellDue(found.at)
    const decided = decide(found, { shared: false }, config, depsAt(found.at))
    const renderer = { title: '', body: '', problems: [] }
    const entry = acceptedEntry({ ...decided, renderer }, { config }, found.at)
    memory.fold(entry)
    entries.push(entry)
    const { event } = decided
    for (const { candidate, verdict } of decided.judgements) {
      const { channel } = candidate
      const ping = { at: found.at, channel, events: [event.id], kind: event.kind }
      if (verdict.type === 'send') pings.push(ping)
      if (verdict.type !== 'hold') continue
      const isTogether = verdict.group && notifierOf(channel, config)?.summarizes
      const group = `${channel} ${isTogether ? verdict.group : event.id}`
      waiting.push({ ...ping, at: verdict.until, group, event })
    }
  }
  tellDue(Number.MAX_SAFE_INTEGER)
  return { pings, entries, dropped, memory }
}
