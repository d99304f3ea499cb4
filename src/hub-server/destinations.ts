import type { LoadedConfig } from '../config/load.ts'
import { type Destination, findDestination } from '../deliver/attempt.ts'
import { sha256 } from '../text/sha256.ts'

/** A destination that several channels may share, with the queue in which its messages wait. */
export interface HubDestination extends Destination {
  queueName: string
  channels: string[]
}

/** The destinations in the hub's own configuration. A machine cannot make the hub send anywhere else. */
export function hubDestinations(loaded: LoadedConfig): Map<string, HubDestination> {
  const found = new Map<string, HubDestination>()
  for (const [channel, { type }] of Object.entries(loaded.config.channels)) {
    if (type === 'hub') continue
    const destination = findDestination(channel, loaded)
    if ('error' in destination) continue
    const known = found.get(destination.key)
    if (known) known.channels.push(channel)
    else
      found.set(destination.key, {
        ...destination,
        queueName: nameOf(destination.key),
        channels: [channel],
      })
  }
  return found
}

/** Hashed, because the key may contain a secret URL. */
function nameOf(key: string): string {
  return `d-${sha256(key).slice(0, 16)}`
}
