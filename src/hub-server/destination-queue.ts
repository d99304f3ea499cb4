import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { LoadedConfig } from '../config/load/load.ts'
import { dropOldest } from '../drop-oldest.ts'
import { HookbellError } from '../errors.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { COUNTS, PREFIX } from '../hub/keys.ts'
import type { HubRecord } from '../hub/record.ts'
import { SOON_MS } from '../text/age.ts'
import type { HubJob, Received } from './accept.ts'
import type { loadBullmq } from './bullmq.ts'
import { noticeOf } from './dead-channel.ts'
import { destinationOf, type HubQueue } from './destinations.ts'
import { isSent, type SendResult, sendJob } from './send-job.ts'
import type { OnWithdrawn } from './shown.ts'

/** A hub that was killed delays a destination for about this long. */
const LOCK_MS = 10_000
const STALLED_MS = 5000
/** High, because a message is not to blame if its hub was killed while sending it. */
const MAX_STALLED = 20
const KEPT_DEAD = 10_000
/** The pause before the next try when Redis does not answer. */
const UNANSWERED_MS = 500
/** After a pause has been ended by `hub flush`, a worker notices within this time. */
const LONGEST_REST_MS = 5000
/** How long the work on a message may take to begin after Redis has answered. */
const BEGIN_MS = 100
/** For all but permission questions. BullMQ takes jobs without a priority (0) first. */
const ORDINARY = 1

interface HubDestinationQueueDeps {
  bullmq: ReturnType<typeof loadBullmq>
  /** Shared by all queues. */
  connection: Redis
  redis: RedisConnection
  loaded: LoadedConfig
  now(): number
  onWithdrawn: OnWithdrawn
  onSent(received: Received, result: SendResult): void
  onProblem(error: unknown): void
  /** Called when nothing gets through to a channel until a person corrects it. */
  onDeadChannel(record: HubRecord, reason: string): void
}

/** The queue and the worker of one destination: one message at a time across all hubs, at the destination's pace. */
export class HubDestinationQueue {
  readonly queue: Queue<Received>
  readonly channels: readonly string[]
  readonly #worker: Worker<Received>
  readonly #deps: HubDestinationQueueDeps
  readonly #passBy: PassBy
  /** The id of the message that this hub worked on last. */
  #last: string | undefined

  constructor({ queueName, channels }: HubQueue, deps: HubDestinationQueueDeps) {
    const { bullmq, connection, onProblem } = deps
    const options = { connection, prefix: PREFIX }
    this.#deps = deps
    this.channels = channels
    this.queue = new bullmq.Queue<Received>(queueName, {
      ...options,
      // Nobody reads the events of the queue, and by default 10,000 of them are kept.
      streams: { events: { maxLen: 10 } },
    })
    this.#worker = new bullmq.Worker<Received>(queueName, (job) => this.#work(job), {
      ...options,
      ...{ autorun: false, concurrency: 1, drainDelay: 5, maximumRateLimitDelay: LONGEST_REST_MS },
      ...{ lockDuration: LOCK_MS, stalledInterval: STALLED_MS, maxStalledCount: MAX_STALLED },
      ...{ metrics: { maxDataPoints: 60 } },
      ...{ removeOnComplete: { count: 0 }, removeOnFail: { count: KEPT_DEAD } },
    })
    this.#passBy = new PassBy({
      queue: this.queue,
      paceMs: (channel) => this.#paceMs(channel),
      send: (job, passed) => this.#send(job, passed),
    })
    this.queue.on('error', onProblem)
    this.#worker.on('error', onProblem)
  }

  async start() {
    await this.#setLimits()
    void this.#worker.run().catch(this.#deps.onProblem)
  }

  /** To be called when the connection works again. */
  async resume() {
    // A Redis that has lost its data, or an empty one in its place, does not know the limits.
    await this.#setLimits().catch(this.#deps.onProblem)
    await this.#releaseLost()
  }

  /** @param receivedAt Unix ms @param listedMs how long they may have been in the inbox */
  async add(records: readonly HubRecord[], receivedAt: number, listedMs = 0) {
    const late = listedMs >= SOON_MS && { listedMs }
    // Redis may have lost the limits since. Both calls are sent at once, and in this order.
    const limited = this.#setLimits()
    const added = this.queue.addBulk(
      records.map((record) => ({
        name: record.kind,
        data: { record, receivedAt, ...late },
        opts: {
          jobId: record.id,
          ...(record.kind !== 'permission' && { priority: ORDINARY }),
        },
      })),
    )
    await Promise.all([limited, added])
  }

  /** Finishes the message that is being sent. Waits for Redis, if need be for ever. */
  async close() {
    this.#passBy.end()
    await this.#worker.close()
    await this.queue.close()
  }

  /** Ends the connection of the worker, which would otherwise be tried again for ever. */
  async disconnect() {
    await this.#worker.disconnect()
  }

  /** The limiter of BullMQ counts from when a job is taken, not from when it was sent, so `#work` keeps the pace. */
  async #setLimits() {
    await Promise.all([this.queue.setGlobalConcurrency(1), this.queue.setGlobalRateLimit(1, 1)])
  }

  /**
   * Puts back a message that Redis assigned to this hub without the hub noticing, because the connection broke before the
   * reply. Otherwise its destination would wait until LOCK_MS is over.
   */
  async #releaseLost() {
    const { connection } = this.#deps
    for (const job of await this.queue.getActive()) {
      const token = await connection.get(this.queue.toKey(`${job.id}:lock`))
      // Replies arrive in order. So if this connection took the message after all, `#work` begins within BEGIN_MS.
      await sleep(BEGIN_MS)
      const isLost = token?.startsWith(`${this.#worker.id}:`) && job.id !== this.#last
      if (token && isLost) await job.moveToWait(token)
    }
  }

  async #work(job: HubJob) {
    const { bullmq, now, onProblem } = this.#deps
    this.#last = job.id
    const result = await this.#send(job)
    const paceMs = isSent(result) ? this.#paceMs(job.data.record.channel) : 0
    const pauseMs =
      result.type === 'deferred'
        ? Math.max(1, paceMs, (await this.#triedAgainAt(job, result)) - now())
        : paceMs
    // A rate limit holds for all hubs and, unlike the backoff of BullMQ, keeps the order.
    if (pauseMs > 0) await this.queue.rateLimit(pauseMs).catch(onProblem)
    if (result.type === 'deferred') throw bullmq.Worker.RateLimitError()
    if (result.type === 'exhausted' || result.type === 'unavailable')
      throw new bullmq.UnrecoverableError(result.reason)
  }

  async #send(job: HubJob, passed?: ReadonlySet<string>): Promise<SendResult> {
    const { onSent, redis } = this.#deps
    const result = await this.#sendJob(job, passed)
    onSent(job.data, result)
    this.#noteChannel(job.data.record, result)
    // A message counts once, however many recipients get it later.
    if (!job.data.rest) void redis.count('HINCRBY', COUNTS, result.type, '1').catch(() => {})
    return result
  }

  /** When the message that failed is tried again, Unix ms. Others may pass it before. */
  async #triedAgainAt(
    job: HubJob,
    result: Extract<SendResult, { type: 'deferred' }>,
  ): Promise<number> {
    const { onProblem } = this.#deps
    const until = await this.#passBy.sendOthers(job, result).catch(onProblem)
    return Math.max(result.until, until ?? 0)
  }

  #paceMs(channel: string): number {
    const destination = destinationOf(channel, this.#deps.loaded)
    return 'error' in destination ? 0 : (destination.notifier.pace?.minIntervalMs ?? 0)
  }

  #noteChannel(record: HubRecord, result: SendResult) {
    const { onDeadChannel } = this.#deps
    if (result.type === 'exhausted' && result.isChannelDead) onDeadChannel(record, result.reason)
  }

  /** If Redis does not answer, nothing was sent or decided, and the message keeps its place in the queue. */
  async #sendJob(job: HubJob, passed?: ReadonlySet<string>) {
    try {
      return await sendJob(job, { ...this.#deps, queue: this.queue, ...(passed && { passed }) })
    } catch (error) {
      this.#deps.onProblem(error)
      await sleep(UNANSWERED_MS)
      // Any other error would mark the job as failed for good.
      throw this.#deps.bullmq.Worker.RateLimitError()
    }
  }
}

type Deferred = Extract<SendResult, { type: 'deferred' }>

/** With the default delays after half a minute: in a shorter outage a failure says nothing about the message. */
const PASSED_FROM = 5

/** After this many failures in a row, that of the passed message included, the destination itself is down. */
const MAX_FAILURES = 3

const LISTED = 200

const MAX_REJECTED = 1000

interface PassByDeps {
  queue: Queue<Received>
  /** The shortest time between two messages to the channel, in ms. */
  paceMs(channel: string): number
  /** Sends a message and records that. @param passed sessions of which it must include no message */
  send(job: HubJob, passed: ReadonlySet<string>): Promise<SendResult>
}

/** What has happened since the message failed that the others pass. */
interface Run {
  /** Sessions whose later messages must wait. */
  passed: Set<string>
  /** How many messages failed in a row. */
  failures: number
  /** How long to wait before the next message, in ms. */
  pauseMs: number
  /** Until when the destination must be left alone, Unix ms; 0 if it need not be. */
  until: number
}

/** Lets messages of other sessions overtake a message that keeps failing while its receiver accepts others. */
class PassBy {
  readonly #deps: PassByDeps
  /** Ids of messages that failed for good. They become dead when their turn comes, and are not sent before. */
  readonly #rejected = new Set<string>()
  #isEnding = false

  constructor(deps: PassByDeps) {
    this.#deps = deps
  }

  /** Nothing more is sent. */
  end() {
    this.#isEnding = true
  }

  /**
   * Sends what waits behind a message that failed again and again, without later ones of its session. Call it while the
   * job of that message is active, so that nobody else sends to the destination.
   * @returns until when the destination must be left alone, Unix ms; 0 if it need not be
   */
  async sendOthers({ data }: HubJob, { attempt, asksToWait }: Deferred): Promise<number> {
    if (attempt < PASSED_FROM || asksToWait) return 0
    const { channel, session } = data.record
    const pauseMs = this.#deps.paceMs(channel)
    const run: Run = { passed: new Set([session]), failures: 1, pauseMs, until: 0 }
    while (await this.#sendListed(run));
    return run.until
  }

  /** @returns whether there may be more to send */
  async #sendListed(run: Run): Promise<boolean> {
    let hasSent = false
    const jobs = await this.#deps.queue.getJobs(['wait', 'prioritized'], 0, LISTED - 1, true)
    for (const job of jobs) {
      // It may have been removed meanwhile.
      if (!job || run.passed.has(job.data.record.session)) continue
      if (this.#isEnding || run.failures >= MAX_FAILURES || run.until > 0) return false
      if (await this.#send(job, run)) hasSent = true
      else run.passed.add(job.data.record.session)
    }
    return hasSent
  }

  /** @returns whether it got through, or need not be sent */
  async #send(job: HubJob, run: Run): Promise<boolean> {
    const { paceMs, send } = this.#deps
    if (this.#rejected.has(`${job.id}`)) return false
    await sleep(run.pauseMs)
    const result = await send(job, run.passed)
    run.pauseMs = isSent(result) ? paceMs(job.data.record.channel) : 0
    if (result.type === 'deferred' && result.asksToWait) run.until = result.until
    if (['deferred', 'exhausted', 'unavailable'].includes(result.type)) {
      run.failures += 1
      if (result.type !== 'deferred') this.#reject(job)
      return false
    }
    if (result.type === 'delivered') run.failures = 0
    await job.remove()
    return true
  }

  #reject({ id }: HubJob) {
    this.#rejected.add(`${id}`)
    dropOldest(this.#rejected, MAX_REJECTED)
  }
}

export type HubQueuesDeps = Omit<HubDestinationQueueDeps, 'onDeadChannel'>

/** The queues of all destinations of a hub. */
export class HubQueues {
  readonly all: readonly HubDestinationQueue[]
  readonly channels: readonly string[]
  readonly #deps: HubQueuesDeps

  /** @throws HookbellError if there is no channel to send to */
  constructor(found: readonly HubQueue[], deps: HubQueuesDeps) {
    this.channels = found.flatMap(({ channels }) => channels)
    if (this.channels.length === 0)
      throw new HookbellError('E_CONFIG', 'hub: config.json has no channel to send to')
    const onDeadChannel = (record: HubRecord, reason: string) =>
      void this.#tellDead(record, reason).catch(deps.onProblem)
    this.all = found.map((one) => new HubDestinationQueue(one, { ...deps, onDeadChannel }))
    this.#deps = deps
  }

  async start() {
    await Promise.all(this.all.map((queue) => queue.start()))
    const { connection, onProblem } = this.#deps
    connection.on('ready', () => {
      for (const queue of this.all) void queue.resume().catch(onProblem)
    })
  }

  /** Adds each record to the queue of its channel. What is there already is not added again. */
  async add(records: readonly HubRecord[], receivedAt: number, listedMs = 0) {
    await Promise.all(
      this.all.map((queue) => {
        const own = records.filter(({ channel }) => this.#queueOf(channel) === queue)
        return own.length > 0 ? queue.add(own, receivedAt, listedMs) : undefined
      }),
    )
  }

  /**
   * Waits for what is being sent. Without Redis the end of that cannot be recorded: it is sent again by the next hub.
   * Never throws.
   */
  async close() {
    const { connection, onProblem } = this.#deps
    const isReady = () => connection.status === 'ready'
    const lost = new Promise((resolve) => {
      if (isReady()) connection.once('close', resolve)
      else resolve(undefined)
    })
    const closed = Promise.all(this.all.map((queue) => queue.close().catch(onProblem)))
    await Promise.race([closed, lost])
    if (!isReady()) for (const queue of this.all) void queue.disconnect().catch(onProblem)
  }

  async #tellDead({ channel, host }: HubRecord, reason: string) {
    const notice = await noticeOf({ channel, host, reason }, this.#deps)
    if (notice) await this.add([notice], this.#deps.now())
  }

  /** In any queue, a message for a channel that is not here becomes dead, and can be retried once the channel is. */
  #queueOf(channel: string): HubDestinationQueue | undefined {
    return this.all.find((queue) => queue.channels.includes(channel)) ?? this.all[0]
  }
}
