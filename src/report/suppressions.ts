import type { JournalEntry } from '../journal/entry.ts'
import { EventHistory, type EventStatus } from '../journal/history.ts'
import { type Count, countByName } from './counts.ts'

/** Why events were not sent, most frequent first: the name of the rule, else the reason. Each channel counts. */
export function suppressions(entries: readonly JournalEntry[]): Count[] {
  const history = new EventHistory()
  for (const entry of entries) history.add(entry)
  return countByName([...history.byId.values()].flatMap(whyNotTold))
}

/** One name for each channel that did not get the event; one in all if no channel was chosen. */
function whyNotTold({ trace, channels, outcome, reason }: EventStatus): string[] {
  const atOnce = trace.filter(({ verdict }) => verdict === 'suppress')
  const ruled = new Set(atOnce.map(({ channel }) => channel))
  const later = Object.entries(channels)
    .filter(([name, { state }]) => state === 'suppressed' && !ruled.has(name))
    .map(([, { detail }]) => ruleOf(detail))
  const names = [...atOnce.map(({ by }) => by), ...later]
  if (names.length > 0 || outcome !== 'suppressed') return names
  return [reason === '' ? 'no channel was available' : ruleOf(reason)]
}

/** A mute that came later is recorded with its end instead of the rule's name: it is counted with the others. */
function ruleOf(reason: string): string {
  return /^Muted (until|without) /.test(reason) ? 'mute' : reason
}
