import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisConnection } from '../hub/connection.ts'
import { failedKey, REMEMBERED_SECONDS, seenKey } from '../hub/keys.ts'
import { RedisError } from '../hub/resp.ts'

/** How a message ended. */
export interface Ended {
  /** Unix ms of the hub. */
  at: number
  state: 'delivered' | 'expired' | 'answered' | 'dropped'
  /** The answer of the receiver, or the reason. */
  detail: string
  /** Id of the message that was sent as a summary and included this one. */
  summary?: string
}

/** How long to try to mark what was sent, without an answer from Redis, and how often. */
const MARK_FOR_MS = 60_000
const MARK_AGAIN_MS = 250

/**
 * Marks messages as ended. Never throws: a sent message would be sent again. Waits for a Redis that is being restarted,
 * because without the marks, repeats of the messages would be sent too.
 */
export async function noteEnd(ids: readonly string[], ended: Ended, redis: RedisConnection) {
  const until = performance.now() + MARK_FOR_MS
  while (!(await mark(ids, ended, redis)) && performance.now() < until) await sleep(MARK_AGAIN_MS)
}

/** @returns false if Redis may take the marks later */
async function mark(ids: readonly string[], ended: Ended, redis: RedisConnection) {
  const [lead] = ids
  const marks = ids.map((id) => {
    const text = JSON.stringify({ ...ended, ...(id !== lead && { summary: lead }) })
    return redis.done('SET', seenKey(id), text, 'EX', `${REMEMBERED_SECONDS}`)
  })
  const results = await Promise.allSettled(marks)
  return results.every((one) => one.status === 'fulfilled' || isFull(one.reason))
}

function isFull(error: unknown): boolean {
  return error instanceof RedisError && error.code === 'OOM'
}

export async function isSeen(id: string, redis: RedisConnection): Promise<boolean> {
  return (await endOf(id, redis)) !== undefined
}

/** How a message ended; undefined if it has not, or more than a day ago. */
export async function endOf(id: string, redis: RedisConnection): Promise<Ended | undefined> {
  const text = await redis.text('GET', seenKey(id))
  return text === null ? undefined : JSON.parse(text)
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
  await redis.done('SET', failedKey(id), text, 'EX', `${REMEMBERED_SECONDS}`).catch(() => {})
}

/** What is known of a message apart from its job in a queue. */
export async function historyOf(id: string, redis: RedisConnection) {
  const [ended, failure] = await Promise.all([endOf(id, redis), redis.text('GET', failedKey(id))])
  return {
    ended,
    failure: failure === null ? undefined : (JSON.parse(failure) as Failure),
  }
}
