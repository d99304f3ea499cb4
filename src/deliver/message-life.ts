import type { Delivery } from '../delivery.ts'
import type { Destination } from './attempt.ts'

/**
 * A one-shot run ends its session right after its turn. That end answers nothing: the message is shown for as long as one
 * that disappears by itself.
 */
export const ONE_SHOT_MS = 10_000

/** Called around each attempt, with what is known of earlier messages. No method throws or rejects. */
export interface MessageLife {
  /** Why the delivery is no longer worth sending; undefined if it is. */
  whyOver(delivery: Delivery): Promise<string | undefined>
  begin(delivery: Delivery, destination: Destination): Begun
}

/** A message that is about to be sent. Ends with `delivered` or with `failed`. */
export interface Begun {
  /** The delivery to send; text may have been added, such as other open questions. */
  delivery: Delivery
  /** The handle of the shown message that it replaces. */
  replaces?: string | undefined
  /** @param handle of the message, if the notifier gave one */
  delivered(handle: string | undefined): void
  failed(): void
}

/** Knows nothing of earlier messages: each delivery is sent as it is. */
export const unknownLife: MessageLife = {
  whyOver: async () => undefined,
  begin: (delivery) => ({ delivery, delivered: () => {}, failed: () => {} }),
}
