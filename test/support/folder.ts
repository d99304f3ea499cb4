import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Makes an empty folder that is removed with the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hookbell-test-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Ends every process that was started for the folder, and removes it. Such a process could make the folder again. */
export async function removeFolder(folder: string) {
  while (processesOf(folder).map(kill).length > 0) await sleep(20)
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** The processes that have the folder in their environment or command line; none on systems without /proc. */
function processesOf(folder: string): number[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').map(Number) : []
  const since = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? 0
  return pids.filter(
    (pid) => pid > 0 && pid !== process.pid && !isOlder(pid, since) && isFor(folder, pid),
  )
}

/** Whether a process certainly started earlier: the kernel made its entry before. This is quicker than reading two files. */
function isOlder(pid: number, timeMs: number): boolean {
  const entry = statSync(`/proc/${pid}`, { throwIfNoEntry: false })
  return entry !== undefined && entry.ctimeMs < timeMs
}

function isFor(folder: string, pid: number): boolean {
  try {
    return ['environ', 'cmdline'].some((name) =>
      readFileSync(`/proc/${pid}/${name}`, 'latin1').includes(folder),
    )
  } catch {
    // It has ended, or belongs to somebody else.
    return false
  }
}

function kill(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
  return pid
}
