import type { Queue } from 'bullmq'
import type { LoadedConfig } from '../config/load/load.ts'
import { sentOutcome } from '../deliver/attempt.ts'
import type { Delivery } from '../delivery.ts'
import { recordOf } from '../hub/record.ts'
import type { Sent } from '../notifiers/define.ts'
import type { HubJob, Received } from './accept.ts'

interface Deps {
  queue: Queue<Received>
  loaded: LoadedConfig
  now(): number
}

/**
 * Adds a job for the recipients who lack a message that others have. It is delayed, so that nothing waits for it. Its id is
 * that of the ended message, which an older hub takes for a repeat: there they get nothing, as before.
 * @param whole what was sent, such as a summary @param sent the answer to it
 */
export async function addRemaining(
  { data, opts }: HubJob,
  whole: Delivery,
  sent: Sent,
  { queue, loaded, now }: Deps,
) {
  const outcome = sentOutcome(whole, sent, 0, loaded, { now, random: Math.random })
  if (outcome.type !== 'deferred') return
  const { attempt, until, delivery } = outcome
  const { receivedAt, record } = data
  const { id, session, kind } = record
  // As of its arrival, so that it does not become younger.
  const text = recordOf(whole, whole.message, receivedAt)
  await queue.add(
    kind,
    {
      record: { ...text, id, session },
      receivedAt,
      rest: { remaining: delivery.remaining ?? [], attempts: attempt },
    },
    {
      jobId: `${id}~${attempt}`,
      delay: Math.max(0, until - now()),
      ...(opts.priority && { priority: opts.priority }),
    },
  )
}
