import type { LoadedConfig } from '../config/load.ts'
import type { Delivery } from '../delivery.ts'
import { describeError } from '../errors.ts'
import { DeliveryError, type Notifier } from '../notifiers/define.ts'
import { type Destination, destinationIn, findDestination, retryAfterOf } from './attempt.ts'
import type { DestinationLimiter } from './destination-limiter.ts'

/** Where messages for a channel of the hub go that the hub does not take; undefined where they wait for it. */
export function findDirect(channel: string, { direct }: LoadedConfig): Destination | undefined {
  const found = direct && destinationIn(direct, channel)
  if (!found) return undefined
  const { key, notifier, options } = found
  // The name alone is the key of the way over the hub.
  return { options, key: notifier.pace ? key : `direct ${channel}`, notifier: instead(notifier) }
}

/** @returns why there is no way: the channel was removed, or lacks something */
export function findWay(channel: string, loaded: LoadedConfig, isDirect = false) {
  return (isDirect ? findDirect(channel, loaded) : undefined) ?? findDestination(channel, loaded)
}

const WHY = 'directly, since the hub takes nothing'

/** The same, and its answers say that they are not those of the hub. What it shows is not withdrawn. */
function instead({ canReplace: _, withdraw: _withdraw, ...notifier }: Notifier): Notifier {
  return {
    ...notifier,
    async send(...all) {
      try {
        const sent = await notifier.send(...all)
        return `${WHY}: ${typeof sent === 'string' ? sent : sent.answer}`
      } catch (error) {
        // Never the last word: the hub may take it.
        throw new DeliveryError('retry', `${WHY}: ${describeError(error)}`, {
          ...(error instanceof DeliveryError && error.hint && { hint: error.hint }),
          ...{ retryAfterMs: retryAfterOf(error), cause: error },
        })
      }
    },
  }
}

interface Failing {
  delivery: Pick<Delivery, 'channel' | 'firstTriedAt'>
  limiter: Pick<DestinationLimiter, 'failingMs'>
  /** Unix ms. */
  now: number
}

/** After how long it goes directly, in ms: 0 from now on, Infinity where it waits for the hub. */
export function directInMs({ delivery, limiter, now }: Failing, loaded: LoadedConfig): number {
  const { channel, firstTriedAt } = delivery
  const afterMs = (loaded.config.hub?.directAfterMinutes ?? 0) * 60_000
  if (!findDirect(channel, loaded)) return Number.POSITIVE_INFINITY
  // The limiter forgets with its worker, the delivery does not.
  const triedMs = firstTriedAt > 0 ? now - firstTriedAt : 0
  return Math.max(0, afterMs - Math.max(limiter.failingMs, triedMs))
}
