import { builtInConfig, type LoadedConfig } from '../config/load.ts'
import { describeError } from '../errors.ts'
import { DeliveryError, type Message, type Notifier } from '../notifiers/define.ts'
import { notifiers } from '../notifiers/index.ts'
import { redact } from '../redact.ts'
import { cutText, oneLine } from '../text.ts'
import { retryDelay, whyGiveUp } from './backoff.ts'
import type { WorkerContext } from './context.ts'
import { Lane } from './lane.ts'

export interface Delivery {
  channel: string
  /** Attempts made before this one. */
  attempts: number
  acceptedAt: number
  sessionEnv: Readonly<Record<string, string>>
  message(notifier: Notifier): Message
}

export type Result =
  | { type: 'delivered'; attempt: number; ms: number; answer: string }
  | { type: 'not-here' | 'gave-up'; attempt: number; reason: string }
  | { type: 'deferred'; attempt: number; reason: string; until: number }

/** One try to deliver one event to one channel, when it is its turn. Never throws. */
export async function attemptDelivery(
  delivery: Delivery,
  loaded: LoadedConfig,
  context: WorkerContext,
): Promise<Result> {
  const { channel, attempts } = delivery
  const missing = loaded.unusable[channel]
  if (missing) return failed(delivery, new DeliveryError('retry', missing), loaded, context)
  const settings = loaded.config.channels[channel] ?? builtInConfig().config.channels[channel]
  if (!settings) return { type: 'gave-up', attempt: attempts, reason: `no channel "${channel}"` }
  const { type, ...options } = settings
  const notifier: Notifier = notifiers[type as keyof typeof notifiers]
  const lane = laneFor(channel, notifier, options, context)
  const turnedAway = await lane.enter()
  if (turnedAway) return { type: 'deferred', attempt: attempts, ...turnedAway }
  const startedAt = performance.now()
  try {
    const answer = await send(notifier, options, delivery, loaded, context)
    lane.leave()
    const ms = Math.round(performance.now() - startedAt)
    return { type: 'delivered', attempt: attempts + 1, ms, answer: forRecord(answer, loaded) }
  } catch (error) {
    const result = failed(delivery, error, loaded, context)
    if (isRetry(error)) closeLane(lane, error, result, loaded, context)
    else lane.leave()
    return result
  }
}

/** A notifier gets a deadline, and is not waited for when it does not keep it. */
async function send(
  notifier: Notifier,
  options: Parameters<Notifier['send']>[1],
  delivery: Delivery,
  { config }: LoadedConfig,
  { fetch }: WorkerContext,
): Promise<string> {
  const timeout = new AbortController()
  const limitMs = config.deliveryTimeoutSeconds * 1000
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DeliveryError('retry', `no answer within ${limitMs / 1000} s`)
      timeout.abort(error)
      reject(error)
    }, limitMs)
  })
  const { attempts, sessionEnv } = delivery
  const sending = notifier.send(delivery.message(notifier), options, {
    signal: timeout.signal,
    attempt: attempts + 1,
    fetch,
    sessionEnv,
  })
  try {
    return await Promise.race([sending, deadline])
  } finally {
    clearTimeout(timer)
  }
}

function failed(
  { attempts, acceptedAt }: Delivery,
  error: unknown,
  loaded: LoadedConfig,
  { now, random }: WorkerContext,
): Result {
  const attempt = attempts + 1
  const hint = error instanceof DeliveryError && error.hint ? ` (${error.hint})` : ''
  const reason = forRecord(describeError(error) + hint, loaded)
  if (!isRetry(error)) {
    const type = (error as DeliveryError).verdict === 'not-here' ? 'not-here' : 'gave-up'
    return { type, attempt, reason }
  }
  const { retry } = loaded.config
  const why = whyGiveUp(attempt, now() - acceptedAt, retry)
  if (why) return { type: 'gave-up', attempt, reason: `${why}: ${reason}` }
  const delay = retryDelay(attempt, retry, random(), retryAfterOf(error))
  return { type: 'deferred', attempt, reason, until: now() + delay }
}

function closeLane(
  lane: Lane,
  error: unknown,
  result: Result,
  { config }: LoadedConfig,
  { random }: WorkerContext,
) {
  const forMs = retryDelay(lane.failures + 1, config.retry, random(), retryAfterOf(error))
  lane.close(forMs, 'reason' in result ? result.reason : '')
}

function isRetry(error: unknown): boolean {
  return !(error instanceof DeliveryError) || error.verdict === 'retry'
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof DeliveryError ? error.retryAfterMs : undefined
}

function forRecord(text: string, { secrets }: LoadedConfig): string {
  return cutText(redact(oneLine(text), secrets), 300)
}

/** Channels with the same destination share one lane, because the destination counts them together. */
function laneFor(
  channel: string,
  notifier: Notifier,
  options: Parameters<Notifier['send']>[1],
  { lanes, now }: WorkerContext,
): Lane {
  const { pace, concurrency = 4, name } = notifier
  const key = pace ? `${name} ${pace.destination(options)}` : channel
  const known = lanes.get(key)
  if (known) return known
  const lane = new Lane({ concurrency, minIntervalMs: pace?.minIntervalMs ?? 0, now })
  lanes.set(key, lane)
  return lane
}
