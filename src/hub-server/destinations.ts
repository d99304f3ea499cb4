import { hostname } from 'node:os'
import type { LoadedConfig } from '../config/load/load.ts'
import { findDestination } from '../deliver/attempt.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { PREFIX } from '../hub/keys.ts'
import { DeliveryError } from '../notifiers/define.ts'

/** A queue in which messages wait, and the channels whose new messages go there. */
export interface HubQueue {
  queueName: string
  /** Those of one destination; none if the queue is only left from an earlier configuration. */
  channels: string[]
}

/**
 * The queues of the destinations in the hub's own configuration, and those left from an earlier one, in which messages
 * may still wait. A machine cannot make the hub send anywhere else.
 */
export async function hubQueues(loaded: LoadedConfig, redis: RedisConnection): Promise<HubQueue[]> {
  const current = queuesOf(loaded)
  const known = new Set(current.map(({ queueName }) => queueName))
  const left = (await existingQueues(redis)).filter((queueName) => !known.has(queueName))
  return [...current, ...left.map((queueName) => ({ queueName, channels: [] }))]
}

/** The destination of a channel of this hub, or why it has none. A channel of another hub is not a destination. */
export function destinationOf(
  channel: string,
  loaded: LoadedConfig,
): ReturnType<typeof findDestination> {
  const { channels } = loaded.config
  const isOwn = Object.hasOwn(channels, channel) && channels[channel]?.type !== 'hub'
  if (isOwn) return findDestination(channel, loaded)
  const options = { isChannelDead: true }
  return {
    error: new DeliveryError(
      'give-up',
      `the hub on ${hostname()} has no channel "${channel}"`,
      options,
    ),
  }
}

function queuesOf(loaded: LoadedConfig): HubQueue[] {
  const found = new Map<string, HubQueue>()
  for (const channel of Object.keys(loaded.config.channels)) {
    const destination = destinationOf(channel, loaded)
    if ('error' in destination) continue
    const { key } = destination
    const known = found.get(key)
    // Named after a channel, not after the destination: what waits must survive a new URL, such as after the old one died.
    if (known) known.channels.push(channel)
    else found.set(key, { queueName: `${QUEUE}${channel}`, channels: [channel] })
  }
  return [...found.values()]
}

const QUEUE = 'd-'
const SCANNED = '1000'

async function existingQueues(redis: RedisConnection): Promise<string[]> {
  const [before, after] = [`${PREFIX}:${QUEUE}`, ':meta']
  const names = new Set<string>()
  let cursor = '0'
  do {
    const { next, keys } = await redis.scan(cursor, 'MATCH', `${before}*${after}`, 'COUNT', SCANNED)
    for (const key of keys) names.add(QUEUE + key.slice(before.length, -after.length))
    cursor = next
  } while (cursor !== '0')
  return [...names].sort()
}
