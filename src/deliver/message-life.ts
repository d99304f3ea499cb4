import type { Delivery } from '../delivery.ts'
import type { Destination } from './attempt.ts'

/** What is known of earlier messages, asked around each attempt. Nothing of it throws. */
export interface MessageLife {
  /** Why the delivery is not worth telling any more; undefined where it is. */
  whyOver(delivery: Delivery): Promise<string | undefined>
  begin(delivery: Delivery, destination: Destination): Begun
}

/** A message that is about to be sent. Ends with `delivered` or with `failed`. */
export interface Begun {
  /** With what it has to tell besides. */
  delivery: Delivery
  /** The handle of the message whose place it takes. */
  replaces?: string | undefined
  /** @param handle of the message, where the notifier gave one */
  delivered(handle: string | undefined): void
  failed(): void
}

/** Every message is the first one. */
export const unknownLife: MessageLife = {
  whyOver: async () => undefined,
  begin: (delivery) => ({ delivery, delivered: () => {}, failed: () => {} }),
}
