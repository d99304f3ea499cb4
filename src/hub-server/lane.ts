import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionOptions, Queue, Worker } from 'bullmq'
import type { LoadedConfig } from '../config/load.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { COUNTS, PREFIX } from '../hub/keys.ts'
import type { HubRecord } from '../hub/record.ts'
import type { Received } from './accept.ts'
import type { loadBullmq } from './bullmq.ts'
import type { HubDestination } from './destinations.ts'
import { type Told, tell } from './tell.ts'

/** A hub that was killed holds a destination up for about so long. */
const LOCK_MS = 10_000
const STALLED_MS = 5000
/** Being killed says nothing against a message. */
const MAX_STALLED = 20
const KEPT_DEAD = 10_000
/** Before the next try, where Redis does not answer. */
const UNANSWERED_MS = 500
/** BullMQ takes priority 0 before all others. */
const ORDINARY = 1

type Job = Parameters<typeof tell>[0]

export interface LaneDeps {
  bullmq: Awaited<ReturnType<typeof loadBullmq>>
  /** Shared by all of them. */
  connection: ConnectionOptions
  redis: RedisConnection
  loaded: LoadedConfig
  now(): number
  onWithdrawn(of: { id: string; channel: string }, answer: string): void
  onTold(received: Received, told: Told): void
  onProblem(error: unknown): void
}

/** The queue of one destination, and what takes from it: one message at a time over all hubs, with its pace. */
export class DestinationLane {
  readonly queue: Queue<Received>
  readonly channels: readonly string[]
  readonly #worker: Worker<Received>
  readonly #deps: LaneDeps

  constructor(destination: HubDestination, deps: LaneDeps) {
    const { bullmq, connection, onProblem } = deps
    const options = { connection, prefix: PREFIX }
    this.#deps = deps
    this.channels = destination.channels
    this.queue = new bullmq.Queue<Received>(destination.queueName, {
      ...options,
      // Nobody reads its events: by default 10,000 of them are kept per queue.
      streams: { events: { maxLen: 10 } },
    })
    this.#worker = new bullmq.Worker<Received>(
      destination.queueName,
      (job) => this.#work(job, destination),
      {
        ...options,
        ...{ autorun: false, concurrency: 1, drainDelay: 5 },
        ...{ lockDuration: LOCK_MS, stalledInterval: STALLED_MS, maxStalledCount: MAX_STALLED },
        ...{ metrics: { maxDataPoints: 60 } },
        ...{ removeOnComplete: { count: 0 }, removeOnFail: { count: KEPT_DEAD } },
      },
    )
    this.queue.on('error', onProblem)
    this.#worker.on('error', onProblem)
  }

  /** Its own limiter counts when a message is taken, not when it was sent: so the pace is kept after the answer. */
  async start() {
    await this.queue.setGlobalConcurrency(1)
    await this.queue.setGlobalRateLimit(1, 1)
    void this.#worker.run().catch(this.#deps.onProblem)
  }

  /** @param receivedAt Unix ms */
  async add(records: readonly HubRecord[], receivedAt: number) {
    await this.queue.addBulk(
      records.map((record) => ({
        name: record.kind,
        data: { record, receivedAt },
        opts: {
          jobId: record.id,
          ...(record.kind !== 'permission' && { priority: ORDINARY }),
        },
      })),
    )
  }

  async close() {
    await this.#worker.close()
    await this.queue.close()
  }

  async #work(job: Job, { notifier }: HubDestination) {
    const { bullmq, onTold, now, redis, onProblem } = this.#deps
    const told = await this.#tell(job)
    onTold(job.data, told)
    void redis.call('HINCRBY', COUNTS, told.type, '1').catch(() => {})
    const isSent = !['repeat', 'expired', 'answered'].includes(told.type)
    const paceMs = isSent ? (notifier.pace?.minIntervalMs ?? 0) : 0
    // Holds for all hubs, and unlike the backoff of BullMQ leaves the order as it is.
    const pauseMs = told.type === 'deferred' ? Math.max(1, paceMs, told.until - now()) : paceMs
    if (pauseMs > 0) await this.queue.rateLimit(pauseMs).catch(onProblem)
    if (told.type === 'deferred') throw bullmq.Worker.RateLimitError()
    if (told.type === 'exhausted' || told.type === 'unavailable')
      throw new bullmq.UnrecoverableError(told.reason)
  }

  /** Without an answer of Redis nothing was sent, and nothing is decided: the message keeps its place. */
  async #tell(job: Job) {
    try {
      return await tell(job, { ...this.#deps, queue: this.queue })
    } catch (error) {
      this.#deps.onProblem(error)
      await sleep(UNANSWERED_MS)
      // Any other error would make it one that has failed for good.
      throw this.#deps.bullmq.Worker.RateLimitError()
    }
  }
}
