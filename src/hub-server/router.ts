import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from '../hub/connection.ts'
import { COUNTS, HELD, INBOX, REFUSED, ROUTER, TAKEN } from '../hub/keys.ts'
import { type HubRecord, MAX_RECORD_BYTES } from '../hub/record.ts'
import { parseRecord } from './accept.ts'
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
  /** Puts records into their queues. What is there already is not added again. */
  enqueue(records: readonly HubRecord[]): Promise<void>
  /** Why a record cannot be told; undefined where it can. */
  whyRefused(record: HubRecord): string | undefined
  onProblem(error: unknown): void
}

/** Moves what machines handed over from the one list to the queues. Of several hubs one does it at a time. */
export class Router {
  readonly #deps: RouterDeps
  readonly #token = randomUUID()
  readonly #stopped = new AbortController()
  #renewAt = 0

  constructor(deps: RouterDeps) {
    this.#deps = deps
  }

  /** Ends after `stop`. */
  async run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const pauseMs = await this.#round().catch((error: unknown) => {
        this.#deps.onProblem(error)
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
      if (isRouter !== 1) return NOT_ROUTER_MS
      this.#renewAt = performance.now() + RENEW_MS
    }
    if (!(await room.check())) return FAILED_MS
    const keys = ['5', ROUTER, INBOX, HELD, TAKEN, COUNTS]
    const batch = room.isShut ? SMALL_BATCH : BATCH
    const limits = [token, `${batch}`, `${MAX_RECORD_BYTES}`]
    const taken = await redis.call('EVAL', TAKE, ...keys, ...limits)
    if (!Array.isArray(taken)) this.#renewAt = 0
    if (!Array.isArray(taken) || taken.length === 0) return EMPTY_MS
    const records: HubRecord[] = []
    for (const text of taken) {
      const record = parseRecord(String(text))
      const why = 'refused' in record ? record.refused : this.#deps.whyRefused(record)
      if (why !== undefined) await this.#refuse(why)
      else records.push(record as HubRecord)
    }
    await enqueue(records)
    await redis.call('EVAL', FINISH, '2', ROUTER, TAKEN, token, `${taken.length}`)
    return 0
  }

  /** Nothing of the record is kept: it may be anything. */
  async #refuse(why: string) {
    const { redis } = this.#deps
    await redis.call('HINCRBY', COUNTS, 'refused', '1')
    await redis.call('LPUSH', REFUSED, JSON.stringify({ at: Date.now(), why }))
    await redis.call('LTRIM', REFUSED, '0', `${REFUSALS_KEPT - 1}`)
  }
}
