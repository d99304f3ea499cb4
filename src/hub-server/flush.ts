import type { Queue } from 'bullmq'
import type { Received } from './accept.ts'
import type { OpenHub } from './status.ts'

/**
 * Ends the pause of destinations after a failure: what waits is tried within seconds.
 * @param channels those whose destinations are meant; absent: all
 * @returns how many messages wait there
 */
export async function flushHub({ queues }: OpenHub, channels?: readonly string[]): Promise<number> {
  const meant = queues.filter(
    (one) => !channels || one.channels.some((it) => channels.includes(it)),
  )
  const counts = await Promise.all(
    meant.map(({ queue }) => queue.getJobCounts('wait', 'prioritized', 'delayed')),
  )
  await Promise.all(meant.map(({ queue }) => queue.removeRateLimitKey()))
  await Promise.all(meant.map(({ queue }) => promoteAll(queue)))
  return counts.flatMap((one) => Object.values(one)).reduce((sum, count) => sum + count, 0)
}

/** One by one, because `promoteJobs` of BullMQ forgets priorities: they would pass the permission questions. */
async function promoteAll(queue: Queue<Received>) {
  const jobs = await queue.getDelayed()
  // One that has become due meanwhile is not delayed any more.
  await Promise.all(jobs.map((job) => job?.promote().catch(() => {})))
}
