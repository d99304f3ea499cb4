import type { RedisConnection } from '../hub/connection.ts'
import { answeredKey, overKey } from '../hub/keys.ts'
import { type AnswerRecord, questionOf } from '../hub/record.ts'
import type { Received } from './accept.ts'
import { RAISE } from './scripts.ts'

const DAY_SECONDS = 24 * 3600

export interface ReceivedAnswer {
  answer: AnswerRecord
  /** Unix ms. */
  receivedAt: number
  /** How long it may have been in the list before; Infinity where nobody knows. */
  listedMs: number
}

/** Keeps for a day what an answer is about: BullMQ cannot be asked whether something was removed in time. */
export async function keepAnswer(received: ReceivedAnswer, redis: RedisConnection) {
  const since = answeredAt(received)
  const { session, questions } = received.answer
  await Promise.all([
    ...questions.map((one) => redis.call('SET', overKey(one), '1', 'EX', `${DAY_SECONDS}`)),
    ...(since === undefined
      ? []
      : [redis.call('EVAL', RAISE, '1', answeredKey(session), `${since}`, `${DAY_SECONDS}`)]),
  ])
}

/**
 * The earliest moment at which it can have been given: a question that was asked later must not be lost. Questions of
 * the machine that saw the answer are named, so that this is only for those of other machines.
 */
export function answeredAt({ answer, receivedAt, listedMs }: ReceivedAnswer): number | undefined {
  const at = receivedAt - listedMs - answer.ageMs
  return answer.isForAll && Number.isFinite(at) ? Math.floor(at) : undefined
}

/** Whether nobody needs to be asked any more. */
export async function isAnswered(
  { record, receivedAt }: Received,
  redis: RedisConnection,
): Promise<boolean> {
  if (record.kind !== 'permission') return false
  const question = questionOf(record)
  const [isOver, since] = await Promise.all([
    question === undefined ? 0 : redis.call('EXISTS', overKey(question)),
    redis.call('GET', answeredKey(record.session)),
  ])
  return isOver === 1 || (since !== null && Number(since) > receivedAt - record.ageMs)
}
