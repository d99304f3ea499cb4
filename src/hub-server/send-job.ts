import type { Queue } from 'bullmq'
import type { LoadedConfig } from '../config/load/load.ts'
import { failedOutcome, type Outcome, retryAfterOf, send, sentOutcome } from '../deliver/attempt.ts'
import { summarize, withLine } from '../deliver/summary.ts'
import type { Delivery } from '../delivery.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { recordOf } from '../hub/record.ts'
import { DeliveryError, type Sent } from '../notifiers/define.ts'
import { formatDuration } from '../text/duration.ts'
import { type HubJob, type Received, toDelivery } from './accept.ts'
import { isAnswered } from './answers.ts'
import { noteWorking } from './dead-channel.ts'
import { destinationOf } from './destinations.ts'
import { type Ended, endOf, isSeen, noteEnd, noteFailure } from './history.ts'
import { isAnotherShown, noteShown, type OnWithdrawn } from './shown.ts'

/** If at least this many messages wait, and the first for this long, one summary replaces them, as on a machine. */
const SUMMARY_FROM = 6
const SUMMARY_AFTER_MS = 2000
const SUMMARY_MAX = 200

interface SendDeps {
  queue: Queue<Received>
  redis: RedisConnection
  loaded: LoadedConfig
  now(): number
  /** Sessions whose messages must wait, so that a summary includes none of them. */
  passed?: ReadonlySet<string>
  onWithdrawn: OnWithdrawn
  onProblem(error: unknown): void
}

export type SendResult =
  | Exclude<Outcome, { type: 'released' | 'deferred' }>
  /** `asksToWait`: the receiver has said when it takes messages again. */
  | (Extract<Outcome, { type: 'deferred' }> & { asksToWait: boolean })
  | { type: 'repeat' }
  /** Its text was part of an earlier message. */
  | { type: 'summarized' }
  | { type: 'answered'; reason: string }

/** Sends one waiting record, and others with it if many wait. Throws only if Redis does not answer. */
export async function sendJob(job: HubJob, deps: SendDeps): Promise<SendResult> {
  const { now, redis } = deps
  const delivery = toDelivery(job.data, Math.max(0, job.attemptsStarted - 1))
  const { id } = delivery
  const [ended, isHalfSent] = await Promise.all([
    endOf(`${job.id}`, redis),
    hasRemaining(job, deps.queue, redis),
  ])
  if (ended) return { type: ended.summary === undefined ? 'repeat' : 'summarized' }
  // By the id of the job: a message that some recipients have received counts as `delivered`.
  const note = (state: Ended['state'], detail: string) =>
    noteEnd([`${job.id}`], { at: now(), state, detail }, redis)
  if (isHalfSent) {
    await note('delivered', 'some recipients lack it')
    return { type: 'repeat' }
  }
  const over = await whyOver(job.data, delivery, deps)
  if (over) {
    await note(over.type, over.reason)
    return over
  }
  const told = await attempt(job, delivery, deps)
  if (told.type === 'deferred') await noteFailure(id, { ...told, at: now() }, redis)
  return told
}

/** Whether the receiver was asked to take something. */
export function isSent({ type }: SendResult): boolean {
  return !['repeat', 'summarized', 'expired', 'answered'].includes(type)
}

async function whyOver(received: Received, delivery: Delivery, { now, redis }: SendDeps) {
  if (isExpired(delivery, now()))
    return { type: 'expired', reason: 'too late to be of use' } as const
  return (await isAnswered(received, redis))
    ? ({ type: 'answered', reason: 'answered before it was told' } as const)
    : undefined
}

async function attempt(job: HubJob, delivery: Delivery, deps: SendDeps): Promise<SendResult> {
  const { loaded, now, redis } = deps
  const destination = destinationOf(delivery.channel, loaded)
  if ('error' in destination) return failed(delivery, destination.error, deps)
  const others =
    destination.notifier.summarizes && delivery.kind !== 'permission' && !delivery.remaining
      ? await waitingWith(job, delivery, deps)
      : []
  const all: [Received, ...Received[]] = [job.data, ...others]
  const rest = others.map((one) => toDelivery(one, 0))
  const whole = withDelay(rest.length > 0 ? summarize([delivery, ...rest]) : delivery, all)
  const canReplace = destination.notifier.canReplace?.(destination.options) === true
  const isBeside = canReplace && (await isAnotherShown(job.data.record, redis))
  const startedAt = performance.now()
  let sent: Sent
  try {
    sent = await send(destination, whole, loaded, { now }, { isBeside })
  } catch (error) {
    const lost = error instanceof DeliveryError ? error.handle : undefined
    await keepHandle(lost, all, deps)
    return failed(delivery, error, deps)
  }
  const ms = Math.round(performance.now() - startedAt)
  void noteWorking(delivery.channel, redis).catch(() => {})
  const answer = typeof sent === 'string' ? sent : sent.answer
  // Before the end is noted, so that no recipient misses the message if the hub is killed in between.
  await addRemaining(job, whole, sent, deps)
  const ids = new Set([...[delivery, ...rest].map(({ id }) => id), `${job.id}`])
  await noteEnd([...ids], { at: now(), state: 'delivered', detail: answer }, redis)
  const handle = typeof sent === 'string' ? undefined : sent.handle
  await keepHandle(handle, all, deps)
  return { type: 'delivered', attempt: delivery.attempts + 1, ms, answer }
}

/** A summary is never withdrawn: only it contains what came after the answer. Without Redis the message stays shown. */
async function keepHandle(
  handle: string | undefined,
  [first, ...others]: readonly [Received, ...Received[]],
  deps: SendDeps,
) {
  if (handle !== undefined && others.length === 0)
    await noteShown(first, handle, deps).catch(() => {})
}

function failed(delivery: Delivery, error: unknown, { loaded, now }: SendDeps): SendResult {
  const outcome = failedOutcome(delivery, error, loaded, { now, random: Math.random })
  return { ...outcome, asksToWait: retryAfterOf(error) !== undefined } as SendResult
}

/** What else waits for the same channel, except permission questions; nothing if too few wait for a summary. */
async function waitingWith(
  job: HubJob,
  { id, channel }: Delivery,
  { queue, redis, now, passed }: SendDeps,
): Promise<Received[]> {
  if (now() - job.data.receivedAt < SUMMARY_AFTER_MS) return []
  const jobs = await queue.getJobs(['prioritized'], 0, SUMMARY_MAX - 1, true)
  const waiting = jobs
    .filter((one) => one?.data.record.channel === channel && one.data.record.id !== id)
    // The recipients who have it already would get it twice.
    .filter(({ data }) => !data.rest)
    .sort((a, b) => a.data.receivedAt - b.data.receivedAt)
    .map(({ data }) => data)
    .filter((one) => !isExpired(toDelivery(one, 0), now()) && !passed?.has(one.record.session))
  const seen = await Promise.all(waiting.map(({ record }) => isSeen(record.id, redis)))
  const open = waiting.filter((_, index) => !seen[index])
  return open.length + 1 >= SUMMARY_FROM ? open : []
}

/** A message is dated by its arrival at the hub, less its age on its machine. If no hub ran, it is older than that. */
function withDelay(delivery: Delivery, all: readonly Received[]): Delivery {
  const ms = Math.max(...all.map(({ listedMs = 0 }) => listedMs))
  return ms > 0
    ? withLine(delivery, `Happened up to ${formatDuration(ms)} earlier: it waited for the hub`)
    : delivery
}

function isExpired({ expires }: Delivery, now: number): boolean {
  return expires > 0 && now > expires
}

interface Deps {
  queue: Queue<Received>
  loaded: LoadedConfig
  now(): number
  onProblem(error: unknown): void
}

/**
 * Adds a job for the recipients who have not received a message that others have. It is delayed, so that nothing waits for
 * it. Its record has the id of the message, which has ended by then: an older hub drops it as a repeat. Never throws,
 * because the message would be sent to all recipients again.
 * @param whole what was sent, such as a summary @param sent the answer of the receiver
 */
async function addRemaining(
  job: HubJob,
  whole: Delivery,
  sent: Sent,
  { queue, loaded, now, onProblem }: Deps,
) {
  const outcome = sentOutcome(whole, sent, 0, loaded, { now, random: Math.random })
  if (outcome.type !== 'deferred') return
  const { attempt, until, delivery } = outcome
  const { receivedAt, record } = job.data
  const { id, session, kind } = record
  // With its age at its arrival, because `receivedAt` stays the same.
  const text = recordOf(whole, whole.message, receivedAt)
  const rest = { remaining: delivery.remaining ?? [], attempts: attempt }
  const { priority } = job.opts
  await queue
    .add(
      kind,
      { record: { ...text, id, session }, receivedAt, rest },
      {
        jobId: retryId(job),
        delay: Math.max(0, until - now()),
        ...(priority && { priority }),
      },
    )
    .catch(onProblem)
}

/** Whether a hub sent a message to some recipients, and was killed before it marked the message as sent. */
async function hasRemaining(
  job: HubJob,
  queue: Queue<Received>,
  redis: RedisConnection,
): Promise<boolean> {
  return (await redis.count('EXISTS', queue.toKey(retryId(job)))) === 1
}

function retryId({ id }: HubJob): string {
  return `${id}~`
}
