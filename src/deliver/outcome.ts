import type { Delivery } from '../delivery.ts'

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
      /** The delivery to park: the attempt is counted, and it may be a summary of several events. */
      delivery: Delivery
      /** Nothing will get through until a person corrects the channel. */
      isChannelDead?: boolean
    }
  /** Not attempted, because a rule holds it by now. */
  | (Hold & { type: 'held'; delivery: Delivery })
  | { type: 'expired'; reason: string }
  /** Not attempted: the worker ends, or the event cannot be read now. */
  | { type: 'released' }

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
