import type { LoadedConfig } from '../config/load/load.ts'
import type { Answer } from '../delivery.ts'
import {
  type AttemptDeps,
  type Destination,
  findDestination,
  isRetry,
  withDeadline,
} from './attempt.ts'

/**
 * Tells the hub, if there is one, that a session was answered, since messages of it may wait there. Has a deadline
 * and never throws. @returns false if it failed and is worth a retry
 */
export async function tellAnswer(
  answer: Answer,
  loaded: LoadedConfig,
  { now }: Pick<AttemptDeps, 'now'>,
): Promise<boolean> {
  const destination = listenerIn(loaded)
  if (!destination) return true
  const { notifier, options } = destination
  const { deliveryTimeoutSeconds, extraCaFile } = loaded.config
  try {
    await withDeadline(
      deliveryTimeoutSeconds * 1000,
      async (signal) =>
        await notifier.tellAnswer?.(answer, options, { signal, extraCaFile, now: now() }),
    )
    return true
  } catch (error) {
    return !isRetry(error)
  }
}

/** The hub. A configuration has at most one, so all channels whose notifier takes answers lead to the same one. */
function listenerIn(loaded: LoadedConfig): Destination | undefined {
  for (const channel of Object.keys(loaded.config.channels)) {
    const found = findDestination(channel, loaded)
    if (!('error' in found) && found.notifier.tellAnswer) return found
  }
  return undefined
}
