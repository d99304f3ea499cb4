import type { Config } from '../config/schema/schema.ts'
import type { AcceptedEntry } from '../journal/entry.ts'
import { notifierOf } from '../notifiers/index.ts'
import { isCopy, isQuestion } from '../report/agent-work.ts'
import type { Ping } from './replay.ts'

/** A question of which nobody is notified. */
export interface MissedQuestion {
  id: string
  /** Unix ms. */
  at: number
  title: string
  project: string
  because: string
}

/** What was decided, by the journal or by a replay. */
export interface Told {
  entries: readonly AcceptedEntry[]
  pings: readonly Ping[]
  /** Held messages that were dropped, such as after an answer. */
  dropped: readonly { id: string }[]
}

/**
 * The permission questions of which no person is notified, each once, except those that were muted or dropped. The event
 * that repeats a question may be the one that was sent. A channel that only keeps a record, such as a file, does not notify
 * a person.
 */
export function missedQuestions(
  { entries, pings, dropped }: Told,
  config: Pick<Config, 'channels'>,
): MissedQuestion[] {
  const shown = pings.filter(({ channel }) => notifierOf(channel, config)?.isRecord !== true)
  const told = new Set([...shown.flatMap(({ events }) => events), ...dropped.map(({ id }) => id)])
  for (const { id, repeatOf, duplicateOf = repeatOf } of entries) {
    if (duplicateOf && told.has(id)) told.add(duplicateOf)
  }
  return entries
    .filter((entry) => isQuestion(entry) && !isCopy(entry) && !told.has(entry.id))
    .filter((entry) => !isSilenced(entry))
    .map((entry) => {
      const { id, acceptedAt: at, title, project } = entry
      return { id, at, title, project, because: reasonOf(entry) }
    })
}

/** Whether a person wanted no message. */
function isSilenced({ facts, trace = [] }: AcceptedEntry): boolean {
  return facts?.isSwitchedOff === true || trace.some(({ by }) => by === 'mute')
}

function reasonOf({ trace = [] }: AcceptedEntry): string {
  const rules = trace.filter(({ verdict }) => verdict === 'suppress')
  const reasons = [...new Set(rules.map(({ because }) => because))]
  return reasons.join('; ') || 'no route to a channel that a person is shown'
}
