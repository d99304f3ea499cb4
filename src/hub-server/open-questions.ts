import type { RedisConnection } from '../hub/connection.ts'
import { answeredKey, openKey, overKey, REMEMBERED_SECONDS, WAITING } from '../hub/keys.ts'
import { type AnswerRecord, type HubRecord, hashOfEvents } from '../hub/record.ts'
import { cutText, oneLine } from '../text/clean.ts'
import type { ReceivedAnswer } from './answers.ts'
import { fieldsIn } from './redis.ts'

/** Kinds of messages after which an agent stands still until somebody answers. */
const ASKING: readonly string[] = ['permission', 'waiting']
/** What `hookbell test` sends asks nobody. */
const TEST_CLIENT = 'hookbell'
const MAX_TEXT = 200
const MAX_SESSIONS = 1000
const MAX_PER_SESSION = 30

/** What a session waits for, as its machine reports it. */
interface OpenQuestion {
  host: string
  label: string
  project: string
  kind: string
  title: string
  /** The beginning of the message. */
  text: string
  /** Unix ms of the hub. */
  since: number
}

/** Remembers the questions in the records. */
export async function noteQuestions(
  records: readonly HubRecord[],
  receivedAt: number,
  redis: RedisConnection,
) {
  const asking = records.filter(
    ({ kind, client }) => ASKING.includes(kind) && client !== TEST_CLIENT,
  )
  await Promise.all(asking.map((record) => noteQuestion(record, receivedAt, redis)))
}

async function noteQuestion(record: HubRecord, receivedAt: number, redis: RedisConnection) {
  const { session, host, label, project, kind, title, body, ageMs } = record
  const question = hashOfEvents(record)
  const since = receivedAt - ageMs
  const [isOver, answeredAt, count] = await Promise.all([
    redis.count('EXISTS', overKey(question)),
    redis.text('GET', answeredKey(session)),
    redis.count('HLEN', openKey(session)),
  ])
  if (isOver === 1 || Number(answeredAt ?? 0) > since || count >= MAX_PER_SESSION) return
  const text = cutText(oneLine(body), MAX_TEXT)
  const open: OpenQuestion = { host, label, project, kind, title, text, since }
  await Promise.all([
    redis.count('HSETNX', openKey(session), question, JSON.stringify(open)),
    redis.count('EXPIRE', openKey(session), `${REMEMBERED_SECONDS}`),
    redis.count('ZADD', WAITING, 'NX', `${since}`, session),
    redis.count('ZREMRANGEBYSCORE', WAITING, '-inf', `${receivedAt - REMEMBERED_SECONDS * 1000}`),
    redis.count('ZREMRANGEBYRANK', WAITING, `${MAX_SESSIONS}`, '-1'),
  ])
}

/** Forgets the questions that an answer settles. */
export async function closeQuestions(
  { answer, receivedAt }: ReceivedAnswer,
  redis: RedisConnection,
) {
  const { session, ageMs } = answer
  const open = await openOf(session, redis)
  const over = open.filter((one) => isOver(one, answer, receivedAt - ageMs))
  if (over.length > 0)
    await redis.count('HDEL', openKey(session), ...over.map(({ question }) => question))
  // Counted anew, because another answer to the session may be noted at the same time.
  if ((await redis.count('HLEN', openKey(session))) === 0)
    await redis.count('ZREM', WAITING, session)
}

/** It is enough that the answer was probably later: this list is only shown, so no message is lost by an error. */
function isOver(
  { question, since }: { question: string; since: number },
  { questions, isForAll }: AnswerRecord,
  answeredAt: number,
): boolean {
  return questions.includes(question) || (isForAll && since <= answeredAt)
}

/** The sessions that wait for an answer, the longest wait first. */
export async function waitingSessions(redis: RedisConnection) {
  const sessions = await redis.texts('ZRANGE', WAITING, '0', `${MAX_SESSIONS - 1}`)
  const all = await Promise.all(sessions.map((one) => openOf(one, redis)))
  return all
    .flatMap((open) => {
      const [first, ...others] = open.sort((one, other) => one.since - other.since)
      if (!first) return []
      const { question: _, ...rest } = first
      return [{ ...rest, more: others.length }]
    })
    .sort((one, other) => one.since - other.since)
}

async function openOf(
  session: string,
  redis: RedisConnection,
): Promise<(OpenQuestion & { question: string })[]> {
  const fields = fieldsIn(await redis.texts('HGETALL', openKey(session)))
  return fields.map(([question, text]) => ({ ...(JSON.parse(text) as OpenQuestion), question }))
}
