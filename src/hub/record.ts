import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type Delivery, type Message, urgencies } from '../delivery.ts'
import { kinds } from '../event/kind.ts'
import { cutText } from '../text/clean.ts'

/** More than this and a hub does not even parse it. */
export const MAX_RECORD_BYTES = 64 * 1024
const MAX_TITLE = 500
const MAX_BODY = 16_000
const MAX_LABEL = 200
const WEEK_MS = 7 * 24 * 3600_000

const word = (max: number) => z.string().max(max)
const durationMs = z.int().min(0).max(WEEK_MS)

/**
 * What a machine hands over to a hub: one message for one channel, and nothing else. Durations, never times: the clocks
 * of machines differ. For the hub every field is the claim of a stranger.
 */
export const recordSchema = z
  .strictObject({
    v: z.literal(1),
    id: z.string().regex(/^[A-Za-z0-9][\w.~-]{0,199}$/),
    host: word(MAX_LABEL),
    channel: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/),
    session: z
      .string()
      .regex(/^[\w.:-]{0,64}$/)
      .describe('A hash, the same for all of the session'),
    label: word(MAX_LABEL).describe('What a person knows the session by'),
    sequence: z.int().min(0).describe('Grows within a session; means nothing else'),
    urgency: z.enum(urgencies).describe('Its priority'),
    ageMs: durationMs.describe('Since the event'),
    expiresInMs: durationMs.optional().describe('After which it is not worth telling'),
    kind: z.enum(kinds),
    client: word(64),
    event: word(64),
    title: word(MAX_TITLE),
    body: word(MAX_BODY),
    project: word(MAX_LABEL),
    branch: word(MAX_LABEL),
    count: z.int().min(1).max(1_000_000).describe('How many events it tells of'),
  })
  // The id becomes part of a key, and no other key ends so.
  .refine(({ id, channel }) => id.endsWith(`.${channel}`), {
    path: ['id'],
    error: 'must end with the channel',
  })
export type HubRecord = z.output<typeof recordSchema>

/** What leaves the machine: picked field by field, so that a new field of a delivery stays here. */
export function recordOf(
  delivery: Pick<Delivery, 'events' | 'host' | 'channel' | 'session' | 'acceptedAt' | 'expires'>,
  message: Message,
  now: number,
): HubRecord {
  const { events, host, channel, session, acceptedAt, expires } = delivery
  const { origin, kind, urgency, client, event, title, body } = message
  return {
    v: 1,
    id: recordId(events, channel),
    host: cutText(host, MAX_LABEL),
    channel,
    session: hash(session),
    label: cutText(origin?.label ?? '', MAX_LABEL),
    sequence: acceptedAt,
    urgency,
    ageMs: duration(now - acceptedAt),
    ...(expires > 0 && { expiresInMs: duration(expires - now) }),
    kind,
    client: cutText(client, 64),
    event: cutText(event, 64),
    title: cutText(title, MAX_TITLE),
    body: cutText(body, MAX_BODY),
    project: cutText(origin?.project ?? '', MAX_LABEL),
    branch: cutText(origin?.branch ?? '', MAX_LABEL),
    count: events.length,
  }
}

/** A summary is not the first of the events it tells of: that may have been handed over already. */
function recordId(events: readonly string[], channel: string): string {
  const [first = ''] = events
  return events.length === 1 && /^[\w.~-]{1,120}$/.test(first)
    ? `${first}.${channel}`
    : `${hash(events.join(' '))}.${channel}`
}

/** The session's own id stays on the machine. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function duration(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), WEEK_MS))
}
