import type { RedisConnection } from '../hub/connection.ts'
import { HELD, INBOX, RESERVE, TAKEN } from '../hub/keys.ts'
import { readInfo } from './replies.ts'
import { OPEN_INBOX, SHUT_INBOX } from './scripts.ts'

/** Fractions of maxmemory. From here on machines are turned away, so that the hub can work with the rest. */
const SHUT_FROM = 0.9
/** Above this nothing is put into queues while machines are turned away: a message takes more memory there. */
const STOP_FROM = 0.97
/** Below this machines may add again. */
const OPEN_BELOW = 0.75
/** Held in reserve for a Redis that filled up to the last byte while no hub ran that could turn machines away. */
const RESERVED = 1 / 16
const EVERY_MS = 1000

/**
 * Keeps a part of the memory of Redis free for the hub, which could not even take a message out of its queue in a full
 * one. Without maxmemory, machines are never turned away.
 */
export class Room {
  readonly #redis: RedisConnection
  #nextAt = 0
  #isShut = false

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  /** Whether machines are turned away. What they have handed over is still sent. */
  get isShut(): boolean {
    return this.#isShut
  }

  /** @returns whether there is room for more in the queues */
  async check(): Promise<boolean> {
    if (!this.#isShut && performance.now() < this.#nextAt) return true
    this.#nextAt = performance.now() + EVERY_MS
    const redis = this.#redis
    const { used, max } = await memoryOf(redis)
    const keys = ['3', INBOX, HELD, RESERVE] as const
    if (used >= SHUT_FROM * max)
      this.#isShut = (await redis.count('EVAL', SHUT_INBOX, ...keys)) === 1
    else if (used < OPEN_BELOW * max) {
      const reserved = max === Number.POSITIVE_INFINITY ? 0 : Math.floor(RESERVED * max)
      this.#isShut = (await redis.count('EVAL', OPEN_INBOX, ...keys, `${reserved}`)) === 0
    }
    return !this.#isShut || used < STOP_FROM * max
  }
}

/** In bytes; `max` is Infinity where there is no limit. */
async function memoryOf(redis: RedisConnection) {
  const info = await readInfo(redis, 'memory')
  const bytesOf = (name: string) => Number(info.get(name) ?? 0)
  return { used: bytesOf('used_memory'), max: bytesOf('maxmemory') || Number.POSITIVE_INFINITY }
}

/** @returns the number of records that machines have handed over and that no hub has put into a queue yet */
export async function countInbox(redis: RedisConnection): Promise<number> {
  const lengths = [INBOX, HELD, TAKEN].map((key) => redis.count('LLEN', key).catch(() => 0))
  return (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0)
}
