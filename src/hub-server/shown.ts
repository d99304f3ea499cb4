import type { LoadedConfig } from '../config/load/load.ts'
import { ONE_SHOT_MS, withdraw } from '../deliver/message-life.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { answeredKey, REMEMBERED_SECONDS, shownKey, withdrawingKey } from '../hub/keys.ts'
import { type HubRecord, hashOfEvents, questionOf } from '../hub/record.ts'
import type { Received } from './accept.ts'
import { answeredAt, isAnswered, type ReceivedAnswer } from './answers.ts'
import { BEGIN_WITHDRAWAL } from './scripts.ts'

/** A withdrawal that is not over this long after its deadline never will be: its hub was killed. */
const LONGER_MS = 5000
/** The characters of an id before its channel. */
const ID_LENGTH = 33

/** A message that asks something and can be withdrawn where it is shown. */
interface Shown {
  id: string
  question: string
  channel: string
  handle: string
  /** Only a later answer to all of the session counts, Unix ms of the hub. */
  since: number
}

/** Called when a shown message was withdrawn. */
export type OnWithdrawn = (message: Pick<HubRecord, 'id' | 'channel'>, answer: string) => void

interface ShownDeps {
  redis: RedisConnection
  loaded: LoadedConfig
  onWithdrawn: OnWithdrawn
}

/** Remembers the handle of a message that asks something, so that it can be withdrawn. */
export async function noteShown(received: Received, handle: string, deps: ShownDeps) {
  const { redis } = deps
  const { record, receivedAt } = received
  const { id, channel, session, ageMs, asks = false, count } = record
  const question = asks && count === 1 ? hashOfEvents(record) : questionOf(record)
  if (question === undefined) return
  const since = receivedAt - ageMs + (asks ? ONE_SHOT_MS : 0)
  const shown: Shown = { id, question, channel, handle, since }
  await keep(shown, session, redis)
  // The answer may have come while the question was being sent.
  const isOver = asks
    ? Number(await redis.text('GET', answeredKey(session))) > since
    : await isAnswered(received, redis)
  if (isOver) await takeBack(shown, session, deps)
}

/** Withdraws the shown questions that an answer settles. */
export async function withdrawAnswered(received: ReceivedAnswer, deps: ShownDeps) {
  const { session, questions } = received.answer
  const at = answeredAt(received) ?? Number.NEGATIVE_INFINITY
  const values = await deps.redis.texts('HVALS', shownKey(session))
  const all = values.map((text): Shown => JSON.parse(text))
  const over = all.filter(({ question, since }) => questions.includes(question) || at > since)
  await Promise.all(over.map((one) => takeBack(one, session, deps)))
}

/** Whether another message of the session on that channel is shown, or being withdrawn: none must replace it. */
export async function isAnotherShown(
  { id, channel, session }: HubRecord,
  redis: RedisConnection,
): Promise<boolean> {
  // In this order: a message is being withdrawn before it is no longer shown.
  const keys = [shownKey(session), withdrawingKey(session)]
  const found = await Promise.all(keys.map((key) => redis.texts('HKEYS', key)))
  const others = found.flat().filter((one) => one !== id)
  return others.some((one) => one.slice(ID_LENGTH) === channel)
}

async function takeBack(shown: Shown, session: HubRecord['session'], deps: ShownDeps) {
  const { redis, loaded, onWithdrawn } = deps
  const keys = ['2', shownKey(session), withdrawingKey(session)]
  const limitMs = loaded.config.deliveryTimeoutSeconds * 1000 + LONGER_MS
  if ((await redis.count('EVAL', BEGIN_WITHDRAWAL, ...keys, shown.id, `${limitMs}`)) !== 1) return
  const result = await withdraw({ ...shown, sessionEnv: {} }, loaded)
  if (result.isDone) onWithdrawn(shown, result.answer)
  // The next answer of the session tries again.
  else if (result.mayWork) await keep(shown, session, redis)
  await redis.count('HDEL', withdrawingKey(session), shown.id)
}

async function keep(shown: Shown, session: HubRecord['session'], redis: RedisConnection) {
  await redis.count('HSET', shownKey(session), shown.id, JSON.stringify(shown))
  await redis.count('EXPIRE', shownKey(session), `${REMEMBERED_SECONDS}`)
}
