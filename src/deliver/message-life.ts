import type { LoadedConfig } from '../config/load/load.ts'
import type { Delivery, Message } from '../delivery.ts'
import type { Form } from '../notifiers/define.ts'
import {
  type Destination,
  findDestination,
  type Hold,
  isRetry,
  type Outcome,
  withDeadline,
} from './attempt.ts'

/** A message that a channel shows, identified by the handle that its notifier gave. */
interface ShownBy {
  channel: string
  handle: string
  sessionEnv: Readonly<Record<string, string>>
}

/** What was done, in one short line; or, if nothing was, whether it may be possible later. */
type Change = { isDone: true; answer: string } | { isDone: false; mayWork: boolean }

/**
 * A one-shot run ends its session right after its turn. That end answers nothing: the message is shown for as long as one
 * that disappears by itself.
 */
export const ONE_SHOT_MS = 10_000

/** A message that is older is late. */
const LATE_MS = 60_000

/** What is known of earlier messages. No method throws or rejects. */
export interface EarlierMessages {
  /** Why the delivery is no longer worth sending; undefined if it is. */
  whyOver(delivery: Delivery): Promise<string | undefined>
  begin(delivery: Delivery, destination: Destination): Promise<Sending>
}

/** Called around each attempt. */
export interface MessageLife extends EarlierMessages {
  /** Until when the delivery must not be sent although it is due; undefined if it may be sent now. */
  whyLater(delivery: Delivery): Hold | undefined
}

/** A message that is about to be sent. Ends with `delivered` or with `failed`. */
export interface Sending {
  /** The delivery to send; text may have been added, such as other open questions. */
  delivery: Delivery
  /** The handle of the shown message that it replaces. */
  replaces?: string | undefined
  /** What it shows, if it can be answered there. */
  form?: Form | undefined
  /** Another message of its session is shown, which it must not replace. */
  isBeside?: boolean
  /** @param handle of the message, if the notifier gave one */
  delivered(handle: string | undefined): Promise<void>
  /** @param handle of the message, if it may have arrived nevertheless */
  failed(handle?: string): Promise<void>
}

/** Knows nothing of earlier messages: each delivery is sent as it is. */
export const unknownLife: MessageLife = {
  whyOver: async () => undefined,
  whyLater: () => undefined,
  begin: async (delivery) => ({ delivery, delivered: async () => {}, failed: async () => {} }),
}

/** The outcome of a delivery that is not sent although it is its turn; undefined if it is sent. */
export async function whyNotNow(
  delivery: Delivery,
  life: MessageLife,
  now: number,
): Promise<Outcome | undefined> {
  if (delivery.expires > 0 && now > delivery.expires)
    return { type: 'expired', reason: 'too late to be of use' }
  const over = await life.whyOver(delivery)
  if (over !== undefined) return { type: 'expired', reason: over }
  const hold = life.whyLater(delivery)
  return hold && { type: 'held', ...hold, delivery }
}

/** Whether a message is late, such as after `hookbell hold`, so that it may become part of a summary. */
export function isLate({ acceptedAt }: Delivery, now: number): boolean {
  return now - acceptedAt >= LATE_MS
}

/**
 * Withdraws a message that is still shown, with a deadline. Never throws.
 * @param ending what became of a question that could be answered there: shown in its place
 */
export function withdraw(shown: ShownBy, loaded: LoadedConfig, ending?: Form): Promise<Change> {
  if (ending) return changeForm(shown, ending, loaded)
  const { handle, sessionEnv } = shown
  return change(shown, loaded, async ({ notifier, options }, signal) => {
    const { extraCaFile } = loaded.config
    return await notifier.withdraw?.(handle, options, { signal, extraCaFile, sessionEnv })
  })
}

/** Replaces the text of a message that is still shown, with a deadline. Its answer is the handle from then on. Never throws. */
export function update(
  shown: ShownBy,
  message: Message,
  loaded: LoadedConfig,
  now: number,
): Promise<Change> {
  const { handle, sessionEnv } = shown
  return change(shown, loaded, async ({ notifier, options }, signal) => {
    const context = { signal, sessionEnv, now, extraCaFile: loaded.config.extraCaFile }
    return await notifier.update?.(handle, message, options, context)
  })
}

/** Shows another form, with a deadline. Never throws. */
export function changeForm(shown: ShownBy, form: Form, loaded: LoadedConfig): Promise<Change> {
  return change(shown, loaded, async ({ notifier, options }, signal) => {
    const { extraCaFile } = loaded.config
    if (!notifier.answers) return undefined
    await notifier.answers.change(shown.handle, form, options, { signal, extraCaFile })
    return `says: ${form.note}`
  })
}

async function change(
  { channel }: ShownBy,
  loaded: LoadedConfig,
  work: (destination: Destination, signal: AbortSignal) => Promise<string | undefined>,
): Promise<Change> {
  const destination = findDestination(channel, loaded)
  if ('error' in destination) return { isDone: false, mayWork: isRetry(destination.error) }
  const limitMs = loaded.config.deliveryTimeoutSeconds * 1000
  try {
    const answer = await withDeadline(limitMs, (signal) => work(destination, signal))
    return answer === undefined ? { isDone: false, mayWork: false } : { isDone: true, answer }
  } catch (error) {
    return { isDone: false, mayWork: isRetry(error) }
  }
}
