import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync, watch } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptEvent } from '../src/spool/event-file.ts'
import { frontDoor, makeHome, median, printTable } from './_bench.ts'

const COLD = Number(process.env.HOOKBELL_BENCH_COLD ?? 9)
const WARM = Number(process.env.HOOKBELL_BENCH_WARM ?? 15)

const EVENT = { hook_event_name: 'Stop', cwd: '/tmp', last_assistant_message: 'done' }

/** Measures the time from when an event is written to the spool to the request at a webhook on loopback. */
export async function benchLatency() {
  const arrivals: ((arrival: Arrival) => void)[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      arrivals.shift()?.({ at: Date.now(), answer: () => response.end('ok') })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // The cold and the warm runs have a destination each, because one takes only a message a second.
  const url = `http://127.0.0.1:${port}/services/`
  const send = async ({ env, spool }: Home) => {
    const arrived = new Promise<Arrival>((resolve) => arrivals.push(resolve))
    // File times are up to one tick of the kernel behind.
    const startedAt = Date.now() - 10
    const accepted = firstFileIn(spool.new)
    await runHook(env)
    // The event's file stays in the spool until the receiver answers.
    const { at, answer } = await arrived
    // While the file moves from one folder to the other, neither listing may have it.
    let writtenAt = 0
    while (writtenAt < startedAt) {
      writtenAt = newestIn([spool.new, ...ownersOf(spool.cur)])
    }
    answer()
    return { sinceWritten: at - writtenAt, sinceAccepted: at - (await accepted) }
  }

  const cold: number[] = []
  const coldAccepted: number[] = []
  const node: number[] = []
  const often = makeHome({ type: 'slack', url: `${url}cold` }, { lingerSeconds: 0 })
  // The worker caches a checked configuration only if the file is at least two seconds old.
  await new Promise((resolve) => setTimeout(resolve, 2100))
  // The first start compiles the worker, and checks the configuration.
  for (let run = -1; run < COLD; run += 1) {
    const { sinceWritten, sinceAccepted } = await send(often)
    if (run >= 0) {
      cold.push(sinceWritten)
      coldAccepted.push(sinceAccepted)
    }
    node.push(await timeNode())
    await gone(often.stateDir)
  }
  often.remove()

  const warm: number[] = []
  const home = makeHome({ type: 'slack', url: `${url}warm` }, { lingerSeconds: 3 })
  await send(home)
  for (let run = 0; run < WARM; run += 1) {
    // Slack takes one message a second.
    await new Promise((resolve) => setTimeout(resolve, 1050))
    warm.push((await send(home)).sinceWritten)
  }
  const accepted: number[] = []
  for (let run = 0; run < WARM; run += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1050))
    accepted.push(await sendAccepted(home, arrivals))
  }
  await gone(home.stateDir)
  home.remove()
  server.closeAllConnections()
  server.close()

  const row = (name: string, values: number[]) => [
    name,
    `${median(values).toFixed(0)} ms`,
    `${Math.max(...values).toFixed(0)} ms`,
    `${values.length}`,
    (median(values) / median(node)).toFixed(2),
  ]
  printTable('latency: to the webhook on loopback, the worker warm or cold', [
    ['from', 'median', 'slowest', 'runs', '/ node -e 0'],
    row('the write of the event, cold', cold),
    row('its acceptance, cold', coldAccepted),
    row('the write of the event, warm', warm),
    row('its acceptance, warm', accepted),
  ])
}

/** Leaves out the time that the front door takes from the last byte to the rename that accepts the event. */
async function sendAccepted({ stateDir }: Home, arrivals: ((arrival: Arrival) => void)[]) {
  const arrived = new Promise<Arrival>((resolve) => arrivals.push(resolve))
  acceptEvent(stateDir, { client: 'claude', env: {} }, Buffer.from(JSON.stringify(EVENT)))
  const acceptedAt = Date.now()
  const { at, answer } = await arrived
  answer()
  return at - acceptedAt
}

interface Arrival {
  at: number
  answer(): void
}

type Home = ReturnType<typeof makeHome>

const ownersOf = (folder: string) => readdirSync(folder).map((owner) => join(folder, owner))

/** When the next file arrives in a folder, Unix ms. This process is idle then, so it notices at once. */
function firstFileIn(folder: string): Promise<number> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      watcher.close()
      resolve(Date.now())
    })
  })
}

/** The time of an event file is that of its last write, just before it was accepted. */
function newestIn(folders: readonly string[]): number {
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  return Math.max(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0))
}

async function runHook(env: NodeJS.ProcessEnv) {
  const child = spawn('/bin/sh', [frontDoor, '--client', 'claude'], {
    // A minimal environment, so that settings of this machine do not change the result.
    env: clean(env),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end(JSON.stringify(EVENT))
  await once(child, 'exit')
}

/** Waits until the worker of this state folder has ended. */
async function gone(stateDir: string) {
  while (existsSync(`${stateDir}/worker.lock`)) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function clean({ HOOKBELL_STATE_DIR, HOOKBELL_CONFIG_DIR, HOME }: NodeJS.ProcessEnv) {
  return { PATH: '/usr/bin:/bin', HOME, HOOKBELL_STATE_DIR, HOOKBELL_CONFIG_DIR }
}

async function timeNode(): Promise<number> {
  const startedAt = performance.now()
  const env = { PATH: '/usr/bin:/bin' }
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore', env }), 'exit')
  return performance.now() - startedAt
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchLatency()
