import { setTimeout as sleep } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { parseConfig } from '../src/config/load/load.ts'
import type { Delivery } from '../src/delivery.ts'
import { startHub } from '../src/hub-server/run.ts'
import { notifiers } from '../src/notifiers/index.ts'
import { median, printTable } from './_bench.ts'
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

const MESSAGES = Number(process.env.HOOKBELL_BENCH_MESSAGES ?? 4000)
const WARM = 300
const IDLE_MS = 5000

/** Compares a hub with bare BullMQ, on which it is built: the same messages, receiver and Redis in one run. */
export async function benchHub() {
  await besideBullmq(measureBare, measureHub, (bare, hub) => {
    const ratio = (key: 'handOver' | 'deliver') => (hub[key] / bare[key]).toFixed(2)
    printTable(`hub: ${MESSAGES} messages to ${DESTINATIONS} destinations, appendfsync always`, [
      ['', 'handed over/s', 'sent/s', '100,000 waiting'],
      ['bare BullMQ', `${bare.handOver}`, `${bare.deliver}`, `${bare.mb} MB`],
      ['hub', `${hub.handOver}`, `${hub.deliver}`, `${hub.mb} MB, ${hub.listMb} MB in the list`],
      ['ratio', ratio('handOver'), ratio('deliver'), (hub.mb / bare.mb).toFixed(2)],
    ])
    printTable('hub: one at a time, and with nothing to do', [
      ['warm hand-over', 'commands/s of an idle hub'],
      [`${hub.warmMs.toFixed(2)} ms`, `${hub.idle}`],
    ])
  })
}

/** Bare BullMQ as its manual shows it: a queue and a worker per destination, one job at a time. */
async function measureBare(redis: Redis, receiver: Receiver) {
  const connection = redis.place
  const options = { connection, prefix: 'bare' }
  const queues = channels().map((name) => new Queue(name, options))
  await Promise.all(queues.map((queue) => queue.waitUntilReady()))
  const empty = await redis.number('memory', 'used_memory')
  const handOver = await perSecond(async () => {
    for (let at = 0; at < MESSAGES; at += 64) {
      const some = indexes(at, Math.min(MESSAGES, at + 64))
      await Promise.all(
        some.map((index) => {
          const { message, ...rest } = deliveryOf(index)
          return queues[index % DESTINATIONS]?.add('told', { ...rest, message }, { jobId: rest.id })
        }),
      )
    }
  })
  const mb = await megabytesPer100k(redis, empty)
  const remove = { removeOnComplete: { count: 0 }, autorun: false }
  const workers = channels().map((name) => {
    const webhook = webhookTo(receiver, name)
    const work = async ({ data }: { data: Delivery }) => void (await webhook(data))
    return new Worker(name, work, { ...options, ...remove })
  })
  const deliver = await perSecond(async () => {
    for (const worker of workers) void worker.run()
    await receiver.until(MESSAGES)
  })
  await Promise.all([...workers, ...queues].map((one) => one.close()))
  return { handOver, deliver, mb }
}

async function measureHub(redis: Redis, receiver: Receiver) {
  const empty = await redis.number('memory', 'used_memory')
  const send = handOverTo(redis)
  const handOver = await perSecond(async () => {
    for (let at = 0; at < MESSAGES; at += 64)
      await Promise.all(
        indexes(at, Math.min(MESSAGES, at + 64)).map((index) => send(deliveryOf(index))),
      )
  })
  const listMb = await megabytesPer100k(redis, empty)
  const named = channels().map((name) => [
    name,
    { type: 'webhook', url: receiver.url(name), allowPrivateNetwork: true },
  ])
  const config = { hub: { url: redis.settings.url }, channels: Object.fromEntries(named) }
  const loaded = parseConfig(JSON.stringify(config), {
    path: 'config.json',
    secrets: { file: new Map(), env: {} },
  })
  receiver.hold()
  const first = await startHub(loaded, () => {})
  while ((await redis.ask('LLEN', 'hb:in')) !== 0) await sleep(20)
  const mb = await megabytesPer100k(redis, empty)
  receiver.start()
  const deliver = await perSecond(() => receiver.until(MESSAGES))
  await sleep(500)
  const before = await redis.number('stats', 'total_commands_processed')
  await sleep(IDLE_MS)
  const commands = (await redis.number('stats', 'total_commands_processed')) - before - 1
  const times: number[] = []
  for (const index of indexes(MESSAGES, MESSAGES + WARM)) {
    const startedAt = performance.now()
    await send(deliveryOf(index))
    times.push(performance.now() - startedAt)
  }
  await first.stop()
  return {
    handOver,
    deliver,
    mb,
    listMb,
    idle: Math.round((commands / IDLE_MS) * 1000),
    warmMs: median(times),
  }
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round((MESSAGES / (performance.now() - startedAt)) * 1000)
}

async function megabytesPer100k(redis: Redis, empty: number): Promise<number> {
  const used = (await redis.number('memory', 'used_memory')) - empty
  return Math.round(((used / MESSAGES) * 100_000) / 1e6)
}

function webhookTo(receiver: Receiver, name: string) {
  const { options: shape, send } = notifiers.webhook
  const options = shape.parse({ url: receiver.url(name), allowPrivateNetwork: true })
  return (delivery: Delivery) => send(delivery.message, options, contextOf(delivery))
}
