import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
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

/** Removes the folder. First kills every process that was started for it and could create it again. */
export async function removeFolder(folder: string) {
  while (processesSince(folder).filter((pid) => mayBeFor(folder, pid)).length > 0) await sleep(20)
  // The synchronous function takes half the processor time of the asynchronous one.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** The processes that may have been started since the folder was made; none on systems without /proc. */
function processesSince(folder: string): number[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').map(Number) : []
  const since = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? 0
  return pids.filter((pid) => pid > 0 && pid !== process.pid && !isOlder(pid, since))
}

/** Whether a process certainly started earlier, by the time of its entry in /proc. Faster than reading its two files. */
function isOlder(pid: number, timeMs: number): boolean {
  const entry = statSync(`/proc/${pid}`, { throwIfNoEntry: false })
  return entry !== undefined && entry.ctimeMs < timeMs
}

/** Kills the process if its environment or command line contains the folder. @returns whether to check it again */
function mayBeFor(folder: string, pid: number): boolean {
  try {
    const texts = ['environ', 'cmdline'].map((name) =>
      readFileSync(`/proc/${pid}/${name}`, 'latin1'),
    )
    if (!texts.some((text) => text.includes(folder)))
      return texts.join('') === '' && isStarting(pid)
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    // The process has ended, or belongs to another user.
    return false
  }
}

/** Whether the kernel still loads the program. Until then, a process shows neither environment nor command line. */
function isStarting(pid: number): boolean {
  const [, state = '', parent] =
    /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
  const isOfKernel = parent === '2'
  return !isOfKernel && !/[ZX]/.test(state)
}
