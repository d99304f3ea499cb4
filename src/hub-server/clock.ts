import type { RedisConnection } from '../hub/connection.ts'

const EVERY_MS = 10_000

/**
 * The time of Redis, which is the same for all hubs: what one hub has put into a queue another one judges by its age.
 * It is read from INFO because the rights of a hub allow that.
 */
export class HubClock {
  readonly #redis: RedisConnection
  #aheadMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  /** Reads it now and then until `stop`. @throws where Redis does not answer the first time */
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
    const info = String(await this.#redis.call('INFO', 'server'))
    const microseconds = Number(/^server_time_usec:(\d+)/m.exec(info)?.[1])
    if (microseconds > 0) this.#aheadMs = microseconds / 1000 - Date.now()
  }
}
