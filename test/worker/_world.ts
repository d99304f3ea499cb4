import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { workerEnvironment } from '../../src/config/worker-env.ts'
import { EventHistory, type EventStatus, emptyStatus } from '../../src/journal/history.ts'
import { readJournal } from '../../src/journal/read.ts'
import { formatHeader, type Header } from '../../src/spool/event-file.ts'
import {
  type Folder,
  MAX_BODY_BYTES,
  newId,
  parseName,
  prepareSpool,
  type Spool,
  spoolIn,
} from '../../src/spool/layout.ts'
import { findDead, retryDead } from '../../src/worker/dead.ts'
import { deliverOnce, runUntilIdle } from '../../src/worker/run.ts'
import { removeFolder } from '../support/folder.ts'
import { changeParked, listDeadItems, listParked, setCrashes } from '../support/parked.ts'

/** Short enough for a test, long enough to be observed. */
export const quickRetry = { firstDelaySeconds: 0.05, maxDelaySeconds: 0.2, maxAttempts: 8 }

interface Line {
  id: string
  sessionId: string
  title: string
  body: string
}

/** New state and configuration folders with a file channel `file`. Removed at the end of the test. */
export function makeWorld(config: Record<string, unknown> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-worker-'))
  onTestFinished(() => removeFolder(folder))
  const [stateDir, configDir] = [join(folder, 'state'), join(folder, 'config')]
  for (const path of [stateDir, configDir]) mkdirSync(path, { mode: 0o700 })
  const outFile = join(folder, 'out.jsonl')
  const { channels = {}, ...rest } = config
  const all = { file: { type: 'file', path: outFile }, ...(channels as object) }
  const routes = [{ on: ['*'], to: Object.keys(all) }]
  // Replaced atomically, because a worker may be reading it.
  const configure = (value: unknown) => {
    const path = join(configDir, 'config.json')
    writeFileSync(`${path}.new`, typeof value === 'string' ? value : JSON.stringify(value))
    renameSync(`${path}.new`, path)
  }
  configure({ channels: all, routes, lingerSeconds: 0, retry: quickRetry, ...rest })
  const options = { stateDir, configDir }
  const spool: Spool = prepareSpool(stateDir)
  return {
    folder,
    ...options,
    outFile,
    spool,
    configure,
    accept: (event: object, more: Partial<Header> = {}) =>
      accept(spool, JSON.stringify({ hook_event_name: 'Notification', ...event }), more),
    acceptRaw: (bytes: string | Buffer, more: Partial<Header> = {}) => accept(spool, bytes, more),
    once: () => deliverOnce(options),
    untilIdle: () => runUntilIdle(options),
    lines: () => readLines<Line>(outFile),
    statuses: () => readHistory(stateDir),
    statusOf: async (id: string) => (await readHistory(stateDir)).find((one) => one.id === id),
    /** File names in a spool folder. */
    list: (name: Folder) => readdirSync(spool[name]),
    /** The deliveries that wait for their time, and those that gave up: event and channel. */
    parked: () => listParked(spool),
    dead: () => listDeadItems(spool),
    env: { ...process.env, HOOKBELL_STATE_DIR: stateDir, HOOKBELL_CONFIG_DIR: configDir },
  }
}

/** Stores an event like the front door, but without syncs, which take half a minute for hundreds of events on a slow disk. */
function accept(spool: Spool, body: string | Buffer, more: Partial<Header>): string {
  const id = newId()
  const header = Buffer.from(formatHeader({ client: 'claude', env: {}, ...more }))
  const waiting = join(spool.tmp, id)
  writeFileSync(waiting, Buffer.concat([header, Buffer.from(body).subarray(0, MAX_BODY_BYTES)]), {
    mode: 0o600,
  })
  renameSync(waiting, join(spool.new, id))
  return id
}

/** Does what `hookbell dead retry` does. */
export async function retryById({ stateDir }: { stateDir: string }, id: string) {
  for (const item of findDead(stateDir, id)) await retryDead(stateDir, item)
}

/** Makes a parked delivery due, as if its waiting time had passed. */
export function makeDue({ spool }: World, name: string) {
  changeParked(spool, name, ({ delivery, ...parked }) => ({
    ...parked,
    since: Date.now() - 2,
    delivery: { ...delivery, notBefore: Date.now() - 1 },
  }))
}

/** Makes a parked delivery due, as it is after three workers have crashed while they had it. */
export function noteCrashes(world: World, name: string) {
  makeDue(world, name)
  setCrashes(world.spool, name, 3)
}

export type World = ReturnType<typeof makeWorld>

export function readLines<Entry>(path: string): Entry[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** The status of each event, built as `hookbell status` does it. */
async function readHistory(state: string): Promise<EventStatus[]> {
  const history = new EventHistory()
  for await (const entry of readJournal(state)) history.add(entry)
  const spool = spoolIn(state)
  const owners = readdirSync(spool.cur).map((owner) => join(spool.cur, owner))
  for (const folder of [spool.new, ...owners]) {
    for (const name of readdirSync(folder)) {
      const id = parseName(name)?.id
      if (id && !history.byId.has(id)) history.byId.set(id, emptyStatus(id, Date.now()))
    }
  }
  return [...history.byId.values()]
}

/** The number of events for each outcome that occurs. */
export function countOutcomes(statuses: readonly EventStatus[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of statuses) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Starts a program with the environment that the front door gives to a worker. Killed at the end of the test. */
export function startProgram(program: string, world: World, args: string[] = []) {
  const child = spawn(process.execPath, [program, ...args], {
    env: workerEnvironment(world.stateDir, world.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

export async function exited(child: ChildProcess): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode ?? child.exitCode ?? -1
}
