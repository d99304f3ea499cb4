import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { journalFiles } from '../src/journal/files.ts'
import { ownerOf } from '../src/spool/lock/owner.ts'
import { WorkerMemory } from '../src/worker/memory.ts'
import { cli, lineProgram, makeHome, median, printTable } from './_bench.ts'

const ROUNDS = 21
const EVENTS = 50
const GOAL = 2.5
const SESSIONS = 1000
const LINE_GOAL_MS = 3
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
    await benchSessions(home.stateDir, env)
    await benchLargeJournal(home.stateDir, env)
  } finally {
    home.remove()
  }
}

/** Measures `sessions` on a day of a thousand sessions, of which every twentieth lives. */
async function benchSessions(stateDir: string, env: NodeJS.ProcessEnv) {
  const journal = join(stateDir, 'journal.jsonl')
  const before = readFileSync(journal)
  writeFileSync(journal, dayOfSessions())
  await keepCheckpoint(stateDir)
  const times = measure(env, { sessions: ['sessions'] })
  const floor = median(times.get('node -e 0') ?? [])
  const all = median(times.get('sessions') ?? [])
  if (all / floor > GOAL) process.exitCode = 1
  printTable(`A day of ${SESSIONS} sessions (goal: ${GOAL} x node -e 0)`, [
    ['sessions', `${all.toFixed(1)} ms`, `${(all / floor).toFixed(2)} x`],
    ...benchLine(stateDir),
  ])
  writeFileSync(journal, before)
  rmSync(join(stateDir, 'checkpoint.json'), { force: true })
}

/** What a status bar runs every few seconds, without Node.js. */
function benchLine(stateDir: string): string[][] {
  const program = join(stateDir, 'runtime/bin/hookbell-line')
  mkdirSync(dirname(program), { recursive: true })
  copyFileSync(lineProgram, program)
  const { boot } = ownerOf(0)
  const asking = `${Math.floor(Date.now() / 1000)} 9999999999 - - ${boot} shop\n`
  writeFileSync(join(stateDir, 'asking'), asking.repeat(9))
  const times = Array.from({ length: ROUNDS }, () => {
    const before = performance.now()
    spawnSync(program)
    return performance.now() - before
  })
  const line = median(times)
  if (line > LINE_GOAL_MS) process.exitCode = 1
  return [['hookbell-line', `${line.toFixed(1)} ms`, `goal: ${LINE_GOAL_MS} ms`]]
}

function dayOfSessions(): string {
  const now = Date.now()
  const events = Array.from({ length: SESSIONS }, (_, index) => {
    const names = ['SessionStart', 'UserPromptSubmit', 'PermissionRequest', 'UserPromptSubmit']
    const all = index % 20 === 0 ? [...names, 'Stop'] : [...names, 'Stop', 'SessionEnd']
    return all.flatMap((means, at) => linesOfDay(`session-${index}`, means, now - 7_200_000 + at))
  })
  return `${events
    .flat()
    .map((entry) => JSON.stringify(entry))
    .join('\n')}\n`
}

function linesOfDay(sessionId: string, means: string, at: number): object[] {
  const kinds: Record<string, string> = { PermissionRequest: 'permission', Stop: 'done' }
  const text = 'What the agent says, which is a sentence or two as in a message. '.repeat(3)
  const transcriptPath = `/home/sam/.claude/projects/-home-sam-shop/${sessionId}.jsonl`
  const facts = { means, cwd: '/home/sam/shop', sessionName: text.slice(0, 60), transcriptPath }
  const accepted = {
    ...{ at, id: `${sessionId}-${at}`, type: 'accepted', acceptedAt: at, event: means },
    ...{ kind: kinds[means] ?? 'other', client: 'claude', sessionId, project: 'shop', text },
    ...{ title: 'Claude · shop', facts },
  }
  return [accepted, { at, id: accepted.id, type: 'suppressed', reason: 'no route' }]
}

async function keepCheckpoint(stateDir: string) {
  const memory = new WorkerMemory(stateDir)
  await memory.get()
  memory.keep()
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
    await keepCheckpoint(stateDir)
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
function measure(
  env: NodeJS.ProcessEnv,
  commands: Record<string, string[]> = { ...quick, ...others },
): Map<string, number[]> {
  const cases = Object.entries(commands).map(([name, words]) => [name, [cli, ...words]] as const)
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
    return [{ ...accepted }, { at, id, ...outcome }]
  })
  return lines
    .flat()
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchStart()
