import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { thisProcess } from '../src/spool/lock/owner.ts'
import { frontDoor, makeHome, median, printTable } from './_bench.ts'

const HOOKS = 200
const ROUNDS = Number(process.env.HOOKBELL_BENCH_HERDS ?? 5)

type Home = ReturnType<typeof makeHome>

/**
 * Measures the slowest of 200 hooks that start at once, relative to the slowest of 200 times `cat && mv`. They take
 * turns, so that all of them meet the same load; each ratio is of one round.
 */
export async function benchHerd(): Promise<void> {
  const home = makeHome({ type: 'file', path: '/dev/null' }, { lingerSeconds: 0 })
  const input = join(home.folder, 'event')
  writeFileSync(input, '{"hook_event_name":"Stop","session_id":"s","cwd":"/tmp"}')
  const bare = ['-c', `cat >${home.folder}/t.$$ && mv ${home.folder}/t.$$ ${home.folder}/n.$$`]
  const [warm, cold]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = await slowest(bare, home, input)
    pretendWarm(home)
    warm.push((await slowest([frontDoor, '--client', 'droid'], home, input)) / floor)
    emptySpool(home)
    cold.push((await slowest([frontDoor, '--client', 'droid'], home, input)) / floor)
    await workerEnded(home)
  }
  const row = (name: string, ratios: number[], limit: string) => [
    name,
    median(ratios).toFixed(2),
    Math.max(...ratios).toFixed(2),
    limit,
  ]
  printTable(
    `slowest of ${HOOKS} hooks at once / slowest of ${HOOKS} cat && mv, ${ROUNDS} rounds`,
    [['worker', 'median', 'largest', 'aim'], row('warm', warm, '2.50'), row('cold', cold, '3.50')],
  )
  home.remove()
}

async function slowest(argv: string[], { env, folder }: Home, input: string): Promise<number> {
  const { HOOKBELL_STATE_DIR, HOOKBELL_CONFIG_DIR } = env
  const clean = { PATH: '/usr/bin:/bin', HOME: folder, HOOKBELL_STATE_DIR, HOOKBELL_CONFIG_DIR }
  const times = Array.from({ length: HOOKS }, () => {
    const startedAt = performance.now()
    // Opened for each hook, because hooks with the same descriptor would share its read position.
    const event = openSync(input, 'r')
    const child = spawn('/bin/sh', argv, { env: clean, stdio: [event, 'ignore', 'ignore'] })
    closeSync(event)
    return endOf(child).then(() => performance.now() - startedAt)
  })
  return Math.max(...(await Promise.all(times)))
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

/** Writes a lock as if this process were a running worker, which leaves the events alone. */
function pretendWarm({ stateDir }: Home) {
  const { pid, started, boot } = thisProcess()
  writeFileSync(join(stateDir, 'worker.lock'), `${pid} ${started} ${boot}\n`)
}

function emptySpool({ stateDir, spool }: Home) {
  for (const name of readdirSync(spool.new)) rmSync(join(spool.new, name))
  rmSync(join(stateDir, 'worker.lock'))
}

async function workerEnded({ stateDir, spool }: Home) {
  const lock = join(stateDir, 'worker.lock')
  while (readdirSync(spool.new).length > 0 || (existsSync(lock) && readFileSync(lock).length > 0)) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
