import type { LoadedConfig } from '../config/load.ts'
import type { Answer } from '../delivery.ts'
import {
  type AttemptDeps,
  type Destination,
  findDestination,
  isRetry,
  withDeadline,
} from './attempt.ts'

/**
 * Says that a session was answered wherever messages may wait out of our reach, with a deadline. Never throws.
 * @returns whether nothing is left to be said
 */
export async function tellAnswer(
  answer: Answer,
  loaded: LoadedConfig,
  { now }: Pick<AttemptDeps, 'now'>,
): Promise<boolean> {
  const destination = listenerIn(loaded)
  if (!destination) return true
  const { notifier, options } = destination
  try {
    await withDeadline(
      loaded.config.deliveryTimeoutSeconds * 1000,
      async (signal) => await notifier.tellAnswer?.(answer, options, { signal, now: now() }),
    )
    return true
  } catch (error) {
    return !isRetry(error)
  }
}

/** A configuration has one hub at most: all channels that listen lead to it. */
function listenerIn(loaded: LoadedConfig): Destination | undefined {
  for (const channel of Object.keys(loaded.config.channels)) {
    const found = findDestination(channel, loaded)
    if (!('error' in found) && found.notifier.tellAnswer) return found
  }
  return undefined
}
