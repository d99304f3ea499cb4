import type { HubJob } from './accept.ts'
import { noteEnd } from './history.ts'
import { readTime } from './redis.ts'
import type { OpenHub } from './status.ts'

/** The messages that were given up, or refused by their destination. */
export async function deadInHub({ queues }: OpenHub) {
  const all = await Promise.all(queues.map(({ queue }) => queue.getFailed(0, 999)))
  return all.flat().map(({ data: { record, receivedAt }, failedReason }) => ({
    ...{ id: record.id, host: record.host, channel: record.channel },
    ...{ receivedAt, title: record.title, reason: failedReason },
  }))
}

/**
 * Retries or drops dead messages. @param id of one message; absent: all. For a message that only some recipients have not
 * received, only these count. @returns how many were retried or dropped
 */
export async function actOnDead(
  { queues, redis }: OpenHub,
  action: 'retry' | 'drop',
  id?: string,
): Promise<number> {
  const all = await Promise.all(queues.map(({ queue }) => queue.getFailed()))
  // Oldest first: they are sent in the order in which they are put back.
  const meant = all
    .flatMap((one) => one.reverse())
    .filter((job) => id === undefined || job.data.record.id === id)
  const now = await readTime(redis)
  if (action === 'retry') await Promise.all(meant.map((job) => retry(job, now)))
  else {
    const ended = { at: now, state: 'dropped', detail: 'by a person' } as const
    await Promise.all(meant.map((job) => job.remove()))
    // By the id of the job: a message that some recipients have received stays `delivered`.
    await Promise.all(meant.map((job) => noteEnd([`${job.id}`], ended, redis)))
  }
  return meant.length
}

/** Puts it back as if it had just arrived, with all attempts and regardless of its age: a person wants it sent. */
async function retry(job: HubJob, now: number) {
  const { record, receivedAt, rest, ...other } = job.data
  const { expiresInMs: _, ...text } = record
  const ageMs = record.ageMs + Math.max(0, now - receivedAt)
  await job.updateData({
    ...other,
    ...{ record: { ...text, ageMs }, receivedAt: now },
    ...(rest && { rest: { ...rest, attempts: 0 } }),
  })
  await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
}
