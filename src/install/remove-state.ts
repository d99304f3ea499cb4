import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../errors.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { isElsewhere, livenessOf } from '../spool/lock/owner.ts'
import { requestHandover } from '../spool/requests.ts'

const WORKER_ENDS_WITHIN_MS = 5000

/** Names of everything that hookbell ever writes into a state folder. */
const STATE = new RegExp(
  `^(${[
    String.raw`(hookbell-hook(\.\d+)?|runtime(\.\w+)*|spool|backups|cache|on-hold|asking(\.\d+)?)`,
    String.raw`(places|environment|last-good-config|checkpoint|policy-memory|mutes|trusted-projects|answer-people|alarms|own-channels|shown)\.json.*`,
    '(digest-settled|config-problem-told).*',
    String.raw`journal\..*|worker\..*|\.\d+\.new`,
  ].join('|')})$`,
)
/** Also matches what is left by a process that was killed while it wrote a file, or during `config edit`. */
const CONFIG = /^(config\.json(\.\d+)?|secrets\.env(\.lock)?(\.\d+)?|templates|\.edit-\w{6})$/

/**
 * Ends the worker of a state folder: the process that holds its lock, identified by its pid and start time. The front
 * door must be gone, because a worker that is asked to end starts what is installed.
 * @returns false if a worker keeps running, such as on another machine that shares the folder
 */
export async function endWorker(stateDir: string): Promise<boolean> {
  const holder = lockHolder(stateDir)
  if (!holder) return true
  if (isElsewhere(holder)) return false
  // Without /proc, another process may have its id by now. Then the request goes into a file, which only a worker reads.
  if (livenessOf(holder) === 'alive') kill(holder.pid)
  else requestHandover(stateDir)
  for (let waited = 0; waited < WORKER_ENDS_WITHIN_MS; waited += 50) {
    // A worker releases its lock before it has sent its last messages.
    const isHolder = lockHolder(stateDir)?.pid === holder.pid
    if (!isHolder && livenessOf(holder) !== 'alive') return true
    await sleep(50)
  }
  return false
}

function kill(pid: number) {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has just ended by itself.
  }
}

/** Removes the front door and the copy that it runs. From then on a registered command does nothing. */
export function removeFrontDoor(stateDir: string): void {
  for (const name of ['hookbell-hook', 'runtime']) removeAll(join(stateDir, name))
}

/** Tries again if the folder is not empty: a worker that ends at this moment may write its compiled code there. */
function removeAll(path: string) {
  for (let left = 9; ; left -= 1) {
    try {
      return rmSync(path, { recursive: true, force: true })
    } catch (error) {
      if (left === 0 || errorCode(error) !== 'ENOTEMPTY') throw error
    }
  }
}

/** @returns what is left in the folders, because it is not ours */
export function removeEverything(stateDirs: readonly string[], configDir: string): string[] {
  return [
    ...stateDirs.flatMap((folder) => removeKnown(folder, STATE)),
    ...removeKnown(configDir, CONFIG),
  ]
}

function removeKnown(folder: string, known: RegExp): string[] {
  if (!existsSync(folder)) return []
  // On Windows a folder that somebody has just watched stays for a moment.
  for (const name of readdirSync(folder).filter((one) => known.test(one)))
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 10 })
  const left = readdirSync(folder)
  removeIfPossible(folder)
  return left.map((name) => join(folder, name))
}

/** A folder that is not empty stays, and so does a link or a mounted volume. */
function removeIfPossible(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // What is left in it is not ours.
  }
}
