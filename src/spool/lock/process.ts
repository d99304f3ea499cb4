import { readFileSync } from 'node:fs'

interface ProcessStat {
  /** One letter, as in `ps`. */
  state: string
  /** When it started, as the kernel counts it. */
  started: string
  parent: number
  /** The number of the terminal that it belongs to; 0 for none. */
  tty: number
}

/**
 * Reads a file below /proc. Not on Windows, where any user can create an ordinary folder of this name. @throws an error
 * if it cannot be read, and always on Windows
 */
export function readProc(path: string, platform = process.platform): string {
  if (platform === 'win32') throw new Error('no /proc')
  return readFileSync(`/proc/${path}`, 'utf8')
}

/** @returns undefined where there is no such process, or no /proc */
export function statOf(pid: number | string): ProcessStat | undefined {
  try {
    const stat = readProc(`${pid}/stat`)
    // The command in parentheses may itself hold parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    return {
      state: fields[0] ?? '',
      started: fields[19] ?? '',
      parent: Number(fields[1]),
      tty: Number(fields[4]),
    }
  } catch {
    return undefined
  }
}

export function hasProc(): boolean {
  return statOf('self') !== undefined
}

/** Whether the process runs: false if it is stopped or a zombie. The id may belong to a later process by now. */
export function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  const stat = statOf(pid)
  if (stat) return !/[ZXTt]/.test(stat.state)
  return !hasProc() && isSignalable(pid)
}

/** Whether the process exists and is of this user, as all workers are. */
export function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether a process runs below the parent of another one's shell: whether the agent that started the one also started it. */
export function isWithin(hook: number, own: number): boolean {
  const agent = statOf(statOf(hook)?.parent ?? 0)?.parent ?? 0
  if (agent <= 1) return false
  for (let pid = own, steps = 0; pid > 1 && steps < 100; steps += 1) {
    if (pid === agent) return true
    pid = statOf(pid)?.parent ?? 0
  }
  return false
}
