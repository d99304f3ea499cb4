import type { RedisConnection } from '../hub/connection.ts'
import { readInfo } from './replies.ts'

const EVERY_MS = 10_000

/**
 * The clock of Redis, which all hubs share: one hub judges the age of what another one has put into a queue.
 * The time is read with INFO, because the rights of a hub allow that.
 */
export class HubClock {
  readonly #redis: RedisConnection
  #aheadMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  /** Reads the time now, and every 10 s until `stop`. @throws if Redis does not answer the first time */
  async start() {
    await this.#read()
    this.#timer = setInterval(() => void this.#read().catch(() => {}), EVERY_MS).unref()
  }

  stop() {
    clearInterval(this.#timer)
  }

  /** Unix ms. */
  now = (): number => Math.round(Date.now() + this.#aheadMs)

  async #read() {
    this.#aheadMs = (await readTime(this.#redis)) - Date.now()
  }
}

/** @returns the time of Redis, Unix ms; that of this machine where Redis does not say it */
export async function readTime(redis: RedisConnection): Promise<number> {
  const microseconds = Number((await readInfo(redis, 'server')).get('server_time_usec'))
  return microseconds > 0 ? Math.round(microseconds / 1000) : Date.now()
}
