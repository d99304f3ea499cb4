import { channelOf, optionsOf } from '../config/channels.ts'
import { builtInConfig, type LoadedConfig } from '../config/load/load.ts'
import type { Config, RetryPolicy } from '../config/schema/schema.ts'
import type { Delivery } from '../delivery.ts'
import { describeError } from '../errors.ts'
import { monotonicMs } from '../monotonic.ts'
import {
  DeadlineError,
  DeliveryError,
  type Notifier,
  type SendContext,
  type Sent,
} from '../notifiers/define.ts'
import { notifierOf } from '../notifiers/index.ts'
import { configuredChannel } from '../repeated-channel.ts'
import { isWithin } from '../text/local-time.ts'

/** A receiver that fails each time and asks for an immediate retry must not be hammered. */
const MIN_RETRY_AFTER_MS = 1000

/** Attempts made however old the first one is: while a machine is off, time passes without attempts. */
const MIN_ATTEMPTS = 5

type Delays = Pick<RetryPolicy, 'firstDelaySeconds' | 'maxDelaySeconds' | 'maxAgeHours'>

/** Why a delivery is held, and until when (Unix ms). */
export interface Hold {
  until: number
  reason: string
  /** Deliveries of the same group that are due together become one message. */
  group?: string
  /** When it would be due without quiet hours, Unix ms. */
  dueOtherwise?: number | undefined
}

/** The result of a delivery, for now or for good. */
export type Outcome =
  | {
      type: 'delivered'
      attempt: number
      ms: number
      answer: string
      /** The event whose message included this one. */
      summary?: string
    }
  | {
      type: 'unavailable' | 'exhausted'
      attempt: number
      reason: string
      delivery: Delivery
      /** No other message will get through either. */
      isChannelDead?: boolean
    }
  | {
      type: 'deferred'
      attempt: number
      reason: string
      /** When to try again, Unix ms. */
      until: number
      /** The destination has asked to wait until then, so all its messages do. */
      isAsked?: boolean
      /** The delivery to keep: the attempt is counted, and it may be a summary of several events. */
      delivery: Delivery
      /** Nothing will get through until a person corrects the channel. */
      isChannelDead?: boolean
    }
  /** Not attempted, because a rule holds it by now. */
  | (Hold & { type: 'held'; delivery: Delivery })
  | { type: 'expired'; reason: string }
  /** Not attempted: the worker ends, or the event cannot be read now. */
  | { type: 'released' }

export interface AttemptDeps {
  now(): number
  random(): number
}

type Options = Parameters<Notifier['send']>[1]

/** Where a delivery goes: the notifier and its options. Channels that lead to the same place have the same `key`. */
export interface Destination {
  key: string
  notifier: Notifier
  options: Options
}

/** @returns the destination, or why there is none: the channel was removed, or it lacks something such as a secret */
export function findDestination(
  channel: string,
  loaded: LoadedConfig,
): Destination | { error: DeliveryError } {
  const why = channelOf(channel, loaded.config)?.why
  if (why !== undefined) return { error: new DeliveryError('retry', why) }
  // The built-in desktop channel exists even if the configuration does not define it.
  for (const find of [() => loaded.config, () => builtInConfig().config]) {
    const { channels, given } = find()
    const destination = destinationIn(channels, channel, given)
    if (destination) return destination
  }
  return { error: new DeliveryError('give-up', `no channel "${channel}"`) }
}

/** @returns undefined where there is no such channel */
export function destinationIn(
  channels: LoadedConfig['config']['channels'],
  channel: string,
  given?: LoadedConfig['config']['given'],
): Destination | undefined {
  const found = channelOf(channel, { channels })
  const notifier = found && notifierOf(channel, { channels, given })
  if (!notifier) return undefined
  const options = optionsOf(found)
  const { pace, name } = notifier
  // Channels with the same destination share its pace, because the destination counts them together.
  const key = pace ? `${name} ${pace.destination(options)}` : configuredChannel(channel)
  return { key, notifier, options }
}

/** Makes one attempt, and stops waiting for it at the deadline. @throws what the notifier throws */
export async function send(
  { notifier, options }: Destination,
  delivery: Delivery,
  { config }: LoadedConfig,
  { now }: Pick<AttemptDeps, 'now'>,
  { replaces, isBeside, form }: Pick<SendContext, 'replaces' | 'isBeside' | 'form'> = {},
): Promise<Sent> {
  const { message, attempts, sessionEnv, remaining } = delivery
  const at = now()
  return await withDeadline(config.deliveryTimeoutSeconds * 1000, (signal) =>
    notifier.send(message, options, {
      signal,
      attempt: attempts + 1,
      now: at,
      extraCaFile: config.extraCaFile,
      sessionEnv,
      delivery,
      ...(replaces !== undefined && { replaces }),
      ...(isQuietAt(at, message.kind, config.noise) && { isQuiet: true }),
      ...(isBeside && { isBeside }),
      ...(form && { form }),
      ...(remaining && { remaining }),
    }),
  )
}

/** Also for a question, which is sent in quiet hours too. */
function isQuietAt(
  at: number,
  kind: Delivery['kind'],
  { quietHours, off }: Config['noise'],
): boolean {
  if (off.includes('quiet-hours')) return false
  return quietHours.some((period) => !period.except.includes(kind) && isWithin(period, at))
}

/** How long aborted work may take to fail with its own error. */
const LAST_WORDS_MS = 1000
/** If the deadline is noticed this late, this process was stopped, and the response may have come meanwhile. */
const STOPPED_MS = 500
/** How long reading that response may take. */
const READ_MS = 1000

/** Aborts the work after `limitMs`, and does not wait for work that ignores its signal. @throws what the work throws */
export async function withDeadline<Result>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const dueAt = monotonicMs() + limitMs
  const deadline = new Promise<never>((_, reject) => {
    const end = () => {
      const error = new DeadlineError(limitMs)
      timeout.abort(error)
      timer = setTimeout(() => reject(error), LAST_WORDS_MS)
    }
    timer = setTimeout(() => {
      if (monotonicMs() - dueAt < STOPPED_MS) end()
      else timer = setTimeout(end, READ_MS)
    }, limitMs)
  })
  try {
    return await Promise.race([work(timeout.signal), deadline])
  } finally {
    clearTimeout(timer)
  }
}

/** The outcome of a message that was accepted. If some recipients did not get it, it is tried again for them alone. */
export function sentOutcome(
  before: Delivery,
  sent: Sent,
  ms: number,
  loaded: LoadedConfig,
  deps: AttemptDeps,
): Outcome {
  const { answer, remaining } = typeof sent === 'string' ? { answer: sent } : sent
  const delivered = { type: 'delivered', attempt: before.attempts + 1, ms, answer } as const
  if (!remaining) return delivered
  const missing = new DeliveryError('retry', answer)
  const outcome = failedOutcome({ ...before, remaining }, missing, loaded, deps)
  return outcome.type === 'deferred' ? outcome : delivered
}

/** The outcome of a failed attempt. `trippedMs`: for how long the limiter blocks the destination. */
export function failedOutcome(
  before: Delivery,
  error: unknown,
  loaded: LoadedConfig,
  deps: AttemptDeps,
  trippedMs = 0,
): Outcome {
  const outcome = outcomeOf(before, error, loaded, deps, trippedMs)
  if (!before.remaining || outcome.type === 'deferred') return outcome
  // Some recipients have it, so it never counts as failed.
  const { attempt, reason } = outcome
  return { type: 'delivered', attempt, ms: 0, answer: `others have it; ${reason}` }
}

function outcomeOf(
  before: Delivery,
  error: unknown,
  { config: { retry } }: LoadedConfig,
  { now, random }: AttemptDeps,
  trippedMs: number,
): Extract<Outcome, { attempt: number; reason: string }> {
  const attempt = before.attempts + 1
  const firstTriedAt = before.firstTriedAt || now()
  // From now on it is a message like any other: the rules apply before its next attempt.
  const { isUnconditional: _, ...rest } = before
  const delivery = { ...rest, attempts: attempt, firstTriedAt }
  const hint = error instanceof DeliveryError && error.hint ? ` (${error.hint})` : ''
  const reason = describeError(error) + hint
  const dead = error instanceof DeliveryError && error.isChannelDead && { isChannelDead: true }
  if (!isRetry(error)) {
    const type = (error as DeliveryError).verdict === 'unavailable' ? 'unavailable' : 'exhausted'
    return { type, attempt, reason, delivery, ...dead }
  }
  const why = whyGiveUp(attempt, now() - firstTriedAt, retry)
  if (why) return { type: 'exhausted', attempt, reason: `${why}: ${reason}`, delivery }
  const wish = retryAfterOf(error)
  const delayMs = retryDelay(attempt, retry, random(), wish)
  const until = Math.ceil(now() + Math.max(delayMs, trippedMs))
  const asked = wish !== undefined && { isAsked: true }
  return { type: 'deferred', attempt, reason, until, ...asked, delivery, ...dead }
}

/** The outcome of a delivery without a destination. See `findDestination`. */
export function outcomeWithout(
  delivery: Delivery,
  error: DeliveryError,
  loaded: LoadedConfig,
  deps: AttemptDeps,
): Outcome {
  // A person has removed the channel. If the whole file is gone, that may be a mistake: then it can be retried.
  const isRemoved = error.verdict === 'give-up' && loaded.source !== 'built-in'
  if (isRemoved && !delivery.isUnconditional)
    return { type: 'expired', reason: `the channel ${delivery.channel} was removed` }
  return failedOutcome(delivery, error, loaded, deps)
}

/** Whether the failure is temporary and would also hit the next message. Unknown errors count as temporary. */
export function isRetry(error: unknown): boolean {
  return !(error instanceof DeliveryError) || error.verdict === 'retry'
}

/** How long the destination asks us to wait, in ms; undefined if it does not. */
export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof DeliveryError ? error.retryAfterMs : undefined
}

/**
 * How long to wait after the given failed attempt, in ms: exponential, capped, with jitter in the upper half so that
 * many events are not retried at the same moment. A receiver's `retryAfterMs` is used instead, within limits.
 */
export function retryDelay(
  attempt: number,
  policy: Delays,
  random: number,
  retryAfterMs?: number,
): number {
  if (retryAfterMs !== undefined) {
    return Math.max(MIN_RETRY_AFTER_MS, Math.min(retryAfterMs, policy.maxAgeHours * 3600_000))
  }
  const doubled = policy.firstDelaySeconds * 2 ** (attempt - 1)
  const capped = Math.min(doubled, policy.maxDelaySeconds) * 1000
  return capped * (0.5 + random / 2)
}

/** Why there will be no further attempt, or undefined. `ageMs`: since the first attempt. */
export function whyGiveUp(
  attempt: number,
  ageMs: number,
  policy: Pick<RetryPolicy, 'maxAttempts' | 'maxAgeHours'>,
): string | undefined {
  if (attempt >= policy.maxAttempts) {
    return `gave up after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}`
  }
  const isOld = ageMs >= policy.maxAgeHours * 3600_000
  if (isOld && attempt >= MIN_ATTEMPTS) return `gave up after ${policy.maxAgeHours} hours`
  return undefined
}

/** What the outcome of a summary means for one of the messages in it. */
export function shareOf(outcome: Outcome, own: Delivery, summary: Delivery): Outcome {
  if (outcome.type === 'delivered') {
    return own.id === summary.id ? outcome : { ...outcome, summary: summary.events[0] ?? '' }
  }
  if (!('attempt' in outcome)) return outcome
  const { isUnconditional: _, ...rest } = own
  const { remaining, firstTriedAt } = outcome.delivery
  const attempt = own.attempts + 1
  const tried = { attempts: attempt, firstTriedAt: own.firstTriedAt || firstTriedAt }
  return { ...outcome, attempt, delivery: { ...rest, ...tried, ...(remaining && { remaining }) } }
}
