import type { RedisConnection } from './connection.ts'
import { INBOX } from './keys.ts'
import { NotRedisError } from './resp.ts'

interface Waiting {
  line: string
  resolve(): void
  reject(error: unknown): void
}

/**
 * Adds lines to the hub's inbox in order. Lines that come while a command is in flight are sent together in the next
 * one. Redis takes a command whole or not at all, so no line gets in before one that was refused.
 */
export class Outbox {
  readonly #connection: RedisConnection
  #waiting: Waiting[] = []
  #isRunning = false

  constructor(connection: RedisConnection) {
    this.#connection = connection
  }

  /** Resolves once Redis has the line. @throws RedisError for an error reply, anything else if there is no reply */
  add(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run() {
    this.#isRunning = true
    // Waits one microtask, so that lines added in the same tick go into one command.
    await undefined
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        const length = await this.#connection.count(
          'RPUSH',
          INBOX,
          ...batch.map(({ line }) => line),
        )
        // The length of the list with them: nothing else says that they are in it.
        if (length < 1) throw new NotRedisError()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error)
      }
    }
    this.#isRunning = false
  }
}
