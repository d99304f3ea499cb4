import { onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load/load.ts'
import type { Answer, Delivery } from '../../src/delivery.ts'
import { aclLines } from '../../src/hub/keys.ts'
import { type HubLine, startHub } from '../../src/hub-server/run.ts'
import { hub as notifier } from '../../src/notifiers/hub.ts'
import { makeDelivery } from '../support/delivery.ts'
import type { startReceiver } from '../support/receiver.ts'
import type { startRedis } from '../support/redis.ts'

type Started = Awaited<ReturnType<typeof startRedis>>
/** The URL of a Redis and the credentials for it. */
type Redis = Pick<Started, 'url'> & { password?: string; extraCaFile?: string }

const PASSWORD = 'secret'
/** The users of `hookbell hub acl`. */
export const users = aclLines.map((line) => line.replace(/>\w+/, `>${PASSWORD}`))

/** The URL of that Redis with the name and password of one of those users. */
export const asUser = (redis: Started, user: 'machine' | 'hub') => ({
  ...{ url: () => redis.url(user), password: PASSWORD },
})

const settingsOf = ({ url, password }: Redis) => ({
  ...{ url: url(), ...(password !== undefined && { password }) },
})

export const toWebhook = (url: string) => ({
  team: { type: 'webhook', url, allowPrivateNetwork: true },
})

/** The titles that a webhook received, in order. */
export const titlesOf = ({ received }: Awaited<ReturnType<typeof startReceiver>>) =>
  received.map(({ body }) => JSON.stringify(JSON.parse(body)).match(/title of ([\w-]+)/)?.[1])

/** The configuration of a hub with these channels. */
export function hubConfig(redis: Redis, channels: object, more: object = {}) {
  const { extraCaFile } = redis
  const text = JSON.stringify({ hub: settingsOf(redis), channels, extraCaFile, ...more })
  return parseConfig(text, { path: 'config.json', secrets: { file: new Map(), env: {} } })
}

/** Runs a hub in this process. Stopped at the end of the test. */
export async function runHub(redis: Redis, channels: object, more: object = {}) {
  const lines: HubLine[] = []
  const hub = await startHub(hubConfig(redis, channels, more), (line) => lines.push(line))
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await hub.stop()
  }
  onTestFinished(stop)
  return {
    lines,
    stop,
    open: hub.open,
    states: (state: string) => lines.filter((line) => line.state === state),
  }
}

/** Hands over the answer to a session, as the machine does on which the user answered. */
export async function handOverAnswer(redis: Redis, changes: Partial<Answer> = {}) {
  const answer = { host: 'here', session: 's', at: Date.now(), isForAll: true, questions: [] }
  await notifier.tellAnswer?.(
    { ...answer, ...changes },
    notifier.options.parse(settingsOf(redis)),
    {
      ...{ signal: AbortSignal.timeout(600_000), now: Date.now() },
    },
  )
}

/** Hands over one delivery as a machine does. */
export async function handOver(redis: Redis, event: string, changes: Partial<Delivery> = {}) {
  const delivery = makeDelivery(event, { channel: 'team', acceptedAt: Date.now(), ...changes })
  const { kind, urgency } = delivery
  const message = { ...delivery.message, kind, urgency }
  const context = { signal: AbortSignal.timeout(600_000), attempt: 1, now: Date.now() }
  const sent = await notifier.send(message, notifier.options.parse(settingsOf(redis)), {
    ...context,
    ...{ fetch: globalThis.fetch, sessionEnv: {}, delivery },
    extraCaFile: redis.extraCaFile,
  })
  return String(sent)
}
