import { HookbellError } from '../errors.ts'
import type { HubRecord } from '../hub/record.ts'
import { noticeOf } from './dead-channel.ts'
import { HubDestinationQueue, type HubDestinationQueueDeps } from './destination-queue.ts'
import type { HubQueue } from './destinations.ts'

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
