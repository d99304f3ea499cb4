import { channelOf } from '../config/channels.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import type { Delivery } from '../delivery.ts'
import { describeError } from '../errors.ts'
import { DeliveryError, type Notifier } from '../notifiers/define.ts'
import { type Destination, destinationIn, findDestination, retryAfterOf } from './attempt.ts'
import type { DestinationLimiter } from './destination-limiter.ts'

/** Where messages for a hub channel go while the hub does not accept them; undefined if they wait for the hub. */
export function findDirect(channel: string, { config }: LoadedConfig): Destination | undefined {
  const standIn = channelOf(channel, config)?.standIn
  const found = standIn && !standIn.state && destinationIn({ [channel]: standIn }, channel)
  if (!found) return undefined
  const { key, notifier, options } = found
  // The name alone is already the key of the same channel by way of the hub.
  return { options, key: notifier.pace ? key : `direct ${channel}`, notifier: bypass(notifier) }
}

/** Whether it bypasses its hub from the start: some recipients have it, and the hub would send it to all of them. */
export function bypassesHub({ remaining }: Pick<Delivery, 'remaining'>): boolean {
  return remaining !== undefined
}

/**
 * @returns the destination, or why there is none. `isDirect`: prefer the one that bypasses the hub, and wait for it while it
 * lacks something such as a secret
 */
export function findWay(channel: string, loaded: LoadedConfig, isDirect = false) {
  const missing = isDirect ? channelOf(channel, loaded.config)?.standIn?.why : undefined
  if (missing) return { error: new DeliveryError('retry', missing) }
  return (isDirect ? findDirect(channel, loaded) : undefined) ?? findDestination(channel, loaded)
}

const WHY = 'directly, since the hub takes nothing'

/** The same notifier, whose answers say that the hub was bypassed. It never replaces or withdraws a message. */
function bypass({ canReplace: _, withdraw: _withdraw, ...notifier }: Notifier): Notifier {
  return {
    ...notifier,
    async send(...all) {
      try {
        const sent = await notifier.send(...all)
        if (typeof sent === 'string') return `${WHY}: ${sent}`
        const { answer, remaining } = sent
        return { answer: `${WHY}: ${answer}`, ...(remaining && { remaining }) }
      } catch (error) {
        // Always a retry: the hub may still accept the message.
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

/** How long until the delivery bypasses the hub, in ms: 0 from now on, Infinity if it always waits for the hub. */
export function directInMs({ delivery, limiter, now }: Failing, loaded: LoadedConfig): number {
  const { channel, firstTriedAt } = delivery
  const afterMs = (loaded.config.hub?.directAfterMinutes ?? 0) * 60_000
  if (!findDirect(channel, loaded)) return Number.POSITIVE_INFINITY
  // The limiter's state ends with its worker; the delivery's is on the disk.
  const triedMs = firstTriedAt > 0 ? now - firstTriedAt : 0
  return Math.max(0, afterMs - Math.max(limiter.failingMs, triedMs))
}
