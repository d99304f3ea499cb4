import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientName } from '../clients/index.ts'
import { frontDoorIn } from '../config/paths.ts'
import { fallbackFolders, readPinned } from '../config/pinned.ts'
import { realPath } from '../fs/links.ts'
import { listQuietly, readQuietly } from '../fs/read.ts'
import {
  doorIn,
  hookCommand,
  sharedHookCommand,
  waitIn,
  waitingCommand,
} from '../install/hook-command.ts'
import type { HookPlace } from '../install/places.ts'
import { planTarget, renewalOf } from '../install/plan-target.ts'
import type { Registered } from '../install/registered.ts'
import { CANARY_EVENT } from '../journal/entry.ts'
import { currentFile } from '../journal/files.ts'
import { openFile, visitLines } from '../journal/read.ts'
import { packageRoot } from '../package-root.ts'
import { eventFolders, spoolIn } from '../spool/layout.ts'
import { lockHolder, lockVersion } from '../spool/lock/lock.ts'
import { type Check, check, type Facts } from './check.ts'
import { doorFault, doorRisk, isExecutable } from './door-fault.ts'

const SLOW_MS = 1000
const RENEW = 'hookbell doctor --fix, or hookbell init'

/** Checks the front door that registered commands start: present, executable, of this version, with its Node.js. */
export function checkDoor(facts: Facts, isRegistered: boolean): Check[] {
  const { stateDir, isHub } = facts
  const door = frontDoorIn(stateDir)
  const fault = doorFault(stateDir) ?? doorRisk(stateDir)
  if (isHub && !isRegistered && !existsSync(door))
    return [check('door.present', 'ok', 'not installed; a hub needs no hooks')]
  if (fault !== undefined && !existsSync(door))
    return [check('door.present', 'broken', fault, isRegistered ? RENEW : 'hookbell init')]
  const copied = copiedVersion(stateDir)
  const node = readPinned(stateDir)?.node
  return [
    fault === undefined
      ? check('door.present', 'ok', door)
      : check('door.present', 'broken', fault, RENEW),
    checkVersion(copied, facts),
    node !== undefined && isExecutable(node)
      ? check('door.node', 'ok', node)
      : check(
          'door.node',
          'broken',
          `Node.js is not where it was: ${node ?? 'nothing pinned'}`,
          RENEW,
        ),
    checkWorker(facts),
  ]
}

function checkVersion(copied: string | undefined, { stateDir, version }: Facts): Check {
  const id = 'door.version'
  if (copied !== version)
    return check(id, 'warning', `the copy is ${copied ?? 'unknown'}, this is ${version}`, RENEW)
  if (isOtherBuild(stateDir))
    return check(id, 'warning', `the copy is another build of ${version}`, RENEW)
  return check(id, 'ok', version)
}

/** After an update of a clone, the version is usually the same, but not the code. */
function isOtherBuild(stateDir: string): boolean {
  const folders = [packageRoot(), join(stateDir, 'runtime')]
  const [ours, copied] = folders.map((folder) => readQuietly(join(folder, 'dist/worker-code.cjs')))
  return ours !== undefined && copied !== undefined && ours !== copied
}

function checkWorker({ stateDir, version }: Facts): Check {
  const holder = lockHolder(stateDir)
  if (!holder) return check('worker', 'ok', 'not running; it starts with the next event')
  const running = lockVersion(stateDir) ?? 'unknown'
  const seen = `process ${holder.pid}, version ${running}`
  return check(
    'worker',
    running === version ? 'ok' : 'warning',
    seen,
    running === version ? '' : RENEW,
  )
}

/**
 * Checks each registered command once. Only those that `init` would write now are run, because the settings of a
 * repository can name any program.
 */
export async function checkCommands(all: readonly Registered[], facts: Facts): Promise<Check[]> {
  const commands = new Map<string, HookPlace>()
  for (const { place, hooks } of all)
    for (const { command } of hooks) if (command) commands.set(command, place)
  const fired: Fired[] = []
  // One after the other, to measure how long each takes. The events are waited for together.
  for (const [command, place] of commands) fired.push(await fire(command, place, facts))
  const checks = await Promise.all(fired.map((one) => judge(one, facts)))
  return [...all.flatMap((one) => checkPlugin(one, facts)), ...checks]
}

/** A plug-in is not run, only compared with the one that `init` would write now. */
function checkPlugin({ place }: Registered, { stateDir }: Facts): Check[] {
  const target = place.form === 'plugin' ? renewalOf(place) : undefined
  const plan = target && planTarget(target, frontDoorIn(stateDir))
  if (!plan?.(readFileSync(place.path, 'utf8')).changed) return []
  const seen = `${place.path} was written by another version`
  return [
    check(
      `client.${place.client}.canary`,
      'warning',
      seen,
      `hookbell init --client ${place.client}`,
    ),
  ]
}

/** A registered command, and what it did if it was run. */
interface Fired {
  command: string
  place: HookPlace
  sessionId: string
  since: number
  run?: CanaryRun
}

async function fire(command: string, place: HookPlace, facts: Facts): Promise<Fired> {
  const own = runnable(command, place.client, frontDoorIn(facts.stateDir))
  const sessionId = `hookbell-doctor-${randomUUID()}`
  const fired = { command, place, sessionId, since: Date.now() }
  if (own === undefined || process.platform === 'win32') return fired
  return { ...fired, run: await fireCanary(own, facts.env, sessionId) }
}

async function judge({ command, place, run, sessionId, since }: Fired, facts: Facts) {
  const { client, path } = place
  const id = `client.${client}.canary`
  if (!run && runnable(command, client, frontDoorIn(facts.stateDir)) === undefined) {
    const seen = `${path} starts another front door, which was not tried: ${command}`
    return check(id, 'warning', seen, `hookbell init --client ${client}`)
  }
  if (!run) return check(id, 'cannot tell', 'not tried on Windows')
  const { ms, code, output, isLate } = run
  if (isLate) return check(id, 'broken', `did not end within 10 s: ${command}`, RENEW)
  if (code !== 0 || output !== '')
    return check(id, 'broken', `exit ${code}, "${output.slice(0, 80)}": ${command}`, RENEW)
  // Looked up again: the command may have created a fallback folder.
  const folders = [facts.stateDir, ...fallbackFolders(facts.stateDir)]
  if (!(await hasArrived(sessionId, { folders, since })))
    return check(
      id,
      'broken',
      `silent, exit 0, but the event was stored nowhere: ${command}`,
      RENEW,
    )
  return check(id, ms > SLOW_MS ? 'warning' : 'ok', `${ms} ms, silent, exit 0`)
}

/**
 * The command if `init` would write it now. One that starts our front door by another name of its folder is replaced,
 * because that name may lead elsewhere a moment later.
 */
function runnable(command: string, client: ClientName, door: string): string | undefined {
  if (command === sharedHookCommand(client)) return command
  const named = doorIn(command) ?? door
  const waits = waitIn(command)
  const now =
    waits === undefined ? hookCommand(named, client) : waitingCommand(named, client, waits)
  const isOurs = command === now && realPath(named) === realPath(door)
  // It is tried without the wait.
  return isOurs ? hookCommand(door, client) : undefined
}

function copiedVersion(stateDir: string): string | undefined {
  try {
    return JSON.parse(readQuietly(join(stateDir, 'runtime/package.json')) ?? '').version
  } catch {
    return undefined
  }
}

const CANARY_MS = 10_000

interface CanaryRun {
  /** From the start of the shell to the end of the output. */
  ms: number
  code: number | null
  output: string
  isLate: boolean
}

/**
 * Runs a registered command as a client does: through a shell, with pipes, without closing stdin, until the output is
 * closed. Nobody is notified of the event, because of its name.
 */
export function fireCanary(
  command: string,
  env: NodeJS.ProcessEnv,
  sessionId: string,
  limitMs = CANARY_MS,
): Promise<CanaryRun> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const hook = spawn('/bin/sh', ['-c', command], {
      env,
      cwd: '/',
      stdio: 'pipe',
      detached: true,
    })
    let output = ''
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      if (hook.pid !== undefined) process.kill(-hook.pid, 'SIGKILL')
    }, limitMs)
    for (const stream of [hook.stdout, hook.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    const end = (code: number | null) => {
      clearTimeout(timer)
      hook.stdin.destroy()
      resolve({ ms: Math.round(performance.now() - startedAt), code, output, isLate })
    }
    hook.once('error', () => end(null))
    hook.once('close', end)
    hook.stdin.on('error', () => {})
    hook.stdin.write(JSON.stringify({ hook_event_name: CANARY_EVENT, session_id: sessionId }))
  })
}

const ARRIVAL_MS = 5000

/** How much of the journal's end is read: the newest entries are there. */
const TAIL_BYTES = 256 * 1024

/** Whether an event that contains `mark` was stored: it waits in one of the folders, or is in its journal. */
export async function hasArrived(
  mark: string,
  { folders, since }: { folders: readonly string[]; since: number },
  limitMs = ARRIVAL_MS,
): Promise<boolean> {
  // A worker may move it from one folder to the next while they are read, so a single look is not enough.
  for (let waited = 0; waited <= limitMs; waited += 100) {
    if (folders.some((folder) => waits(mark, folder, since) || isRecorded(mark, folder)))
      return true
    await sleep(100)
  }
  return false
}

function waits(mark: string, folder: string, since: number): boolean {
  return eventFolders(spoolIn(folder)).some((place) =>
    listQuietly(place).some(
      (name) => isNew(join(place, name), since) && holds(join(place, name), mark),
    ),
  )
}

/** File systems round times, some to two seconds. */
function isNew(path: string, since: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.mtimeMs >= since - 2000
}

function holds(path: string, mark: string): boolean {
  try {
    return readFileSync(path, 'latin1').includes(mark)
  } catch {
    return false
  }
}

function isRecorded(mark: string, folder: string): boolean {
  try {
    const file = openFile(currentFile(folder))
    if (!file) return false
    try {
      let isFound = false
      const look = (line: string) => {
        isFound ||= line.includes(mark)
      }
      look(visitLines(file, Math.max(0, file.size - TAIL_BYTES), look))
      return isFound
    } finally {
      closeSync(file.fd)
    }
  } catch {
    return false
  }
}
