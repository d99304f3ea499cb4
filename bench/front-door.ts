import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/package-root.ts'
import { thisProcess } from '../src/spool/lock/owner.ts'
import { median } from './_bench.ts'
import { benchHerd } from './herd.ts'

const ROUNDS = Number(process.env.HOOKBELL_BENCH_ROUNDS ?? 80)
const root = packageRoot()

interface Contender {
  name: string
  argv: string[]
  /** `pipe`: as Codex starts hooks. `socket`: as clients on Node.js do. */
  stdin: 'pipe' | 'socket'
  /** Runs before each start, outside the measurement. */
  before?: () => void
}

/**
 * Measures how long an agent waits for its hook: medians of whole processes, interleaved so that all of them meet the
 * same load. Ratios are of one run, so they hold on any machine; the milliseconds do not.
 */
export async function benchFrontDoor(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-bench-'))
  const state = join(folder, 'state')
  mkdirSync(join(folder, 'config'), { recursive: true, mode: 0o700 })
  mkdirSync(state, { mode: 0o700 })
  const quiet = JSON.stringify({
    lingerSeconds: 0,
    channels: { audit: { type: 'file', path: join(folder, 'audit') } },
  })
  writeFileSync(join(folder, 'config/config.json'), quiet)
  // This sh door learns its folders only from the environment, so both doors get the variables for them.
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    HOOKBELL_STATE_DIR: state,
    HOOKBELL_CONFIG_DIR: join(folder, 'config'),
  }
  const sh = [join(root, 'bin/hookbell-hook'), '--client', 'droid']
  const node = [process.execPath, join(root, 'dist/hook.cjs'), '--client', 'droid']
  const cli = [process.execPath, join(root, 'bin/hookbell'), 'hook', '--client', 'droid']
  const warm = () => writeFileSync(join(state, 'worker.lock'), lockOf(thisProcess()))
  const cold = () => rmSync(join(state, 'worker.lock'), { force: true })
  const contenders: Contender[] = [
    { name: 'node -e 0', argv: [process.execPath, '-e', '0'], stdin: 'socket' },
    {
      name: 'bare cat and mv',
      argv: ['sh', '-c', `cat >${folder}/t && mv ${folder}/t ${folder}/n`],
      stdin: 'socket',
    },
    { name: 'sh door', argv: sh, stdin: 'socket', before: warm },
    { name: 'sh door, pipe', argv: sh, stdin: 'pipe', before: warm },
    { name: 'sh door, cold worker', argv: sh, stdin: 'socket', before: cold },
    { name: 'Node.js door', argv: node, stdin: 'socket', before: warm },
    { name: 'Node.js door, pipe', argv: node, stdin: 'pipe', before: warm },
    { name: 'Node.js door, cold worker', argv: node, stdin: 'socket', before: cold },
    { name: 'hookbell hook', argv: cli, stdin: 'socket', before: warm },
  ]
  const input = readFileSync(join(root, 'test/fixtures/payloads/droid/Stop.json'))
  // Measured apart from the others, because a starting worker would slow down the next contender.
  const [warmOnes, coldOnes] = [
    contenders.filter((one) => one.before !== cold),
    contenders.filter((one) => one.before === cold),
  ]
  const warmMedians = await measure(warmOnes, ROUNDS, input, env)
  const coldMedians = await measure(coldOnes, Math.ceil(ROUNDS / 4), input, env, () =>
    workerEnds(state),
  )
  print([...warmOnes, ...coldOnes], [...warmMedians, ...coldMedians])
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  await benchHerd()
}

async function measure(
  contenders: readonly Contender[],
  rounds: number,
  input: Buffer,
  env: NodeJS.ProcessEnv,
  after = async () => {},
) {
  const times = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      contender.before?.()
      times[index]?.push(await timeOf(contender, input, env))
      await after()
    }
  }
  return times.map(median)
}

/** Waits until the worker has delivered everything and released its lock. */
async function workerEnds(state: string) {
  const spool = join(state, 'spool/new')
  while (readdirSync(spool).length > 0 || existsSync(join(state, 'worker.lock'))) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function lockOf({ pid, started, boot }: ReturnType<typeof thisProcess>): string {
  return `${pid} ${started} ${boot}\n`
}

async function timeOf(
  { argv, stdin }: Contender,
  input: Buffer,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  if (stdin === 'socket') return timeProcess(argv, input, env)
  // The shell adds the same to every contender with a pipe, so its own time is subtracted.
  const script = 'cat "$INPUT" | "$@"'
  const file = join(root, 'test/fixtures/payloads/droid/Stop.json')
  const whole = await timeProcess(['sh', '-c', script, 'agent', ...argv], input, {
    ...env,
    INPUT: file,
  })
  const shell = await timeProcess(['sh', '-c', script, 'agent', ':'], input, {
    ...env,
    INPUT: file,
  })
  return whole - shell
}

function timeProcess(argv: string[], input: Buffer, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(argv[0] ?? '', argv.slice(1), { env, stdio: ['pipe', 'ignore', 'ignore'] })
    child.once('exit', () => resolve(performance.now() - started))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

function print(contenders: readonly Contender[], medians: readonly number[]) {
  const [node = 1, bare = 1] = medians
  console.log(`front door, medians of ${ROUNDS}\n`)
  console.log(
    `${'process'.padEnd(28)}${'ms'.padStart(8)}${'/ node -e 0'.padStart(14)}${'/ cat and mv'.padStart(14)}`,
  )
  for (const [index, { name }] of contenders.entries()) {
    const ms = medians[index] ?? Number.NaN
    const cells = [
      ms.toFixed(1).padStart(8),
      (ms / node).toFixed(2).padStart(14),
      (ms / bare).toFixed(2).padStart(14),
    ]
    console.log(`${name.padEnd(28)}${cells.join('')}`)
  }
}
