import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from '../hub/connection.ts'
import { COUNTS, HELD, INBOX, REFUSED, ROUTER, TAKEN } from '../hub/keys.ts'
import { type AnswerRecord, type HubRecord, MAX_RECORD_BYTES } from '../hub/record.ts'
import { parseRecord } from './accept.ts'
import type { ReceivedAnswer } from './answers.ts'
import type { Room } from './room.ts'
import { BECOME_ROUTER, FINISH, RESIGN, TAKE } from './scripts.ts'

/** Longer than a batch takes, and so long a hub that was killed holds the others up. */
const HOLD_MS = 10_000
/** Often enough within that time. */
const RENEW_MS = 2000
/** Answers stay under the limit of the connection: this many of the longest records. */
const BATCH = 100
/** Where Redis is almost full. */
const SMALL_BATCH = 10
export const MAX_REPLY_BYTES = BATCH * MAX_RECORD_BYTES + 1024 * 1024
const EMPTY_MS = 50
const NOT_ROUTER_MS = 500
const FAILED_MS = 1000
const REFUSALS_KEPT = 100

interface RouterDeps {
  redis: RedisConnection
  room: Room
  /** Puts records into their queues. What is there already is not added again. `receivedAt`: Unix ms. */
  enqueue(records: readonly HubRecord[], receivedAt: number): Promise<void>
  /** Keeps what must not be told any more. */
  noteAnswer(received: ReceivedAnswer): Promise<void>
  now(): number
  /** Why a record cannot be told; undefined where it can. */
  whyRefused(record: HubRecord): string | undefined
  onProblem(error: unknown): void
}

/** Moves what machines handed over from the one list to the queues. Of several hubs one does it at a time. */
export class Router {
  readonly #deps: RouterDeps
  readonly #token = randomUUID()
  readonly #stopped = new AbortController()
  /** When the list was last seen to be empty, on a clock that is never put back: what is in it came later. */
  #emptyAt = Number.NEGATIVE_INFINITY
  #renewAt = 0

  constructor(deps: RouterDeps) {
    this.#deps = deps
  }

  /** Ends after `stop`. */
  async run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const pauseMs = await this.#round().catch((error: unknown) => {
        this.#deps.onProblem(error)
        this.#emptyAt = Number.NEGATIVE_INFINITY
        return FAILED_MS
      })
      await sleep(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => {})
    }
    await this.#deps.redis.call('EVAL', RESIGN, '1', ROUTER, this.#token).catch(() => {})
  }

  stop() {
    this.#stopped.abort()
  }

  /** @returns how long to wait for the next one, in ms */
  async #round(): Promise<number> {
    const { redis, enqueue, room } = this.#deps
    const token = this.#token
    if (performance.now() >= this.#renewAt) {
      const isRouter = await redis.call('EVAL', BECOME_ROUTER, '1', ROUTER, token, `${HOLD_MS}`)
      if (isRouter !== 1) return this.#rest()
      this.#renewAt = performance.now() + RENEW_MS
    }
    if (!(await room.check())) return FAILED_MS
    const askedAt = performance.now()
    const keys = ['5', ROUTER, INBOX, HELD, TAKEN, COUNTS]
    const batch = room.isShut ? SMALL_BATCH : BATCH
    const limits = [token, `${batch}`, `${MAX_RECORD_BYTES}`]
    const taken = await redis.call('EVAL', TAKE, ...keys, ...limits)
    if (!Array.isArray(taken)) return this.#rest()
    if (taken.length === 0) {
      this.#emptyAt = askedAt
      return EMPTY_MS
    }
    const receivedAt = this.#deps.now()
    const { messages, answers } = await this.#sort(taken.map(String))
    const listedMs = performance.now() - this.#emptyAt
    // First, so that a question and its answer that come together tell nobody.
    for (const answer of answers) await this.#deps.noteAnswer({ answer, receivedAt, listedMs })
    await enqueue(messages, receivedAt)
    await redis.call('EVAL', FINISH, '2', ROUTER, TAKEN, token, `${taken.length}`)
    return 0
  }

  /** Another hub is the router. */
  #rest(): number {
    this.#emptyAt = Number.NEGATIVE_INFINITY
    this.#renewAt = 0
    return NOT_ROUTER_MS
  }

  async #sort(texts: readonly string[]) {
    const messages: HubRecord[] = []
    const answers: AnswerRecord[] = []
    for (const text of texts) {
      const record = parseRecord(text)
      if ('refused' in record) await this.#refuse(record.refused)
      else if (record.type === 'answer') answers.push(record)
      else {
        const why = this.#deps.whyRefused(record)
        if (why === undefined) messages.push(record)
        else await this.#refuse(why)
      }
    }
    return { messages, answers }
  }

  /** Nothing of the record is kept: it may be anything. */
  async #refuse(why: string) {
    const { redis } = this.#deps
    await redis.call('HINCRBY', COUNTS, 'refused', '1')
    await redis.call('LPUSH', REFUSED, JSON.stringify({ at: Date.now(), why }))
    await redis.call('LTRIM', REFUSED, '0', `${REFUSALS_KEPT - 1}`)
  }
}
