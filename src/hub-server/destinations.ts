import type { LoadedConfig } from '../config/load.ts'
import { type Destination, findDestination } from '../deliver/attempt.ts'
import { sha256 } from '../text/sha256.ts'

/** What several channels may share, and the queue in which messages wait for it. */
export interface HubDestination extends Destination {
  queueName: string
  channels: string[]
}

/** All that the hub's own configuration names; nothing else can be posted to, whatever a machine says. */
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

/** The key may hold a secret URL. */
function nameOf(key: string): string {
  return `d-${sha256(key).slice(0, 16)}`
}
