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

/** Ends every process that was started for the folder, and removes it. Such a process could make the folder again. */
export async function removeFolder(folder: string) {
  while (processesSince(folder).filter((pid) => mayBeFor(folder, pid)).length > 0) await sleep(20)
  // Takes half the processor time of the asynchronous function.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** The processes that may have been started since the folder was made; none on systems without /proc. */
function processesSince(folder: string): number[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').map(Number) : []
  const since = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? 0
  return pids.filter((pid) => pid > 0 && pid !== process.pid && !isOlder(pid, since))
}

/** Whether a process certainly started earlier: the kernel made its entry before. This is quicker than reading two files. */
function isOlder(pid: number, timeMs: number): boolean {
  const entry = statSync(`/proc/${pid}`, { throwIfNoEntry: false })
  return entry !== undefined && entry.ctimeMs < timeMs
}

/** Kills the process if it has the folder in its environment or command line. @returns whether to look at it again */
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
    // It has ended, or belongs to somebody else.
    return false
  }
}

/** While the kernel loads a program, which can take long on a busy machine, the process has neither of both. */
function isStarting(pid: number): boolean {
  const [, state = '', parent] =
    /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
  const isOfKernel = parent === '2'
  return !isOfKernel && !/[ZX]/.test(state)
}
