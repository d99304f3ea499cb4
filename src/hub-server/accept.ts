import type { Job } from 'bullmq'
import type { Delivery } from '../delivery.ts'
import { type AnswerRecord, type HubRecord, MAX_RECORD_BYTES, recordSchema } from '../hub/record.ts'
import { cleanText, oneLine } from '../text/clean.ts'

/** A record in the queue of a destination. Times are those of the hub's clock. */
export interface Received {
  record: HubRecord
  /** Unix ms. */
  receivedAt: number
  /** How long it may have been in the inbox before; absent if that is not worth mentioning, or not known. */
  listedMs?: number
  /** Set if only some recipients have received it: those who have not, and the number of attempts so far. */
  rest?: { remaining: string[]; attempts: number }
}

/** The job in which BullMQ stores it. */
export type HubJob = Job<Received>

/** Parses a record of a machine. The reason of a refusal repeats no values of the text. */
export function parseRecord(text: string): HubRecord | AnswerRecord | { refused: string } {
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) return { refused: 'too long' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { refused: 'not JSON' }
  }
  const { data, error } = recordSchema.safeParse(value)
  if (data) return data
  const [issue] = error.issues
  return { refused: `not a record: ${issue?.path.join('.') || issue?.code}` }
}

/** Makes a delivery, as for an event of this machine. Host and texts come from another machine, so they are cleaned. */
export function toDelivery({ record, receivedAt, rest }: Received, tries: number): Delivery {
  const { id, channel, session, kind, asks, urgency, ageMs, expiresInMs } = record
  const acceptedAt = receivedAt - ageMs
  const attempts = tries + (rest?.attempts ?? 0)
  return {
    id,
    events: Array.from({ length: Math.min(record.count, 1000) }, (_, index) => `${id}#${index}`),
    host: oneLine(record.host),
    channel,
    session,
    kind,
    urgency,
    message: {
      ...{ id, kind, urgency, markup: '', sessionId: session, cwd: '' },
      event: oneLine(record.event),
      client: oneLine(record.client),
      title: oneLine(record.title),
      body: cleanText(record.body),
      origin: {
        label: oneLine(record.label),
        project: oneLine(record.project),
        branch: oneLine(record.branch),
        host: oneLine(record.host),
        reply: '',
      },
      at: new Date(acceptedAt).toISOString(),
      ...(asks && { asks }),
    },
    sessionEnv: {},
    acceptedAt,
    notBefore: 0,
    expires: expiresInMs === undefined ? 0 : receivedAt + expiresInMs,
    ...(rest && { remaining: rest.remaining }),
    attempts,
    firstTriedAt: attempts > 0 ? receivedAt : 0,
  }
}
