import { builtInConfig, type LoadedConfig } from '../config/load.ts'
import { describeError } from '../errors.ts'
import { DeliveryError, type Message, type Notifier } from '../notifiers/define.ts'
import { notifiers } from '../notifiers/index.ts'
import { retryDelay, whyGiveUp } from './backoff.ts'
import type { WorkerContext } from './context.ts'
import { Lane, type TurnedAway } from './lane.ts'

export interface Delivery {
  channel: string
  /** Attempts made before this one. */
  attempts: number
  acceptedAt: number
  sessionEnv: Readonly<Record<string, string>>
  message(notifier: Notifier): Message
  /** The next event of the session may be sent. */
  passTurn(): void
}

export type Result =
  | { type: 'delivered'; attempt: number; ms: number; answer: string }
  | { type: 'not-here' | 'gave-up'; attempt: number; reason: string }
  | { type: 'deferred'; attempt: number; reason: string; until: number; queuedIn?: Lane }

type Options = Parameters<Notifier['send']>[1]

/** One try to deliver one event to one channel, when it is its turn. Never throws. */
export async function attemptDelivery(
  delivery: Delivery,
  loaded: LoadedConfig,
  context: WorkerContext,
): Promise<Result> {
  const { channel, attempts } = delivery
  const missing = Object.hasOwn(loaded.unusable, channel) && loaded.unusable[channel]
  if (missing) return failed(delivery, new DeliveryError('retry', missing), loaded, context)
  const settings = settingsOf(channel, loaded)
  if (!settings) return { type: 'gave-up', attempt: attempts, reason: `no channel "${channel}"` }
  const { type, ...options } = settings
  const notifier: Notifier = notifiers[type as keyof typeof notifiers]
  const lane = laneFor(channel, notifier, options, context)
  const turn = await lane.enter()
  if ('afterMs' in turn) return deferred(delivery, lane, turn, loaded, context)
  const startedAt = performance.now()
  try {
    const answer = await send(notifier, options, delivery, loaded, context)
    lane.leave(turn)
    const ms = Math.round(performance.now() - startedAt)
    return { type: 'delivered', attempt: attempts + 1, ms, answer }
  } catch (error) {
    if (!isRetry(error)) {
      lane.leave(turn)
      return failed(delivery, error, loaded, context)
    }
    const { retry } = loaded.config
    const wish = retryAfterOf(error)
    const delayAfter = (failures: number) => retryDelay(failures, retry, context.random(), wish)
    const closedMs = lane.close(turn, delayAfter, describeError(error))
    return failed(delivery, error, loaded, context, closedMs)
  }
}

/** A notifier gets a deadline, and is not waited for when it does not keep it. */
async function send(
  notifier: Notifier,
  options: Options,
  delivery: Delivery,
  { config }: LoadedConfig,
  { fetch }: WorkerContext,
): Promise<string> {
  const { attempts, sessionEnv } = delivery
  const message = delivery.message(notifier)
  const timeout = new AbortController()
  const { signal } = timeout
  const limitMs = config.deliveryTimeoutSeconds * 1000
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DeliveryError('retry', `no answer within ${limitMs / 1000} s`)
      timeout.abort(error)
      reject(error)
    }, limitMs)
  })
  try {
    const facts = { signal, attempt: attempts + 1, fetch, sessionEnv }
    const sent = notifier.send(message, options, facts)
    if (notifier.keepsOrder) delivery.passTurn()
    return await Promise.race([sent, deadline])
  } finally {
    clearTimeout(timer)
  }
}

function failed(
  { attempts, acceptedAt }: Delivery,
  error: unknown,
  loaded: LoadedConfig,
  { now, random }: WorkerContext,
  closedMs = 0,
): Result {
  const attempt = attempts + 1
  const hint = error instanceof DeliveryError && error.hint ? ` (${error.hint})` : ''
  const reason = describeError(error) + hint
  if (!isRetry(error)) {
    const type = (error as DeliveryError).verdict === 'not-here' ? 'not-here' : 'gave-up'
    return { type, attempt, reason }
  }
  const { retry } = loaded.config
  const why = whyGiveUp(attempt, now() - acceptedAt, retry)
  if (why) return { type: 'gave-up', attempt, reason: `${why}: ${reason}` }
  const delayMs = retryDelay(attempt, retry, random(), retryAfterOf(error))
  return {
    type: 'deferred',
    attempt,
    reason,
    until: Math.ceil(now() + Math.max(delayMs, closedMs)),
  }
}

/** Being turned away is no attempt, but an event does not wait for ever behind others that fail. */
function deferred(
  { attempts, acceptedAt }: Delivery,
  lane: Lane,
  { afterMs, reason, isQueued }: TurnedAway,
  { config }: LoadedConfig,
  { now }: WorkerContext,
): Result {
  const why = isQueued ? undefined : whyGiveUp(0, now() - acceptedAt, config.retry)
  if (why) return { type: 'gave-up', attempt: attempts, reason: `${why}: ${reason}` }
  const until = Math.ceil(now() + afterMs)
  return { type: 'deferred', attempt: attempts, reason, until, ...(isQueued && { queuedIn: lane }) }
}

function isRetry(error: unknown): boolean {
  return !(error instanceof DeliveryError) || error.verdict === 'retry'
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof DeliveryError ? error.retryAfterMs : undefined
}

/** The desktop of last resort is there even where the configuration has no such channel. */
function settingsOf(channel: string, { config }: LoadedConfig) {
  if (Object.hasOwn(config.channels, channel)) return config.channels[channel]
  const { channels } = builtInConfig().config
  return Object.hasOwn(channels, channel) ? channels[channel] : undefined
}

/** Channels with the same destination share one lane, because the destination counts them together. */
function laneFor(
  channel: string,
  notifier: Notifier,
  options: Options,
  { lanes, laneClock }: WorkerContext,
): Lane {
  const { pace, concurrency = 4, name } = notifier
  const key = pace ? `${name} ${pace.destination(options)}` : channel
  const known = lanes.get(key)
  if (known) return known
  const lane = new Lane({ concurrency, minIntervalMs: pace?.minIntervalMs ?? 0, now: laneClock })
  lanes.set(key, lane)
  return lane
}
