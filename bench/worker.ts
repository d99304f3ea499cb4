import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cli, makeHome, median, printTable } from './_bench.ts'

const EVENTS = 10_000
const RUNS = 3

/** How fast a worker empties a full spool, and how much memory it takes. Each event is durably settled. */
export async function benchWorker() {
  printTable(`worker: ${EVENTS} waiting events to a file channel, median of ${RUNS} runs`, [
    ['sessions', 'events/s', 'time', 'largest RSS', 'CPU'],
    ['many', ...(await measure((index) => `s${index}`))],
    ['one', ...(await measure(() => 's1'))],
  ])
}

async function measure(sessionOf: (index: number) => string): Promise<string[]> {
  const runs: Run[] = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await drain(sessionOf))
  const seconds = median(runs.map((run) => run.seconds))
  return [
    `${Math.round(EVENTS / seconds)}`,
    `${seconds.toFixed(2)} s`,
    `${Math.round(median(runs.map((run) => run.peakMiB)))} MiB`,
    `${median(runs.map((run) => run.cpuSeconds)).toFixed(2)} s`,
  ]
}

interface Run {
  seconds: number
  peakMiB: number
  cpuSeconds: number
}

async function drain(sessionOf: (index: number) => string): Promise<Run> {
  const out = '/tmp/never-used'
  const home = makeHome({ type: 'file', path: out })
  const path = join(home.folder, 'out.jsonl')
  const config = join(home.folder, 'config/config.json')
  writeFileSync(config, readFileSync(config, 'utf8').replace(out, path))
  try {
    for (let index = 0; index < EVENTS; index += 1) {
      const event = {
        hook_event_name: 'Stop',
        session_id: sessionOf(index),
        cwd: '/tmp',
        last_assistant_message: `${index}`,
      }
      const text = `hookbell-event 1\nclient: claude\n\n${JSON.stringify(event)}`
      writeFileSync(join(home.spool.new, `event-${index}`), text)
    }
    const startedAt = performance.now()
    const child = spawn(process.execPath, [cli, 'worker', '--once'], {
      env: home.env,
      stdio: 'ignore',
    })
    const use = watchUse(child.pid ?? 0)
    await once(child, 'exit')
    const seconds = (performance.now() - startedAt) / 1000
    const lines = readFileSync(path, 'utf8').split('\n').length - 1
    if (lines !== EVENTS) throw new Error(`${lines} of ${EVENTS} events arrived`)
    return { seconds, ...use.stop() }
  } finally {
    home.remove()
  }
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
