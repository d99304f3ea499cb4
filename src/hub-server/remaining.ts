import type { Queue } from 'bullmq'
import type { LoadedConfig } from '../config/load/load.ts'
import { sentOutcome } from '../deliver/attempt.ts'
import type { Delivery } from '../delivery.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { recordOf } from '../hub/record.ts'
import type { Sent } from '../notifiers/define.ts'
import type { HubJob, Received } from './accept.ts'

interface Deps {
  queue: Queue<Received>
  loaded: LoadedConfig
  now(): number
  onProblem(error: unknown): void
}

/**
 * Adds a job for the recipients who have not received a message that others have. It is delayed, so that nothing waits for
 * it. Its record has the id of the message, which has ended by then: an older hub drops it as a repeat. Never throws,
 * because the message would be sent to all recipients again.
 * @param whole what was sent, such as a summary @param sent the answer of the receiver
 */
export async function addRemaining(
  job: HubJob,
  whole: Delivery,
  sent: Sent,
  { queue, loaded, now, onProblem }: Deps,
) {
  const outcome = sentOutcome(whole, sent, 0, loaded, { now, random: Math.random })
  if (outcome.type !== 'deferred') return
  const { attempt, until, delivery } = outcome
  const { receivedAt, record } = job.data
  const { id, session, kind } = record
  // With its age at its arrival, because `receivedAt` stays the same.
  const text = recordOf(whole, whole.message, receivedAt)
  const rest = { remaining: delivery.remaining ?? [], attempts: attempt }
  const { priority } = job.opts
  await queue
    .add(
      kind,
      { record: { ...text, id, session }, receivedAt, rest },
      {
        jobId: retryId(job),
        delay: Math.max(0, until - now()),
        ...(priority && { priority }),
      },
    )
    .catch(onProblem)
}

/** Whether a hub sent a message to some recipients, and was killed before it marked the message as sent. */
export async function hasRemaining(
  job: HubJob,
  queue: Queue<Received>,
  redis: RedisConnection,
): Promise<boolean> {
  return (await redis.count('EXISTS', queue.toKey(retryId(job)))) === 1
}

function retryId({ id }: HubJob): string {
  return `${id}~`
}
