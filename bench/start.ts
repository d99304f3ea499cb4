import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { journalFiles } from '../src/journal/files.ts'
import { WorkerMemory } from '../src/worker/memory.ts'
import { cli, makeHome, median, printTable } from './_bench.ts'

const ROUNDS = 21
const EVENTS = 50
const GOAL = 2.5
const LARGE_FILE_EVENTS = 13_500
const LARGE_GOAL_SECONDS = 2
/** What is derived from a new configuration is cached after two seconds: see config/config-cache.ts. */
const SETTLED_MS = 2500

const quick = {
  version: ['--version'],
  help: ['--help'],
  status: ['status'],
  log: ['log'],
  why: ['why'],
}
/** Commands that share a file with others: measured for comparison, without a goal. */
const others = { config: ['config'], preview: ['preview'] }

/** Measures commands from start to end, relative to `node -e 0`. Fails if a quick one is above the goal. */
export async function benchStart(): Promise<void> {
  const home = makeHome({ type: 'file', path: '/dev/null' })
  try {
    writeFileSync(join(home.stateDir, 'journal.jsonl'), smallJournal())
    const env = {
      PATH: process.env.PATH,
      HOME: home.folder,
      HOOKBELL_STATE_DIR: home.stateDir,
      HOOKBELL_CONFIG_DIR: home.env.HOOKBELL_CONFIG_DIR,
    }
    // As users have it: most of what `status` does is to look whether a client calls the front door.
    mkdirSync(join(home.folder, '.claude'))
    timeOf([cli, 'init', '--yes'], env)
    await sleep(SETTLED_MS)
    const times = measure(env)
    const floor = median(times.get('node -e 0') ?? [])
    const rows = [...times].map(([name, all]) => {
      const ratio = median(all) / floor
      if (ratio > GOAL && name in quick) process.exitCode = 1
      return [name, `${median(all).toFixed(1)} ms`, `${ratio.toFixed(2)} x`]
    })
    printTable(`Start of a command (goal: ${GOAL} x node -e 0)`, rows)
    await benchLargeJournal(home.stateDir, env)
  } finally {
    home.remove()
  }
}

/**
 * Measures the processor time of a call without a checkpoint, of one after a worker wrote it, and of one after
 * another call. Fails above the goal, except for the first, which happens once in the life of a journal.
 */
async function benchLargeJournal(stateDir: string, env: NodeJS.ProcessEnv) {
  const files = journalFiles(stateDir).slice(1)
  for (const [index, path] of files.entries()) {
    const later = (files.length - 1 - index) * LARGE_FILE_EVENTS
    writeFileSync(path, smallJournal(LARGE_FILE_EVENTS, later))
  }
  const floor = processorSeconds(['-e', '0'], env)
  const rows: string[][] = []
  const row = (words: string, which: string, isGoal = true) => {
    const seconds = processorSeconds([cli, words], env)
    if (isGoal && seconds > LARGE_GOAL_SECONDS) process.exitCode = 1
    rows.push([
      `${words}, ${which}`,
      `${seconds.toFixed(2)} s`,
      `${(seconds / floor).toFixed(0)} x`,
    ])
  }
  for (const words of ['status', 'log']) {
    const forget = () => rmSync(join(stateDir, 'checkpoint.json'), { force: true })
    forget()
    row(words, 'never counted', false)
    forget()
    const memory = new WorkerMemory(stateDir)
    await memory.get()
    memory.keep()
    row(words, 'after a worker')
    row(words, 'again')
  }
  printTable(`After 80 MB of journal (goal: ${LARGE_GOAL_SECONDS} s of the processor)`, [
    ['', '', '/ node -e 0'],
    ...rows,
  ])
}

function processorSeconds(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const script = 'node "$@" >/dev/null; times'
  const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...args], { env, encoding: 'utf8' })
  const [, ofChildren = ''] = stdout.trim().split('\n')
  const times = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)]
  return times.reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  )
}

/** Interleaved, so that a machine that gets slower slows all of them. */
function measure(env: NodeJS.ProcessEnv): Map<string, number[]> {
  const cases = Object.entries({ ...quick, ...others }).map(
    ([name, words]) => [name, [cli, ...words]] as const,
  )
  const all = [['node -e 0', ['-e', '0']] as const, ...cases]
  const times = new Map<string, number[]>(all.map(([name]) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of all) times.get(name)?.push(timeOf(args, env))
  }
  return times
}

function timeOf(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env })
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`)
  return performance.now() - startedAt
}

/** @param later how many events follow */
function smallJournal(events = EVENTS, later = 0): string {
  const now = Date.now()
  const lines = Array.from({ length: events }, (_, index) => {
    const fromEnd = later + events - index
    const [id, at] = [`event-${fromEnd}`, now - fromEnd * 1000]
    const facts = { event: 'Stop', kind: 'done', client: 'droid', sessionId: 's', project: 'p' }
    const accepted = { at, id, type: 'accepted', acceptedAt: at, ...facts, title: 'p: done' }
    const outcome = { type: 'delivered', channel: 'bench', attempt: 1, ms: 3, answer: 'ok' }
    return [
      { ...accepted, to: ['bench'] },
      { at, id, ...outcome },
    ]
  })
  return lines
    .flat()
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchStart()
