import { hostname } from 'node:os'
import type { LoadedConfig } from '../config/load/load.ts'
import { configDir, configPath } from '../config/paths.ts'
import { readChannels } from '../deliver/audience.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { downKey } from '../hub/keys.ts'
import { type HubRecord, recordOf } from '../hub/record.ts'
import { destinationOf } from './destinations.ts'

/** After this long it is told again. Machines choose the names, so they must not be kept for ever. */
const WEEK_SECONDS = 7 * 24 * 3600

interface DeadChannelDeps {
  redis: RedisConnection
  loaded: LoadedConfig
  now(): number
}

/**
 * Makes the notice that nothing gets through to a channel, since its machines count their messages as delivered.
 * @returns a message for another channel; undefined if there is none that works, or if this was told before
 */
export async function noticeOf(
  channel: string,
  reason: string,
  deps: DeadChannelDeps,
): Promise<HubRecord | undefined> {
  const { redis, now } = deps
  // Of several hubs, one tells it.
  const isNew = await redis.call('SET', downKey(channel), '1', 'NX', 'EX', `${WEEK_SECONDS}`)
  if (isNew === null) return undefined
  const other = await otherThan(channel, deps)
  if (other === undefined) return undefined
  const id = `${channel} ${now()}`
  const delivery = { events: [id], host: hostname(), channel: other, session: id, expires: 0 }
  const message = {
    ...{ id, markup: '', sessionId: '', cwd: '', client: 'hookbell', at: '' },
    ...({ event: 'StopFailure', kind: 'failed', urgency: 'critical' } as const),
    title: `Nothing gets through to the channel ${channel} any more`,
    body: `${reason}\nCorrect it in ${configPath(configDir())} of the hub, then: hookbell hub dead retry --all`,
  }
  return recordOf({ ...delivery, acceptedAt: now() }, message, now())
}

/** To be called when a message got through. */
export async function noteWorking(channel: string, redis: RedisConnection) {
  await redis.call('DEL', downKey(channel))
}

async function otherThan(
  channel: string,
  { redis, loaded }: DeadChannelDeps,
): Promise<string | undefined> {
  const keyOf = (name: string) => {
    const destination = destinationOf(name, loaded)
    return 'error' in destination ? undefined : destination.key
  }
  for (const name of readChannels(loaded.config)) {
    const key = keyOf(name)
    if (key === undefined || key === keyOf(channel)) continue
    if ((await redis.call('EXISTS', downKey(name))) === 0) return name
  }
  return undefined
}
