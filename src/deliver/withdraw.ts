import type { LoadedConfig } from '../config/load/load.ts'
import type { Message } from '../delivery.ts'
import { type Destination, findDestination, isRetry, withDeadline } from './attempt.ts'

/** A message that a channel shows, identified by the handle that its notifier gave. */
interface ShownBy {
  channel: string
  handle: string
  sessionEnv: Readonly<Record<string, string>>
}

/** What was done, in one short line; or, if nothing was, whether it may be possible later. */
export type Change = { isDone: true; answer: string } | { isDone: false; mayWork: boolean }

/** Withdraws a message that is still shown, with a deadline. Never throws. */
export function withdraw(shown: ShownBy, loaded: LoadedConfig): Promise<Change> {
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
