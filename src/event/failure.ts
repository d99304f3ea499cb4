import { findClient } from '../clients/index.ts'
import { nextDue } from '../text/schedule.ts'
import { sha256 } from '../text/sha256.ts'
import type { AgentEvent, Failure } from './event.ts'
import { isPayload, type Payload, textOf } from './payload.ts'

/** What a failed turn or an abnormal end means for a person, and what to do about it. Empty where nothing is known. */
interface Explanation {
  means: string
  advice: string
}

const NOTHING: Explanation = { means: '', advice: '' }

/** The first that matches the client's words counts; those of a cause come before those of a status. */
const failures: readonly [RegExp, Explanation][] = [
  [
    /max_?output_?tokens|max_tokens|output token (maximum|limit)/i,
    {
      means: 'The answer was cut off: it reached the longest length that the model may write.',
      advice: 'Tell the agent to go on, in smaller steps.',
    },
  ],
  [
    /context.?(length|window)|(prompt|input) is too long|context_?limit/i,
    {
      means: 'The conversation is too long for the model.',
      advice: 'Compact it, or go on in a new session.',
    },
  ],
  [
    /billing|credit balance|insufficient (funds|credit|balance|quota)|payment|\b402\b/i,
    {
      means: 'The account has no credit left.',
      advice: 'Add credit, or go on with another account.',
    },
  ],
  [
    /authenticat|unauthorized|not logged in|log ?in|oauth|(api|access).?(key|token)|\b40[13]\b/i,
    {
      means: 'The agent is not logged in, or its key is not accepted.',
      advice: 'Log in again in its terminal, then tell it to go on.',
    },
  ],
  [
    /model.{0,40}not.?(found|exist|available|supported)|\b404\b/i,
    { means: 'The account cannot use this model.', advice: 'Choose another model.' },
  ],
  [
    /overload|server_error|internal server|unavailable|bad gateway|\b5(00|02|03|04|29)\b(?! ?m?s\b)/i,
    {
      means: 'The servers of the model are busy, or have a fault.',
      advice: 'Tell the agent to go on in some minutes.',
    },
  ],
  [
    /E(CONN\w+|NOTFOUND|TIMEDOUT|AI_AGAIN|PIPE)|network|fetch failed|timed? ?out|connection|socket/i,
    {
      means: 'The agent could not reach its model.',
      advice: 'Check the network, then tell it to go on.',
    },
  ],
  [
    /invalid_request|\b400\b/i,
    {
      means: 'The server of the model did not accept the request.',
      advice: 'Look at its terminal. A new session may help.',
    },
  ],
]

const UNSAID: Explanation = {
  means: 'The turn ended with an error, and the agent does not say which.',
  advice: 'Look at its terminal, then tell it to go on.',
}

const ends = new Map<string, string>([
  ['error', 'The agent ended because of an error.'],
  ['other', 'The agent ended without a reason: it may have crashed, or have been killed.'],
])

const MINUTE_MS = 60_000

const DAY_MS = 24 * 60 * MINUTE_MS

/** A date further away than the period of any plan was misread. */
const MAX_AWAY_MS = 40 * DAY_MS

/** Why a turn failed, from any of the fields in which clients say it. */
export function failureOf(payload: Payload, at: number, spoken: string): Failure {
  const name = textOf(payload, 'error.name', 'error_type', 'errorType')
  const said = textOf(
    payload,
    'error_details',
    'errorDetails',
    'error.data.message',
    'error.message',
    'error',
    'error_message',
    'message',
    'status',
  )
  // The status of a turn of Cursor, which says no more than that it failed.
  const words = [said, name, spoken].find((one) => one !== '' && one !== 'error') ?? ''
  const all = [name, textOf(payload, 'error'), said, spoken].join('\n').slice(0, 16 * 1024)
  const isLimit = isLimitText(all)
  const reason = inWords(words).slice(0, 4096).toWellFormed()
  return {
    reason,
    cause: causeOf(/^(unknown.*)?$/.test(reason) ? [name, spoken] : [name, reason], isLimit),
    isLimit,
    resetsAt: isLimit ? resetTimeOf(all, at) : undefined,
  }
}

/**
 * The words of a failure without what differs each time, such as the number of a request. Hashed, because the words may
 * quote the agent. A limit is worded in many ways, and with a time.
 */
function causeOf(words: readonly string[], isLimit: boolean): string {
  if (isLimit) return 'limit'
  const text = words
    .join(' ')
    .toLowerCase()
    .replace(/\S*\d\S*/g, '')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
  return text && sha256(text.slice(0, 200)).slice(0, 12)
}

/** A response of a model's API, such as `529 {"type":"error","error":{"message":"Overloaded"}}`, as `529 Overloaded`. */
function inWords(reason: string): string {
  const start = reason.indexOf('{')
  if (start < 0) return reason
  try {
    const response: unknown = JSON.parse(reason.slice(start))
    const message = isPayload(response) ? textOf(response, 'error.message', 'message') : ''
    return message ? `${reason.slice(0, start).trim()} ${message}`.trim() : reason
  } catch {
    return reason
  }
}

/** Whether a failure is about a usage limit. */
export function isLimitText(text: string): boolean {
  return /rate.?limit|usage.?limit|limit (was |has been )?(reached|exceeded|will reset)|hit your .{0,40}limit|quota|too many requests|\b429\b/i.test(
    text,
  )
}

/**
 * When a limit ends, if a text says so: as a date, as seconds since 1970, as a time of day (of this machine, or of
 * the zone it names), or as a duration from now.
 * @returns Unix ms; undefined if the text names no time, or no plausible one
 */
export function resetTimeOf(text: string, now: number): number | undefined {
  const at = fromEpoch(text) ?? fromDate(text) ?? fromSpan(text, now) ?? fromClock(text, now)
  return at !== undefined && at > now - DAY_MS && at < now + MAX_AWAY_MS ? at : undefined
}

function fromEpoch(text: string): number | undefined {
  const [, seconds] = /(?:\||reset\w*(?:[_ ]at)?["':= ]+)(\d{10})(?!\d)/i.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

function fromDate(text: string): number | undefined {
  const pattern = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/
  const found = pattern.exec(text)?.[0]
  const at = found === undefined ? Number.NaN : Date.parse(found.replace(' ', 'T'))
  return Number.isNaN(at) ? undefined : at
}

const units = { d: DAY_MS, h: 60 * MINUTE_MS, m: MINUTE_MS, s: 1000 }

function fromSpan(text: string, now: number): number | undefined {
  const span =
    '(?:\\d{1,5} ?(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\\b[ ,]*(?:and )?)+'
  const found = new RegExp(`\\b(?:in|after) (${span})`, 'i').exec(text)?.[1]
  if (found === undefined) return undefined
  let total = 0
  for (const [, count, unit] of found.matchAll(/(\d+) ?([dhms])/gi)) {
    total += Number(count) * units[(unit ?? 's').toLowerCase() as keyof typeof units]
  }
  return now + total
}

const CLOCK =
  /\b(?:resets?|again|until|back)(?: at| on)? (\d{1,2})(?::(\d\d))? ?([ap])?\.?m?\.?(?: ?\(([A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*)\))?/i

/** The next moment at which the clock shows the time of day, or the current minute. */
function fromClock(text: string, now: number): number | undefined {
  const [, hours, minutes, half, timeZone] = CLOCK.exec(text) ?? []
  if (hours === undefined || !(minutes || half) || Number(minutes ?? 0) > 59) return undefined
  const hour = (Number(hours) % (half ? 12 : 24)) + (half?.toLowerCase() === 'p' ? 12 : 0)
  try {
    return nextDue({ at: `${hour}:${minutes ?? 0}`, timeZone }, now - MINUTE_MS)
  } catch {
    // There is no such zone.
    return undefined
  }
}

export function explain(event: AgentEvent): Explanation {
  const { client, kind, failure, message, reason } = event
  if (kind === 'abnormal-end') {
    const means = ends.get(reason.trim().toLowerCase()) ?? ''
    return { means, advice: 'Look at its terminal. Open the session again to go on.' }
  }
  // What a script or hookbell itself reports explains itself: it has no terminal to look at.
  if (kind !== 'failed' || !failure || !findClient(client)) return NOTHING
  if (failure.isLimit)
    return { means: '', advice: 'Until it is over, another model or account may go on.' }
  const words = `${failure.reason}\n${message}`
  const known = failures.find(([pattern]) => pattern.test(words))?.[1]
  return known ?? (isSaid(message) ? { ...UNSAID, means: '' } : UNSAID)
}

/** Words, as opposed to a code such as `unknown`. */
function isSaid(message: string): boolean {
  return /\s/.test(message.trim())
}
