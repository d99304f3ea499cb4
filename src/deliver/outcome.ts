import type { Delivery } from '../delivery.ts'

/** What became of a delivery, for now or for good. */
export type Outcome =
  | {
      type: 'delivered'
      attempt: number
      ms: number
      answer: string
      /** The event whose message told of this one too. */
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
      /** To be parked: with the attempt counted, and perhaps a summary of several events. */
      delivery: Delivery
    }
  | { type: 'expired'; reason: string }
  /** Not begun: the worker ends. */
  | { type: 'released' }
