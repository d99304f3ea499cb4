import type { JournalEntry } from '../journal/entry.ts'

/** What became of the deliveries to one channel. */
export interface ChannelUse {
  name: string
  /** Messages that arrived; one may report several events. */
  messages: number
  /** Events that these messages reported. */
  events: number
  /** Attempts that failed and were made again. */
  retries: number
  /** Deliveries that gave up. */
  failed: number
  /** Events whose session has no such channel, such as no terminal: nothing is wrong with it. */
  unavailable: number
}

/** By channel, the most used first. */
export function channelUse(entries: readonly JournalEntry[]): ChannelUse[] {
  const channels = new Map<string, ChannelUse>()
  const useOf = (name: string) => {
    const none = { messages: 0, events: 0, retries: 0, failed: 0, unavailable: 0 }
    const use = channels.get(name) ?? { name, ...none }
    channels.set(name, use)
    return use
  }
  for (const entry of entries) {
    if (entry.type === 'delivered') {
      const use = useOf(entry.channel)
      use.events += 1
      use.messages += entry.summary ? 0 : 1
    }
    if (entry.type === 'deferred') useOf(entry.channel).retries += 1
    if (entry.type === 'exhausted') useOf(entry.channel).failed += 1
    if (entry.type === 'unavailable') useOf(entry.channel).unavailable += 1
  }
  return [...channels.values()].sort((one, other) => other.messages - one.messages)
}
