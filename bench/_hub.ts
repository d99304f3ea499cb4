import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '../src/delivery.ts'
import { loadBullmq } from '../src/hub-server/bullmq.ts'
import { notifiers } from '../src/notifiers/index.ts'
import { hasRedis, startRedis } from './_redis.ts'

export const DESTINATIONS = 20

export type Redis = Awaited<ReturnType<typeof startRedis>>
export type Receiver = Awaited<ReturnType<typeof startReceiver>>

export const channels = () => indexes(0, DESTINATIONS).map((index) => `d${index}`)

export function indexes(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

export function deliveryOf(index: number): Delivery {
  const channel = `d${index % DESTINATIONS}`
  const id = `event-${index}`
  const message = {
    ...({ id, event: 'Stop', kind: 'done', urgency: 'normal', client: 'claude' } as const),
    ...{ title: 'api-server: done', body: 'All 214 tests pass. '.repeat(8), markup: '' },
    ...{ sessionId: '', cwd: '', at: '2026-01-01T00:00:00.000Z' },
  }
  return {
    ...{ id: `${id}.${channel}`, events: [id], host: 'box', channel, session: `s${index % 100}` },
    ...{ kind: 'done' as const, urgency: 'normal' as const, message, sessionEnv: {} },
    ...{ acceptedAt: Date.now(), notBefore: 0, expires: 0, attempts: 0, firstTriedAt: 0 },
  }
}

export const contextOf = (delivery: Delivery) => ({
  ...{ fetch: globalThis.fetch, signal: AbortSignal.timeout(60_000), attempt: 1 },
  ...{ now: Date.now(), sessionEnv: {}, delivery },
})

export function handOverTo({ settings }: Redis) {
  const options = notifiers.hub.options.parse(settings)
  return (delivery: Delivery) => notifiers.hub.send(delivery.message, options, contextOf(delivery))
}

/** Starts a receiver that counts requests. While it is on hold, it answers none. */
async function startReceiver() {
  let count = 0
  let gate = Promise.resolve()
  let open = () => {}
  const server = createServer(async (request, response) => {
    request.resume()
    await gate
    count += 1
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (name: string) => `http://127.0.0.1:${port}/${name}`,
    hold() {
      gate = new Promise((resolve) => {
        open = resolve
      })
    },
    start: () => open(),
    /** Waits for this many requests, then resets the count. */
    async until(wanted: number) {
      while (count < wanted) await sleep(5)
      count = 0
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Measure<Result> = (redis: Redis, receiver: Receiver) => Promise<Result>

/** Measures bare BullMQ and then a hub, with the same receiver and an empty Redis each. */
export async function besideBullmq<Bare, Hub>(
  measureBare: Measure<Bare>,
  measureHub: Measure<Hub>,
  print: (bare: Bare, hub: Hub) => void,
) {
  if (!hasRedis) return console.log('\nhub: redis-server is not installed')
  await loadBullmq()
  const receiver = await startReceiver()
  const redis = await startRedis()
  try {
    const bare = await measureBare(redis, receiver)
    await redis.ask('FLUSHALL')
    print(bare, await measureHub(redis, receiver))
  } finally {
    await redis.stop()
    receiver.close()
  }
}
