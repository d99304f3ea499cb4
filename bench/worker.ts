import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { cli, makeHome, median, printTable } from './_bench.ts'

const EVENTS = Number(process.env.HOOKBELL_BENCH_EVENTS ?? 10_000)
const RUNS = Number(process.env.HOOKBELL_BENCH_RUNS ?? 3)

const CHANNELS = 50
const BURST = 400
/** How many events of the burst are questions that an agent waits for. */
const QUESTIONS = 10
/** How many lines of the bare loop go to the disk at once. */
const BATCH = 128

/** Measures how fast a worker empties a full spool, and how much memory it takes. Each event is durably settled. */
export async function benchWorker() {
  printTable(`worker: ${EVENTS} waiting events to file channels, median of ${RUNS} runs`, [
    ['sessions', 'channels', 'events/s', 'time', 'of a bare loop', 'largest RSS', 'CPU'],
    ['many', '1', ...(await measure(EVENTS, 1, (index) => `s${index}`))],
    ['one', '1', ...(await measure(EVENTS, 1, () => 's1'))],
    ['many', `${CHANNELS}`, ...(await measure(EVENTS / 20, CHANNELS, (index) => `s${index}`))],
  ])
  await benchBurst()
}

async function measure(
  events: number,
  channels: number,
  sessionOf: (index: number) => string,
): Promise<string[]> {
  const runs: Run[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    bare.push(runBareLoop(events))
    runs.push(await drain(events, channels, sessionOf))
  }
  const seconds = median(runs.map((run) => run.seconds))
  return [
    `${Math.round(events / seconds)}`,
    `${seconds.toFixed(2)} s`,
    `${(seconds / median(bare)).toFixed(1)} x`,
    `${Math.round(median(runs.map((run) => run.peakMiB)))} MiB`,
    `${median(runs.map((run) => run.cpuSeconds)).toFixed(2)} s`,
  ]
}

/** The least that any worker has to do: claims, reads, appends durably and removes each file. @returns seconds */
function runBareLoop(events: number): number {
  const home = makeHome({ type: 'file', path: '/tmp/never-used' })
  const claimed = join(home.folder, 'claimed')
  mkdirSync(claimed)
  for (let index = 0; index < events; index += 1) addEvent(home, index, { session_id: 's' })
  const startedAt = performance.now()
  const log = openSync(join(home.folder, 'log.jsonl'), 'a')
  const names = readdirSync(home.spool.new)
  for (let first = 0; first < names.length; first += BATCH) {
    const batch = names.slice(first, first + BATCH)
    const lines = batch.map((name) => {
      renameSync(join(home.spool.new, name), join(claimed, name))
      const [, body = ''] = readFileSync(join(claimed, name), 'utf8').split('\n\n')
      return `${JSON.stringify(JSON.parse(body))}\n`
    })
    appendFileSync(log, lines.join(''))
    fdatasyncSync(log)
    for (const name of batch) unlinkSync(join(claimed, name))
  }
  closeSync(log)
  const seconds = (performance.now() - startedAt) / 1000
  home.remove()
  return seconds
}

interface Run {
  seconds: number
  peakMiB: number
  cpuSeconds: number
}

async function drain(
  events: number,
  channels: number,
  sessionOf: (index: number) => string,
): Promise<Run> {
  const home = makeHome({ type: 'file', path: '/tmp/never-used' })
  const paths = Array.from({ length: channels }, (_, index) => join(home.folder, `${index}.jsonl`))
  const named = paths.map((path, index) => [`c${index}`, { type: 'file', path }] as const)
  home.configure({
    channels: Object.fromEntries(named),
    routes: [{ on: ['*'], to: named.map(([name]) => name) }],
  })
  try {
    for (let index = 0; index < events; index += 1) {
      addEvent(home, index, { hook_event_name: 'Stop', session_id: sessionOf(index) })
    }
    const { seconds, peakMiB, cpuSeconds } = await runOnce(home)
    for (const path of paths) {
      const lines = readFileSync(path, 'utf8').split('\n').length - 1
      if (lines !== events) throw new Error(`${lines} of ${events} events arrived`)
    }
    return { seconds, peakMiB, cpuSeconds }
  } finally {
    home.remove()
  }
}

/** Measures many events at once for a destination that takes one message a second. */
async function benchBurst() {
  const arrivals: { at: number; text: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      arrivals.push({ at: performance.now(), text: JSON.parse(body).text })
      response.end('ok')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const home = makeHome({ type: 'slack', url: `http://127.0.0.1:${port}/services/x` })
  for (let index = 0; index < BURST; index += 1) {
    const isQuestion = index % (BURST / QUESTIONS) === 0
    const question = { hook_event_name: 'Notification', notification_type: 'permission_prompt' }
    const event = isQuestion ? question : { hook_event_name: 'Stop' }
    addEvent(home, index, { ...event, session_id: `s${index}` })
  }
  const startedAt = performance.now()
  const { seconds } = await runOnce(home)
  const questions = arrivals.flatMap(({ text }, index) => (/permission/.test(text) ? [index] : []))
  const last = arrivals[questions.at(-1) ?? 0]?.at ?? Number.NaN
  printTable(`worker: ${BURST} events, ${QUESTIONS} of them questions, one message a second`, [
    ['messages', 'time', 'questions', 'place of the last question', 'sent after'],
    [
      `${arrivals.length}`,
      `${seconds.toFixed(1)} s`,
      `${questions.length}`,
      `${(questions.at(-1) ?? -1) + 1}`,
      `${((last - startedAt) / 1000).toFixed(1)} s`,
    ],
  ])
  home.remove()
  server.closeAllConnections()
  server.close()
}

type Home = ReturnType<typeof makeHome>

function addEvent({ spool }: Home, index: number, event: object) {
  const body = JSON.stringify({ ...event, cwd: '/tmp', last_assistant_message: `${index}` })
  const text = `hookbell-event 1\nclient: claude\n\n${body}`
  writeFileSync(join(spool.new, `event-${index}`), text)
}

async function runOnce({ env }: Home): Promise<Run> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [cli, 'worker', '--once'], { env, stdio: 'ignore' })
  const use = watchUse(child.pid ?? 0)
  await once(child, 'exit')
  return { seconds: (performance.now() - startedAt) / 1000, ...use.stop() }
}

/** Reads /proc until the process is gone. Linux only. */
function watchUse(pid: number) {
  let peakMiB = 0
  let cpuSeconds = Number.NaN
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      // A process that has just ended has no such line any more.
      peakMiB = Math.max(peakMiB, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      cpuSeconds = (Number(stat[11]) + Number(stat[12])) / 100
    } catch {}
  }, 20)
  return {
    stop: () => {
      clearInterval(timer)
      return { peakMiB, cpuSeconds }
    },
  }
}
