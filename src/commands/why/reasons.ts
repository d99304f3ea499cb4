import { asTyped } from '../../cli/how-to-call.ts'
import { idAtHub } from '../../hub/handed-over.ts'
import type { AcceptedEntry, EventFacts, JournalEntry, TraceStep } from '../../journal/entry.ts'
import { channelsOf, type EventStatus, isOpen, questionEnd } from '../../journal/history.ts'
import { formatSecond } from '../../text/local-time.ts'
import { shortSession } from '../../text/short-session.ts'
import { questionEndInWords } from '../_question-end.ts'

const UNCLAIMED = 'no worker has claimed it yet'
const ON_HOLD = 'all is on hold. Go on with: hookbell resume'

type WithEntries = EventStatus & { entries: readonly JournalEntry[] }

/** Why an event led to a notification or not: a label and a sentence for each step, in the order of the decisions. */
export function reasonsOf(told: WithEntries, isOnHold: boolean): [string, string][] {
  const accepted = told.entries.find((entry) => entry.type === 'accepted')
  const lines: [string, string][] = [['accepted', formatSecond(told.acceptedAt)]]
  if (accepted) lines.push(...origin(accepted), ...told.trace.map(stepInWords))
  for (const problem of told.problems) lines.push(['problem', problem])
  const after = told.entries.flatMap((entry) => afterwards(entry, told))
  if (told.outcome === 'waiting' && !accepted && after.length === 0)
    after.push(['now', isOnHold ? asTyped(ON_HOLD) : UNCLAIMED])
  return [...lines, ...after, ['result', outcomeInWords(told)]]
}

function origin({ client, sessionId, event, kind, facts = {} }: AcceptedEntry): [string, string][] {
  const session = sessionId ? `, session ${shortSession(sessionId)}` : ''
  const where = facts.surface ? ` in ${facts.surface}` : ''
  const headless = facts.isHeadless ? ', headless' : ''
  return [
    ['client', `${client}${where}${session}${headless}`],
    ['kind', `${kind}: ${evidence(event, facts)}`],
  ]
}

/** Names the fields of the event that determined its kind. */
function evidence(event: string, facts: EventFacts): string {
  const { means = '', notificationType, reason } = facts
  const parts = [`event ${event}`]
  if (means && means !== event) parts.push(`meaning ${means}`)
  if (notificationType) parts.push(`type ${notificationType}`)
  if (reason) parts.push(`reason ${reason}`)
  return parts.join(', ')
}

function stepInWords({ by, channel, verdict, because }: TraceStep): [string, string] {
  if (channel === undefined) return [by, `${verdict}: ${because}`]
  if (verdict === 'send') return [channel, `send: ${because}`]
  const what = verdict === 'hold' ? 'held' : 'suppressed'
  return [channel, `${what} by the rule ${by}: ${because}`]
}

/** What happened after the decision. */
function afterwards(
  entry: JournalEntry,
  { acceptedAt, entries, trace }: WithEntries,
): [string, string][] {
  const when = formatSecond(entry.at)
  switch (entry.type) {
    case 'held': {
      const isKnown = trace.some(({ because }) => because === entry.reason)
      if (entry.until <= entry.at) return [[entry.channel, `${when} due at once: ${entry.reason}`]]
      const why = isKnown ? '' : `: ${entry.reason}`
      return [[entry.channel, `held until ${formatSecond(entry.until)}${why}`]]
    }
    case 'delivered': {
      const id = idAtHub(entry.answer)
      if (id === undefined)
        return [[entry.channel, `${when} delivered${inSummary(entry)}: ${entry.answer}`]]
      // A machine has no right to read from the hub, so only the hub itself can tell more.
      return [
        [entry.channel, `${when} ${entry.answer}${inSummary(entry)}`],
        ['hub', `shows what happened next; run on the hub: hookbell hub why ${id}`],
      ]
    }
    case 'deferred': {
      const same = entries.filter((one) => isSameFailure(one, entry))
      if (entry !== same.at(-1)) return []
      const before = same.length > 1 ? ` (and ${same.length - 1} before)` : ''
      const next = formatSecond(entry.until)
      const what = `${when} attempt ${entry.attempt}${before}`
      return [[entry.channel, `${what}: ${entry.reason}; next ${next}`]]
    }
    case 'unavailable':
      return [[entry.channel, `${when} not available here: ${entry.reason}`]]
    case 'exhausted':
      return [[entry.channel, `${when} ${whyGivenUp(entry)}`]]
    case 'suppressed': {
      // The immediate verdict of a rule is already in the trace.
      const isKnown = trace.some(
        ({ because, verdict }) => verdict === 'suppress' && entry.reason.includes(because),
      )
      return isKnown ? [] : [[entry.channel ?? 'all', `${when} suppressed: ${entry.reason}`]]
    }
    case 'undelivered':
      return [['nobody', `${when} was reached: ${entry.reason}`]]
    case 'answered':
    case 'unanswered': {
      // Two workers that ran at the same time may both have recorded it: the first entry counts.
      const first = entries.find(({ type }) => type === 'answered' || type === 'unanswered')
      if (entry !== first) return []
      return [['answer', questionEndInWords(questionEnd(entry), acceptedAt)]]
    }
    case 'not-taken':
      return [
        [entry.channel, `${when} not taken from ${entry.place} ${entry.person}: ${entry.reason}`],
      ]
    case 'withdrawn':
      return [[entry.channel, `${when} withdrawn: ${entry.reason}`]]
    case 'unusable':
      return [['event', `${when} unusable: ${entry.reason}`]]
    case 'dropped':
      return [[entry.channel ?? 'event', `${when} dropped: ${entry.reason ?? 'by hand'}`]]
    case 'retried':
      return [['you', `${when} requested a retry`]]
    default:
      return []
  }
}

function isSameFailure(
  one: JournalEntry,
  { channel, reason }: { channel: string; reason: string },
) {
  return one.type === 'deferred' && one.channel === channel && one.reason === reason
}

/** After many attempts, or a long time, the reason itself says so. */
function whyGivenUp({ attempt, reason }: { attempt: number; reason: string }): string {
  return reason.startsWith('gave up ') ? reason : `gave up after attempt ${attempt}: ${reason}`
}

function inSummary({ summary }: { summary?: string }): string {
  return summary ? ` in the message of ${summary.slice(0, 8)}` : ''
}

function outcomeInWords(status: EventStatus): string {
  const { outcome, reason, channels } = status
  const names = channelsOf(status)
  const told = names.filter((name) => channels[name]?.state === 'delivered').join(', ')
  if (outcome === 'undelivered') return told ? `${outcome}: only ${told} has it` : outcome
  if (outcome === 'delivered') return `${outcome}: ${told}`
  if (outcome === 'suppressed' && names.some((name) => channels[name]?.state === 'unavailable'))
    return `${outcome}: no channel was available`
  // Only the channels to which the outcome applies, not those that have received the event.
  const left = names.filter((name) =>
    outcome === 'waiting' ? isOpen(status, name) : channels[name]?.state === 'exhausted',
  )
  const about = left.join(', ') || reason
  return `${outcome}${about && `: ${about}`}${told && ` (delivered: ${told})`}`
}
