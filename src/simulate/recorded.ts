import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import { ANSWERED_BEFORE, ENDED_BEFORE } from '../policy/held.ts'
import type { Ping } from './replay.ts'

type HeldEntry = Extract<JournalEntry, { type: 'held' }>

const ends: readonly string[] = [ANSWERED_BEFORE, ENDED_BEFORE]

/** What was decided about each event, according to the journal. Whether a delivery failed later is left out. */
export class Recorded {
  /** Every event once, in the order in which they were judged. */
  readonly accepted: AcceptedEntry[] = []
  readonly #ids = new Set<string>()
  /** By event and channel. */
  readonly #held = new Map<string, HeldEntry>()
  /** Why held messages were dropped, by event and channel. */
  readonly #dropped = new Map<string, string>()

  add(entry: JournalEntry) {
    if (entry.type === 'accepted' && !this.#ids.has(entry.id)) {
      this.#ids.add(entry.id)
      this.accepted.push(entry)
    }
    if (entry.type === 'held') this.#held.set(keyOf(entry.id, entry.channel), entry)
    if (entry.type === 'suppressed' && entry.channel !== undefined) {
      const key = keyOf(entry.id, entry.channel)
      if (this.#held.has(key)) this.#dropped.set(key, entry.reason)
    }
  }

  /** Whether the event was muted when it was judged or, with `heldFor`, when its message to that channel was due. */
  wasMuted({ id, trace = [] }: AcceptedEntry, heldFor?: string): boolean {
    if (heldFor === undefined) {
      return trace.some(({ by, verdict }) => by === 'mute' && verdict === 'suppress')
    }
    return this.#dropped.get(keyOf(id, heldFor))?.startsWith('Muted ') === true
  }

  /** Why a question that was held for a channel was not asked any more; undefined if it was. */
  whyNotAsked({ id, kind }: AcceptedEntry, channel: string): string | undefined {
    const reason = this.#dropped.get(keyOf(id, channel)) ?? ''
    return kind === 'permission' && ends.includes(reason) ? reason : undefined
  }

  /** Events whose held messages were dropped when they were due, because they were not worth sending any more. */
  get dropped(): { id: string }[] {
    return [...this.#dropped.keys()].map((key) => ({ id: key.split(' ', 1)[0] ?? '' }))
  }

  /** The messages that result from the decisions. */
  pings(entries: readonly AcceptedEntry[]): Ping[] {
    const pings = new Map<string, Ping>()
    for (const entry of entries) {
      const { id, kind, at } = entry
      for (const channel of sentChannels(entry)) {
        const key = keyOf(id, channel)
        if (this.#dropped.has(key)) continue
        const { until = at, group = key } = this.#held.get(key) ?? {}
        const together = `${channel} ${until} ${group}`
        const ping = pings.get(together)
        if (ping) ping.events.push(id)
        else pings.set(together, { at: until, channel, events: [id], kind })
      }
    }
    return [...pings.values()]
  }
}

function sentChannels({ trace = [] }: AcceptedEntry): string[] {
  const told = trace.filter(({ verdict }) => verdict === 'send' || verdict === 'hold')
  return told.flatMap(({ channel }) => (channel === undefined ? [] : [channel]))
}

function keyOf(id: string, channel: string): string {
  return `${id} ${channel}`
}
