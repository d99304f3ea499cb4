import { hostname } from 'node:os'
import type { LoadedConfig } from '../config/load/load.ts'
import { configDir, configPath } from '../config/paths.ts'
import { readChannels } from '../deliver/audience.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { downKey } from '../hub/keys.ts'
import { type HubRecord, recordOf } from '../hub/record.ts'
import { oneLine } from '../text/clean.ts'
import { destinationOf } from './destinations.ts'

/** After this long the notice is sent again. Machines choose the names of channels, so none may be stored forever. */
const WEEK_SECONDS = 7 * 24 * 3600

interface DeadChannelDeps {
  redis: RedisConnection
  loaded: LoadedConfig
  now(): number
}

/** A message that could not be sent, and why. */
interface Failed {
  channel: string
  /** The machine that it is from. */
  host: string
  reason: string
}

/**
 * Makes the notice that nothing gets through to a channel. The machines cannot notice it: for them, what they have handed
 * over is delivered.
 * @returns a message for another channel; undefined if no other channel works, or if the notice was sent before
 */
export async function noticeOf(
  failed: Failed,
  deps: DeadChannelDeps,
): Promise<HubRecord | undefined> {
  const { redis, loaded, now } = deps
  const { channel } = failed
  const other = await otherThan(channel, deps)
  const isNew = await noteDown(channel, other ?? '', redis)
  if (!isNew || other === undefined) return undefined
  const id = `${channel} ${now()}`
  const delivery = { events: [id], host: hostname(), channel: other, session: id, expires: 0 }
  const message = {
    ...{ id, markup: '', sessionId: '', cwd: '', client: 'hookbell', at: '' },
    ...({ event: 'StopFailure', kind: 'failed', urgency: 'critical' } as const),
    ...(Object.hasOwn(loaded.config.channels, channel) ? textOf(failed) : textOfUnknown(failed)),
  }
  return recordOf({ ...delivery, acceptedAt: now() }, message, now())
}

function textOf({ channel, reason }: Failed) {
  return {
    title: `Nothing gets through to the channel ${channel} any more`,
    body: `${reason}\nCorrect it in ${configPath(configDir())} of the hub, then: hookbell hub dead retry --all`,
  }
}

/** The cause is a typo on a machine, or only another hub has the channel. */
function textOfUnknown({ channel, host }: Failed) {
  const machine = oneLine(host) || 'a machine'
  return {
    title: `The hub on ${hostname()} has no channel ${channel}`,
    body: [
      `A message of ${machine} for it is dead: hookbell hub dead`,
      `Add it to ${configPath(configDir())} of this and every other hub, then: hookbell hub dead retry --all`,
      `If the name is wrong, correct "channels" of "hub" in config.json on ${machine}`,
    ].join('\n'),
  }
}

/**
 * Marks a channel as down, with the name of the channel that gets the notice; '' if there is none.
 * @returns whether to send the notice now: of several hubs, only one does
 */
async function noteDown(channel: string, other: string, redis: RedisConnection): Promise<boolean> {
  const key = downKey(channel)
  const expiry = ['EX', `${WEEK_SECONDS}`] as const
  const before = await redis.text('SET', key, other, 'NX', 'GET', ...expiry)
  if (before === null) return true
  const isReported = before !== '' && (await redis.count('EXISTS', downKey(before))) === 0
  return !isReported && (await redis.text('SET', key, other, 'GET', ...expiry)) !== other
}

/** To be called when a message got through. */
export async function noteWorking(channel: string, redis: RedisConnection) {
  await redis.count('DEL', downKey(channel))
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
    if ((await redis.count('EXISTS', downKey(name))) === 0) return name
  }
  return undefined
}
