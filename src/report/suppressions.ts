import type { JournalEntry } from '../journal/entry.ts'
import { type Count, countByName } from './counts.ts'

/** Why events were not told, most frequent first: the name of the rule, else the reason. Each channel counts. */
export function suppressions(entries: readonly JournalEntry[]): Count[] {
  const byRule = new Map<string, Set<string>>()
  const names: string[] = []
  for (const entry of entries) {
    if (entry.type === 'accepted') {
      const steps = entry.trace?.filter(({ verdict }) => verdict === 'suppress') ?? []
      byRule.set(entry.id, new Set(steps.map(({ channel = '' }) => channel)))
      names.push(...steps.map(({ by }) => by))
    }
    if (entry.type !== 'suppressed') continue
    // The immediate verdict of a rule is already countByName from the trace.
    const known = byRule.get(entry.id) ?? new Set()
    const isKnown = entry.channel === undefined ? known.size > 0 : known.has(entry.channel)
    if (!isKnown) names.push(entry.reason)
  }
  return countByName(names)
}
