import type { Queue } from 'bullmq'
import type { LoadedConfig } from '../config/load.ts'
import { RedisConnection } from '../hub/connection.ts'
import { COUNTS, PREFIX, REFUSED } from '../hub/keys.ts'
import type { Received } from './accept.ts'
import { loadBullmq, redisOptions } from './bullmq.ts'
import { checkRedis } from './check-redis.ts'
import { hubDestinations } from './destinations.ts'
import { countInbox } from './room.ts'
import { connectionOf } from './run.ts'

interface OpenHub {
  redis: RedisConnection
  queues: readonly { channels: readonly string[]; queue: Queue<Received> }[]
}

/** Opens the queues of a hub for one look or one action. @throws HookbellError */
export async function withHub<Result>(
  loaded: LoadedConfig,
  work: (hub: OpenHub) => Promise<Result>,
): Promise<Result> {
  const connection = connectionOf(loaded)
  const { Queue } = await loadBullmq()
  const redis = new RedisConnection(connection, { maxReplyBytes: 1024 * 1024 })
  // Without an answer the client below would wait for one without end.
  await checkRedis(redis)
  const options = { connection: redisOptions(connection), prefix: PREFIX }
  const queues = [...hubDestinations(loaded).values()].map(({ channels, queueName }) => {
    const queue = new Queue<Received>(queueName, options)
    queue.on('error', () => {})
    return { channels, queue }
  })
  try {
    return await work({ redis, queues })
  } finally {
    await Promise.all(queues.map(({ queue }) => queue.close()))
    redis.close()
  }
}

/** What waits and what became of the rest. Times are Unix ms of the hub. */
export async function hubStatus(loaded: LoadedConfig) {
  return await withHub(loaded, async ({ redis, queues }) => {
    const [inbox, counts, refused] = await Promise.all([
      countInbox(redis),
      redis.call('HGETALL', COUNTS),
      redis.call('LRANGE', REFUSED, '0', '0'),
    ])
    return {
      inbox,
      counts: pairsOf(Array.isArray(counts) ? counts : []),
      lastRefused: Array.isArray(refused) && refused[0] ? JSON.parse(String(refused[0])) : null,
      destinations: await Promise.all(queues.map(statusOf)),
    }
  })
}

async function statusOf({ channels, queue }: OpenHub['queues'][number]) {
  const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'failed')
  const { wait = 0, prioritized = 0, active = 0, failed = 0 } = counts
  const first = await queue.getJobs(['wait', 'prioritized'], 0, 0, true)
  const oldest = Math.min(...first.flatMap((job) => job?.data.receivedAt ?? []))
  return {
    channels,
    waiting: wait + prioritized,
    questions: wait,
    active,
    dead: failed,
    oldest: Number.isFinite(oldest) ? oldest : null,
  }
}

/** What was given up, or refused by its destination. */
export async function deadInHub(loaded: LoadedConfig) {
  return await withHub(loaded, async ({ queues }) => {
    const all = await Promise.all(queues.map(({ queue }) => queue.getFailed(0, 999)))
    return all.flat().map(({ data: { record, receivedAt }, failedReason }) => ({
      ...{ id: record.id, host: record.host, channel: record.channel },
      ...{ receivedAt, title: record.title, reason: failedReason },
    }))
  })
}

/** @param id of one; absent: all. @returns how many */
export async function actOnDead(
  loaded: LoadedConfig,
  action: 'retry' | 'drop',
  id?: string,
): Promise<number> {
  return await withHub(loaded, async ({ queues }) => {
    const all = await Promise.all(queues.map(({ queue }) => queue.getFailed()))
    const meant = all.flat().filter((job) => id === undefined || job.id === id)
    await Promise.all(meant.map((job) => (action === 'retry' ? job.retry() : job.remove())))
    return meant.length
  })
}

function pairsOf(flat: readonly unknown[]): Record<string, number> {
  const pairs: Record<string, number> = {}
  for (let at = 0; at < flat.length; at += 2) pairs[String(flat[at])] = Number(flat[at + 1])
  return pairs
}
