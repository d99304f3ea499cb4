import {
  appendFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isPinRefused, readPinned } from '../config/pinned.ts'
import { workerEnvironment } from '../config/worker-env.ts'
import { isTrusted } from '../fs/ownership.ts'
import { listQuietly } from '../fs/read.ts'
import { type Spool, spoolIn } from '../spool/layout.ts'
import { hasProc, isRunning, LEASE_MS, statOf } from '../spool/lock/owner.ts'
import { mayStart, passStart } from '../spool/lock/start-marker.ts'
import { Arrivals, MAX_WAITING, MAX_WITHOUT_WORKER } from '../spool/waiting-limits.ts'
import { startDetached } from '../start-detached.ts'

/** Without a worker, nobody rotates the journal. */
const MAX_JOURNAL_BYTES = 16 * 1024 * 1024

/** Other files are not events: a worker sets them aside. */
const EVENT_NAME = /^[\w.~-]+$/

/**
 * Starts a worker unless one lives or is being started. A wake-up is a hint: losing it may cost time, never an event.
 * The worker gets its own process session, and none of the agent's descriptors or environment.
 * @param stateDir the state folder that the worker is for
 * @param root where the event was stored: the state folder or its fallback
 */
export function wakeWorker(stateDir: string, root: string, worker: string) {
  const onFailed = () => limitWaiting(root)
  if (workerLives(root) || isPinRefused(stateDir) || !mayStart(root, onFailed)) return
  const node = nodeOf(stateDir)
  const env = workerEnvironment(stateDir, process.env)
  const run = [root, dirname(worker), worker, node]
  // The worker checks the configuration before it reads it.
  if (!run.every(isTrusted)) return
  passStart(root, startDetached(node, [worker], env))
}

/** The Node.js that `init` was run with, while it exists and is trusted; else the one that runs now. */
function nodeOf(stateDir: string): string {
  const pinned = readPinned(stateDir)?.node
  return pinned && isTrusted(pinned) ? pinned : process.execPath
}

/** Whether a running worker will notice the new event by itself. Same check: bin/hookbell-hook. */
export function workerLives(state: string): boolean {
  if (isHeld(`${state}/worker.lock`)) return true
  // A worker takes such a lock if another machine or container holds worker.lock.
  const names = listQuietly(state).filter((name) => /^worker\..+\.lock$/.test(name))
  return names.some((name) => isHeld(`${state}/${name}`))
}

/** The lock contains process id and start time. */
function isHeld(lock: string): boolean {
  try {
    const [pid = '', started] = readFileSync(lock, 'utf8').split(' ')
    if (!isRunning(Number(pid))) return false
    if (hasProc()) return statOf(pid)?.started === started
    // Another process may have reused the process id; but a worker touches its lock once a minute.
    return Math.abs(Date.now() - statSync(lock).mtimeMs) < LEASE_MS
  } catch {
    return false
  }
}

/** Removes the oldest waiting events, because no worker can be started: the disk must not fill up. Never throws. */
function limitWaiting(state: string) {
  try {
    const spool = spoolIn(state)
    const max = existsSync(`${state}/spool/requests/hold`) ? MAX_WAITING : MAX_WITHOUT_WORKER
    const oldest = new Arrivals(spool.new).list().slice(0, -max)
    const taken = oldest.filter(({ id }) => EVENT_NAME.test(id) && take(id, spool))
    if (taken.length === 0) return
    const reason = `more than ${max} waited, and no worker started`
    const records = taken.map(({ id: name }) => {
      const id = name.replace(/~\d+$/, '')
      return { at: Date.now(), id, type: 'dropped', reason }
    })
    record(`${state}/journal.jsonl`, records)
    for (const { id } of taken) rmSync(join(spool.tmp, id), { force: true })
  } catch {
    // The next hook tries again.
  }
}

/**
 * Moves an event to tmp/ before it is removed: a worker may have started after all. If this process is killed, the next
 * worker accepts it again.
 * @returns false if it is gone, or is not an event but something that a worker sets aside, such as a folder
 */
function take(name: string, spool: Spool): boolean {
  const path = join(spool.new, name)
  try {
    if (!lstatSync(path).isFile()) return false
    renameSync(path, join(spool.tmp, name))
    return true
  } catch {
    return false
  }
}

function record(path: string, records: readonly object[]) {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > MAX_JOURNAL_BYTES) return
  try {
    const text = records.map((one) => `${JSON.stringify(one)}\n`).join('')
    appendFileSync(path, text, { mode: 0o600 })
  } catch {
    // The disk may be full, which is a reason to go on.
  }
}
