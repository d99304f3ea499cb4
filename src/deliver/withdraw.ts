import type { LoadedConfig } from '../config/load/load.ts'
import { findDestination, isRetry, withDeadline } from './attempt.ts'

/** A message that a channel shows, identified by the handle that its notifier gave. */
export interface ShownBy {
  channel: string
  handle: string
  sessionEnv: Readonly<Record<string, string>>
}

/** What was done, in one short line; or, if nothing was, whether it may be possible later. */
export type Withdrawal = { isDone: true; answer: string } | { isDone: false; mayWork: boolean }

/** Withdraws a message that is still shown, with a deadline. Never throws. */
export async function withdraw(
  { channel, handle, sessionEnv }: ShownBy,
  loaded: LoadedConfig,
): Promise<Withdrawal> {
  const destination = findDestination(channel, loaded)
  if ('error' in destination) return { isDone: false, mayWork: isRetry(destination.error) }
  const { notifier, options } = destination
  const { deliveryTimeoutSeconds, extraCaFile } = loaded.config
  try {
    const answer = await withDeadline(
      deliveryTimeoutSeconds * 1000,
      async (signal) =>
        await notifier.withdraw?.(handle, options, { signal, extraCaFile, sessionEnv }),
    )
    return answer === undefined ? { isDone: false, mayWork: false } : { isDone: true, answer }
  } catch (error) {
    return { isDone: false, mayWork: isRetry(error) }
  }
}
