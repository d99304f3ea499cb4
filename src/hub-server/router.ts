import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from '../hub/connection.ts'
import { COUNTS, EMPTY, HELD, INBOX, REFUSED, ROUTER, TAKEN } from '../hub/keys.ts'
import { type AnswerRecord, type HubRecord, MAX_RECORD_BYTES } from '../hub/record.ts'
import { parseRecord } from './accept.ts'
import type { ReceivedAnswer } from './answers.ts'
import type { MemoryGuard } from './redis.ts'
import { BECOME_ROUTER, FINISH, RESIGN, TAKE } from './scripts.ts'

/** Must be longer than a batch takes, or it is taken again and again. A router that was killed delays the other hubs for this long. */
const HOLD_MS = 10_000
/** How often the router renews its claim; must be well below HOLD_MS. */
const RENEW_MS = 2000
/** Records per batch. MAX_REPLY_BYTES has room for this many of the longest ones. */
const BATCH = 100
/** Records per batch when Redis is almost full. */
const SMALL_BATCH = 10
export const MAX_REPLY_BYTES = BATCH * MAX_RECORD_BYTES + 1024 * 1024
const EMPTY_MS = 50
/** How often an empty inbox is noted for a later router. */
const NOTE_EVERY_MS = 10_000
const NOT_ROUTER_MS = 500
const FAILED_MS = 1000
const REFUSALS_KEPT = 100

interface RouterDeps {
  redis: RedisConnection
  memory: MemoryGuard
  /**
   * Puts records into their queues. What is there already is not added again. `receivedAt`: Unix ms. `listedMs`: how long
   * they may have been in the inbox.
   */
  enqueue(records: readonly HubRecord[], receivedAt: number, listedMs: number): Promise<void>
  /** Remembers an answer, so that the questions that it settles are not sent any more. */
  noteAnswer(received: ReceivedAnswer): Promise<void>
  now(): number
  onRefused(why: string): void
  onProblem(error: unknown): void
}

/** Moves records from the inbox to the queues of the destinations. Of several hubs, one does it at a time. */
export class Router {
  readonly #deps: RouterDeps
  readonly #token = randomUUID()
  readonly #stopped = new AbortController()
  /** When the inbox was last seen empty, on a clock that is never set back. What is in it now came later. */
  #emptyAt = Number.NEGATIVE_INFINITY
  #renewAt = 0
  #noteAt = 0

  constructor(deps: RouterDeps) {
    this.#deps = deps
  }

  /** Routes until `stop` is called. */
  async run(): Promise<void> {
    let hasFailed = false
    while (!this.#stopped.signal.aborted) {
      hasFailed = false
      const pauseMs = await this.#routeBatch().catch((error: unknown) => {
        hasFailed = true
        this.#deps.onProblem(error)
        this.#emptyAt = Number.NEGATIVE_INFINITY
        return FAILED_MS
      })
      await sleep(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => {})
    }
    // Not after a failure: waiting for a Redis that does not answer would last until the system kills the hub.
    if (!hasFailed)
      await this.#deps.redis.count('EVAL', RESIGN, '1', ROUTER, this.#token).catch(() => {})
  }

  stop() {
    this.#stopped.abort()
  }

  /** @returns how long to wait before the next batch, in ms */
  async #routeBatch(): Promise<number> {
    const { redis, enqueue, memory } = this.#deps
    const token = this.#token
    if (performance.now() >= this.#renewAt) {
      const isRouter = await redis.count('EVAL', BECOME_ROUTER, '1', ROUTER, token, `${HOLD_MS}`)
      if (isRouter !== 1) return this.#standBy()
      this.#renewAt = performance.now() + RENEW_MS
    }
    if (!(await memory.check())) return FAILED_MS
    const askedAt = performance.now()
    const keys = ['4', ROUTER, INBOX, HELD, TAKEN]
    const batch = memory.isShut ? SMALL_BATCH : BATCH
    const limits = [token, `${batch}`, `${MAX_RECORD_BYTES}`]
    const taken = await redis.textsIfAny('EVAL', TAKE, ...keys, ...limits)
    if (!taken) return this.#standBy()
    if (taken.length === 0) {
      this.#emptyAt = askedAt
      await this.#noteEmpty()
      return EMPTY_MS
    }
    const receivedAt = this.#deps.now()
    const { messages, answers } = await this.#sort(taken)
    const listedMs = performance.now() - this.#emptyAt
    // Answers first, so that a question that arrives together with its answer is not sent. All at once: if Redis is far
    // away, one after the other would take longer than HOLD_MS.
    await Promise.all(
      answers.map((answer) => this.#deps.noteAnswer({ answer, receivedAt, listedMs })),
    )
    await enqueue(
      messages,
      receivedAt,
      Number.isFinite(listedMs) ? listedMs : await this.#sinceEmpty(),
    )
    await redis.count('EVAL', FINISH, '2', ROUTER, TAKEN, token, `${taken.length}`)
    return 0
  }

  /** Another hub is the router. @returns how long to wait before the next try, in ms */
  #standBy(): number {
    this.#emptyAt = Number.NEGATIVE_INFINITY
    this.#renewAt = 0
    return NOT_ROUTER_MS
  }

  async #noteEmpty() {
    if (performance.now() < this.#noteAt) return
    const { redis, now } = this.#deps
    await redis.done('SET', EMPTY, `${now()}`)
    this.#noteAt = performance.now() + NOTE_EVERY_MS
  }

  /** @returns the ms since any router has seen an empty inbox; 0 if none has. Wrong if the clock of Redis was set */
  async #sinceEmpty(): Promise<number> {
    const { redis, now } = this.#deps
    const at = Number((await redis.text('GET', EMPTY)) ?? Number.NaN)
    return at > 0 ? Math.max(0, now() - at) : 0
  }

  async #sort(texts: readonly string[]) {
    const messages: HubRecord[] = []
    const answers: AnswerRecord[] = []
    const refusals: string[] = []
    for (const text of texts) {
      const record = parseRecord(text)
      if ('refused' in record) refusals.push(record.refused)
      else if (record.type === 'answer') answers.push(record)
      else messages.push(record)
    }
    if (refusals.length > 0) await this.#refuse(refusals)
    return { messages, answers }
  }

  /** Counts refusals. The records are not kept, because they may be anything. */
  async #refuse(reasons: readonly string[]) {
    const { redis, onRefused } = this.#deps
    for (const why of reasons) onRefused(why)
    const at = Date.now()
    const all = reasons.map((why) => JSON.stringify({ at, why }))
    await Promise.all([
      redis.count('HINCRBY', COUNTS, 'refused', `${reasons.length}`),
      redis.count('LPUSH', REFUSED, ...all),
      redis.done('LTRIM', REFUSED, '0', `${REFUSALS_KEPT - 1}`),
    ])
  }
}
