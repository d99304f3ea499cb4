import type { RedisConnection } from '../hub/connection.ts'
import { answeredKey, overKey, REMEMBERED_SECONDS } from '../hub/keys.ts'
import { type AnswerRecord, questionOf } from '../hub/record.ts'
import type { Received } from './accept.ts'
import { RAISE } from './scripts.ts'

export interface ReceivedAnswer {
  answer: AnswerRecord
  /** Unix ms. */
  receivedAt: number
  /** How long it may have been in the inbox before; Infinity if that is not known. */
  listedMs: number
}

/** Remembers an answer, because BullMQ cannot say whether a job was removed before it was sent. */
export async function keepAnswer(received: ReceivedAnswer, redis: RedisConnection) {
  const since = answeredAt(received)
  const { session, questions } = received.answer
  const seconds = `${REMEMBERED_SECONDS}`
  await Promise.all([
    ...questions.map((one) => redis.done('SET', overKey(one), '1', 'EX', seconds)),
    since !== undefined &&
      redis.count('EVAL', RAISE, '1', answeredKey(session), `${since}`, seconds),
  ])
}

/**
 * The earliest time at which the answer can have been given, because a question that was asked later must not be lost.
 * The machine that saw the answer names its own questions, so this matters only for those of other machines.
 */
export function answeredAt({ answer, receivedAt, listedMs }: ReceivedAnswer): number | undefined {
  const at = receivedAt - listedMs - answer.ageMs
  return answer.isForAll && Number.isFinite(at) ? Math.floor(at) : undefined
}

/** Whether a record asks a question that was answered already. */
export async function isAnswered(
  { record, receivedAt }: Received,
  redis: RedisConnection,
): Promise<boolean> {
  if (record.kind !== 'permission') return false
  const question = questionOf(record)
  const [isOver, since] = await Promise.all([
    question === undefined ? 0 : redis.count('EXISTS', overKey(question)),
    redis.text('GET', answeredKey(record.session)),
  ])
  return isOver === 1 || (since !== null && Number(since) > receivedAt - record.ageMs)
}
