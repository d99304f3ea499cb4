import { HookbellError } from '../errors.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { explainFailure } from '../hub/explain.ts'
import { aclLines, HELD, INBOX, RESERVE, SCRIPTED, STARTS, TAKEN } from '../hub/keys.ts'
import { RedisError } from '../hub/resp.ts'
import { NOTE_START, OPEN_INBOX, SHUT_INBOX } from './scripts.ts'

/**
 * Checks whether Redis keeps what is handed over, also when it is full or restarted.
 * @returns warnings about what may be lost; empty if all is well
 * @throws HookbellError E_UNAVAILABLE if Redis cannot be reached, or would evict messages
 */
export async function checkRedis(redis: RedisConnection): Promise<string[]> {
  const info = await readInfo(redis).catch(unreachable)
  const policy = info.get('maxmemory_policy')
  if (policy !== 'noeviction') {
    throw new HookbellError(
      'E_UNAVAILABLE',
      `hub: maxmemory-policy is ${policy || 'not known'}: a full Redis would throw messages away`,
      {
        hint: 'Set "maxmemory-policy noeviction" in its configuration: then it refuses new ones, which wait on their machines',
      },
    )
  }
  if (info.get('aof_enabled') !== '1')
    return [
      'appendonly is off: a restart of Redis loses what was handed over. Set "appendonly yes" and "appendfsync always"',
    ]
  const [, appendfsync] = await redis.texts('CONFIG', 'GET', 'appendfsync').catch(() => [])
  if (appendfsync === undefined)
    return [
      'appendfsync cannot be read with these rights. Make sure that it is "always": with "everysec" a power cut loses the last second. If its user has +config|get, the hub checks this itself',
    ]
  return appendfsync === 'always'
    ? []
    : [
        `appendfsync is ${appendfsync}: a power cut may lose the last second of what was handed over. Set "appendfsync always"`,
      ]
}

function unreachable(error: unknown): never {
  const isMachine = error instanceof RedisError && error.code === 'NOPERM'
  throw new HookbellError('E_UNAVAILABLE', `hub: no Redis to work with: ${explainFailure(error)}`, {
    hint: isMachine
      ? 'A machine may only hand messages over: run this on the hub'
      : 'Check "hub" in config.json: url, password and ca',
  })
}

/**
 * Counts the starts of hubs, once in a script and once by a plain command. If Redis has no right to run the scripts in
 * its own append-only file, it has lost the first count after a restart, and with it what was in the queues.
 * @returns warnings; empty if all is well
 */
export async function checkRestart(redis: RedisConnection): Promise<string[]> {
  const [starts, scripted] = [await readNumber(STARTS, redis), await readNumber(SCRIPTED, redis)]
  await noteStart(`${starts + 1}`, redis)
  if (scripted >= starts) return []
  return [
    `Redis forgot at its last start what scripts had written, which is what was waiting here: its user "default" needs the rights to load its own file. Put this line into the file of users: ${aclLines[0]}`,
  ]
}

/** Ignores errors, because a hub has to start with a full Redis too. */
async function noteStart(count: string, redis: RedisConnection) {
  try {
    // In this order, so that a hub that is killed in between does not look like a loss in Redis.
    await redis.count('EVAL', NOTE_START, '2', SCRIPTED, `${SCRIPTED}:2`, count)
    await redis.done('SET', STARTS, count)
  } catch {}
}

async function readNumber(key: string, redis: RedisConnection): Promise<number> {
  return Number((await redis.text('GET', key)) ?? 0)
}

/** The fields of a hash, as HGETALL lists them: each name before its value. */
export function fieldsIn(texts: readonly string[]): [name: string, value: string][] {
  return texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? '']] : []))
}

/** The facts about the server that INFO reports, by name. */
async function readInfo(
  redis: RedisConnection,
  ...sections: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const lines = ((await redis.text('INFO', ...sections)) ?? '').matchAll(/^(\w+):(.*?)\r?$/gm)
  return new Map(Array.from(lines, ([, name = '', value = '']) => [name, value]))
}

const CLOCK_EVERY_MS = 10_000

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
    this.#timer = setInterval(() => void this.#read().catch(() => {}), CLOCK_EVERY_MS).unref()
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

/** Fractions of maxmemory. From here on machines are turned away, so that the hub can work with the rest. */
const SHUT_FROM = 0.9

/** Above this nothing is put into queues while machines are turned away: a message takes more memory there. */
const STOP_FROM = 0.97

/** Below this machines may add again. */
const OPEN_BELOW = 0.75

/** Held in reserve for a Redis that filled up to the last byte while no hub ran that could turn machines away. */
const RESERVED = 1 / 16

const MEMORY_EVERY_MS = 1000

/**
 * Keeps a part of the memory of Redis free for the hub, which could not even take a message out of its queue in a full
 * one. Without maxmemory, machines are never turned away.
 */
export class MemoryGuard {
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
    this.#nextAt = performance.now() + MEMORY_EVERY_MS
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
