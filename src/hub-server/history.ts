import type { RedisConnection } from '../hub/connection.ts'
import { failedKey, seenKey } from '../hub/keys.ts'

/** How long a repeat is recognized, and `hub why` can say what became of a message. */
const SEEN_SECONDS = 24 * 3600

/** How a message ended. */
export interface Ended {
  /** Unix ms of the hub. */
  at: number
  state: 'delivered' | 'expired' | 'answered' | 'dropped'
  /** The answer of the receiver, or the reason. */
  detail: string
  /** Id of the message that told of this one too. */
  summary?: string
}

/** Marks messages as ended. Never throws: a sent message would be sent again. A lost mark lets only a repeat pass. */
export async function noteEnd(ids: readonly string[], ended: Ended, redis: RedisConnection) {
  const [lead] = ids
  const marks = ids.map((id) => {
    const text = JSON.stringify({ ...ended, ...(id !== lead && { summary: lead }) })
    return redis.call('SET', seenKey(id), text, 'EX', `${SEEN_SECONDS}`)
  })
  await Promise.allSettled(marks)
}

export async function isSeen(id: string, redis: RedisConnection): Promise<boolean> {
  return (await endOf(id, redis)) !== undefined
}

/** How a message ended; undefined if it has not, or more than a day ago. */
export async function endOf(id: string, redis: RedisConnection): Promise<Ended | undefined> {
  const text = await redis.call('GET', seenKey(id))
  return text === null ? undefined : JSON.parse(String(text))
}

/** A failed attempt that another one will follow. */
export interface Failure {
  /** Unix ms of the hub. */
  at: number
  attempt: number
  reason: string
  /** When it is tried again, Unix ms. */
  until: number
}

export async function noteFailure(
  id: string,
  { at, attempt, reason, until }: Failure,
  redis: RedisConnection,
) {
  const text = JSON.stringify({ at, attempt, reason, until })
  await redis.call('SET', failedKey(id), text, 'EX', `${SEEN_SECONDS}`).catch(() => {})
}

/** What is known of a message apart from its job in a queue. */
export async function historyOf(id: string, redis: RedisConnection) {
  const [ended, failure] = await Promise.all([endOf(id, redis), redis.call('GET', failedKey(id))])
  return {
    ended,
    failure: failure === null ? undefined : (JSON.parse(String(failure)) as Failure),
  }
}
