import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { dropOldest } from '../drop-oldest.ts'
import type { HubJob, Received } from './accept.ts'
import { isSent, type Told } from './tell.ts'

type Deferred = Extract<Told, { type: 'deferred' }>

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
  send(job: HubJob, passed: ReadonlySet<string>): Promise<Told>
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
export class PassBy {
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
    const told = await send(job, run.passed)
    run.pauseMs = isSent(told) ? paceMs(job.data.record.channel) : 0
    if (told.type === 'deferred' && told.asksToWait) run.until = told.until
    if (['deferred', 'exhausted', 'unavailable'].includes(told.type)) {
      run.failures += 1
      if (told.type !== 'deferred') this.#reject(job)
      return false
    }
    if (told.type === 'delivered') run.failures = 0
    await job.remove()
    return true
  }

  #reject({ id }: HubJob) {
    this.#rejected.add(`${id}`)
    dropOldest(this.#rejected, MAX_REJECTED)
  }
}
