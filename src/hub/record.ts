import * as z from 'zod'
import { type Answer, type Delivery, type Message, urgencies } from '../delivery.ts'
import { kinds } from '../event/event.ts'
import { configuredChannel } from '../repeated-channel.ts'
import { cutText } from '../text/clean.ts'
import { sha256 } from '../text/sha256.ts'

/** A hub refuses a longer record without parsing it. */
export const MAX_RECORD_BYTES = 64 * 1024
const MAX_TITLE = 500
const MAX_BODY = 16_000
const HASH_LENGTH = 32
const MAX_LABEL = 200
const MAX_QUESTIONS = 30
const WEEK_MS = 7 * 24 * 3600_000

const word = (max: number) => z.string().max(max)
const hashed = z.string().regex(/^[0-9a-f]{32}$/)
const durationMs = z.int().min(0).max(WEEK_MS)

/**
 * What a machine hands over to a hub: one message for one channel, and nothing else. It has durations instead of times,
 * because the clocks of machines differ. The hub trusts none of its fields. It drops unknown fields, and an unknown kind
 * becomes `other`: the machine may be newer, and a refused message would be lost, because the machine does not keep it.
 */
const messageRecord = z
  .object({
    v: z.literal(1),
    type: z.literal('message'),
    id: z
      .string()
      .regex(/^[0-9a-f]{32}(-\d{1,3})?\.[A-Za-z0-9][\w.-]{0,63}$/)
      .describe(
        'A hash of its events, the number of a reminder, and the channel: the same in every repeat',
      ),
    host: word(MAX_LABEL),
    channel: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/),
    session: hashed.describe('The same for all of the session'),
    label: word(MAX_LABEL).describe('What a person knows the session by'),
    urgency: z.enum(urgencies).catch('normal').describe('Its priority'),
    ageMs: durationMs.describe('Since the event'),
    expiresInMs: durationMs.optional().describe('After which it is not worth sending'),
    kind: z.enum(kinds).catch('other'),
    asks: z.boolean().optional().describe('Whether the turn that ended asks something'),
    client: word(64),
    event: word(64),
    title: word(MAX_TITLE),
    body: word(MAX_BODY),
    project: word(MAX_LABEL),
    branch: word(MAX_LABEL),
    count: z.int().min(1).max(1_000_000).describe('How many events it is about'),
  })
  // The id becomes part of a key. Because it ends with the channel, it cannot be the key of another message.
  .refine(({ id, channel }) => id.endsWith(`.${channel}`), {
    path: ['id'],
    error: 'must end with the channel',
  })
export type HubRecord = z.output<typeof messageRecord>

/** Says that somebody answered in a session, so that questions that still wait at the hub need not be sent. */
const answerRecord = z.object({
  v: z.literal(1),
  type: z.literal('answer'),
  host: word(MAX_LABEL),
  session: hashed,
  ageMs: durationMs.describe('Since the answer'),
  isForAll: z.boolean().describe('Whether it answers whatever the session had asked before'),
  questions: z.array(hashed).max(MAX_QUESTIONS).describe('The questions that are known to be over'),
})
export type AnswerRecord = z.output<typeof answerRecord>

/** Everything that a machine may add to the list of a hub. */
export const recordSchema = z.discriminatedUnion('type', [messageRecord, answerRecord])

/** Makes the record that leaves the machine: field by field, so that a new field of a delivery stays here. */
export function recordOf(
  delivery: Pick<Delivery, 'events' | 'host' | 'channel' | 'session' | 'acceptedAt' | 'expires'>,
  message: Message,
  now: number,
): HubRecord {
  const { events, host, channel, session, acceptedAt, expires } = delivery
  const { origin, kind, urgency, asks, client, event, title, body } = message
  return {
    v: 1,
    type: 'message',
    id: recordId(events, channel),
    host: cutText(host, MAX_LABEL),
    channel: configuredChannel(channel),
    session: hash(session),
    label: cutText(origin?.label ?? '', MAX_LABEL),
    urgency,
    ageMs: duration(now - acceptedAt),
    ...(expires > 0 && { expiresInMs: duration(expires - now) }),
    kind,
    ...(asks && { asks }),
    client: cutText(client, 64),
    event: cutText(event, 64),
    title: cutText(title, MAX_TITLE),
    body: cutText(body, MAX_BODY),
    project: cutText(origin?.project ?? '', MAX_LABEL),
    branch: cutText(origin?.branch ?? '', MAX_LABEL),
    count: events.length,
  }
}

/** The name by which answers refer to the question of a message; undefined if it asks none, or several. */
export function questionOf(record: HubRecord): string | undefined {
  return record.kind === 'permission' && record.count === 1 ? hashOfEvents(record) : undefined
}

/** What `id` says of the events: the same in the records for all channels. */
export function hashOfEvents({ id }: HubRecord): string {
  return id.slice(0, HASH_LENGTH)
}

/** Makes the record that leaves the machine when somebody has answered. */
export function answerOf(
  { host, session, at, isForAll, questions }: Answer,
  now: number,
): AnswerRecord {
  return {
    v: 1,
    type: 'answer',
    host: cutText(host, MAX_LABEL),
    session: hash(session),
    ageMs: duration(now - at),
    isForAll,
    questions: questions.slice(-MAX_QUESTIONS).map(hash),
  }
}

/** Hashed, because event ids contain times. A summary has an id of its own: its first event may have been sent already. */
export function recordId(events: readonly string[], channel: string): string {
  const name = configuredChannel(channel)
  return `${hash(events.join(' '))}${channel.slice(name.length).replace(':', '-')}.${name}`
}

/** The ids of sessions and events leave the machine only as hashes. */
function hash(text: string): string {
  return sha256(text).slice(0, HASH_LENGTH)
}

function duration(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), WEEK_MS))
}
