import type { Metrics, Queue } from 'bullmq'
import type { LoadedConfig } from '../config/load/load.ts'
import { RedisConnection } from '../hub/connection.ts'
import { COUNTS, INBOX, PREFIX, REFUSED, ROUTER } from '../hub/keys.ts'
import { cleanText } from '../text/clean.ts'
import type { Received } from './accept.ts'
import { loadBullmq, openShared } from './bullmq.ts'
import { hubQueues } from './destinations.ts'
import { historyOf } from './history.ts'
import { checkRedis, countInbox, fieldsIn } from './redis.ts'
import { connectionOf } from './run.ts'

/** Access to the data of a hub: one that runs in this process, or its Redis. */
export interface OpenHub {
  redis: RedisConnection
  queues: readonly { channels: readonly string[]; queue: Queue<Received> }[]
}

/** Opens the queues of a hub for as long as `work` needs them. @throws HookbellError */
export async function withHub<Result>(
  loaded: LoadedConfig,
  work: (hub: OpenHub) => Promise<Result>,
): Promise<Result> {
  const connection = connectionOf(loaded)
  const { Queue } = loadBullmq()
  const redis = new RedisConnection(connection, { maxReplyBytes: 1024 * 1024 })
  // Fails if Redis does not answer; BullMQ's client below would wait for it forever.
  await checkRedis(redis)
  const found = await hubQueues(loaded, redis)
  const { shared, close } = openShared(connection, () => {})
  const queues = found.map(({ channels, queueName }) => {
    const queue = new Queue<Received>(queueName, { connection: shared, prefix: PREFIX })
    queue.on('error', () => {})
    return { channels, queue }
  })
  try {
    return await work({ redis, queues })
  } finally {
    await Promise.all(queues.map(({ queue }) => queue.close()))
    close()
    redis.close()
  }
}

/** What waits and what became of the rest. Times are Unix ms of the hub. */
export async function hubStatus({ redis, queues }: OpenHub) {
  const [inbox, type, router, counts, refused] = await Promise.all([
    countInbox(redis),
    redis.text('TYPE', INBOX),
    redis.count('EXISTS', ROUTER),
    redis.texts('HGETALL', COUNTS),
    redis.texts('LRANGE', REFUSED, '0', '0'),
  ])
  const destinations = await Promise.all(queues.map((one) => statusOf(one, redis)))
  return {
    inbox,
    /** Whether a hub takes in what machines have handed over. */
    isRunning: router === 1,
    /** Whether machines are turned away because Redis is almost full. */
    isShut: type === 'string',
    counts: Object.fromEntries(fieldsIn(counts).map(([name, count]) => [name, Number(count)])),
    lastRefused: refused.map(parseRefusal)[0] ?? null,
    destinations: destinations.filter((one) => one.channels.length > 0 || isUsed(one)),
  }
}

/** Whether there is anything in a queue. */
function isUsed({ waiting, active, dead }: Awaited<ReturnType<typeof statusOf>>): boolean {
  return waiting + active + dead > 0
}

/** How many dead messages are read for their reasons. */
const DEAD_LOOKED_AT = 200
const MINUTES = 60

async function statusOf({ channels, queue }: OpenHub['queues'][number], redis: RedisConnection) {
  const [counts, first, dead, metrics, restMs] = await Promise.all([
    queue.getJobCounts('wait', 'prioritized', 'delayed', 'active', 'failed'),
    queue.getJobs(['wait', 'prioritized'], 0, 0, true),
    queue.getFailed(0, DEAD_LOOKED_AT - 1),
    queue.getMetrics('completed', 0, MINUTES - 1),
    queue.getRateLimitTtl(),
  ])
  const { wait = 0, prioritized = 0, delayed = 0, active = 0, failed = 0 } = counts
  const oldest = Math.min(...first.flatMap((job) => job?.data.receivedAt ?? []))
  const tried = await Promise.all(first.map((job) => historyOf(job?.data.record.id ?? '', redis)))
  return {
    channels,
    waiting: wait + prioritized + delayed,
    questions: wait,
    active,
    endedInLastHour: endedIn(metrics),
    dead: failed,
    deadBecause: countReasons(dead.map(({ failedReason }) => failedReason)),
    oldest: Number.isFinite(oldest) ? oldest : null,
    restMs: Math.max(0, restMs),
    /** Why the message whose turn it is was not sent yet, if it was tried. */
    lastFailure: tried.find(({ failure }) => failure !== undefined)?.failure ?? null,
  }
}

/** `data` has whole minutes; what ended since the last of them is only in the count. */
function endedIn({ data, meta }: Metrics): number {
  const current = Math.max(0, Number(meta.count) - Number(meta.prevCount))
  return data.reduce((sum, one) => sum + Number(one), 0) + current
}

function countReasons(reasons: readonly (string | undefined)[]) {
  const counts = new Map<string, number>()
  for (const reason of reasons.map((one) => cleanText(one ?? '')))
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const all = [...counts].map(([reason, count]) => ({ reason, count }))
  return all.sort((one, other) => other.count - one.count)
}

function parseRefusal(text: string): { at: number; why: string } {
  return JSON.parse(text)
}
