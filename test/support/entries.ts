import type { Config } from '../../src/config/schema/schema.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { policyConfig } from '../../src/simulate/judge.ts'
import { Replay } from '../../src/simulate/replay.ts'
import { enrichedOfLine, loadSequences } from './sequence.ts'

const standard = policyConfig({})
/** A configuration that sends every event to the desktop. */
export const everything = policyConfig({ routes: [{ on: ['*'], to: ['desktop'] }] })

/** The journal entries of some events if every message is delivered at once. */
export function entriesOf(
  events: readonly EnrichedEvent[],
  config: Config = standard,
): JournalEntry[] {
  const replay = new Replay(config)
  for (const found of events) replay.add({ found, title: `${found.project}: ${found.kind}` })
  replay.end()
  const delivered = replay.pings.flatMap(({ at, channel, events: [lead = '', ...others] }) =>
    [lead, ...others].map((id): JournalEntry => {
      const summary = id === lead ? {} : { summary: lead }
      const answer = { attempt: 1, ms: 1, answer: 'ok' }
      return { at, id, type: 'delivered', channel, ...answer, ...summary }
    }),
  )
  return [...replay.journal, ...delivered]
}

/** The events of a recorded sequence, with ids that differ between sequences. @param start Unix ms of its beginning */
export function eventsOfSequence(name: string, start: number): EnrichedEvent[] {
  const { lines = [] } = loadSequences().find((one) => one.name === name) ?? {}
  return lines.map((line, index) => enrichedOfLine(line, start, `${name}-${index}`))
}
