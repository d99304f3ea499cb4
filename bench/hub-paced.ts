import { Queue, Worker } from 'bullmq'
import { parseConfig } from '../src/config/load/load.ts'
import type { Delivery } from '../src/delivery.ts'
import { startHub } from '../src/hub-server/run.ts'
import { notifiers } from '../src/notifiers/index.ts'
import { printTable } from './_bench.ts'
import {
  besideBullmq,
  channels,
  contextOf,
  DESTINATIONS,
  deliveryOf,
  handOverTo,
  indexes,
  type Receiver,
  type Redis,
} from './_hub.ts'

/** Too few for a summary, so the hub sends each message. */
const EACH = 5
const MESSAGES = EACH * DESTINATIONS
/** The minimum interval of Slack. */
const PACE_MS = 1000

/** Compares paced destinations of a hub with the limiter of BullMQ, which counts from when a job is taken. */
export async function benchPacedHub() {
  await besideBullmq(measureBare, measureHub, (bare, hub) => {
    const ideal = DESTINATIONS * (EACH / (((EACH - 1) * PACE_MS) / 1000))
    printTable(`hub: ${EACH} messages to each of ${DESTINATIONS} destinations, one a second`, [
      ['', 'handed over and sent/s'],
      ['bare BullMQ with its limiter', bare.toFixed(1)],
      ['hub', hub.toFixed(1)],
      ['ratio', (hub / bare).toFixed(2)],
      ['at most possible', ideal.toFixed(1)],
    ])
  })
}

async function measureBare(redis: Redis, receiver: Receiver) {
  const options = { connection: redis.place, prefix: 'bare' }
  const queues = channels().map((name) => new Queue(name, options))
  const limiter = { max: 1, duration: PACE_MS }
  const workers = channels().map((name) => {
    const send = slackTo(receiver, name)
    const work = async ({ data }: { data: Delivery }) => void (await send(data))
    return new Worker(name, work, { ...options, limiter, removeOnComplete: { count: 0 } })
  })
  await Promise.all([...queues, ...workers].map((one) => one.waitUntilReady()))
  const rate = await perSecond(receiver, (index) => {
    const delivery = deliveryOf(index)
    return queues[index % DESTINATIONS]?.add('told', delivery, { jobId: delivery.id })
  })
  await Promise.all([...workers, ...queues].map((one) => one.close()))
  return rate
}

async function measureHub(redis: Redis, receiver: Receiver) {
  const named = channels().map((name) => [name, { type: 'slack', url: receiver.url(name) }])
  const config = { hub: { url: redis.settings.url }, channels: Object.fromEntries(named) }
  const secrets = { file: new Map(), env: {} }
  const hub = await startHub(
    parseConfig(JSON.stringify(config), { path: 'config.json', secrets }),
    () => {},
  )
  const send = handOverTo(redis)
  const rate = await perSecond(receiver, (index) => send(deliveryOf(index)))
  await hub.stop()
  return rate
}

function slackTo(receiver: Receiver, name: string) {
  const { options: shape, send } = notifiers.slack
  const options = shape.parse({ url: receiver.url(name) })
  return (delivery: Delivery) => send(delivery.message, options, contextOf(delivery))
}

async function perSecond(receiver: Receiver, handOver: (index: number) => unknown) {
  const startedAt = performance.now()
  await Promise.all(indexes(0, MESSAGES).map(handOver))
  await receiver.until(MESSAGES)
  return (MESSAGES / (performance.now() - startedAt)) * 1000
}
