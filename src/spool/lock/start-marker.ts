import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { isRunning, readProc } from './owner.ts'

// Many simultaneous hooks must not start many workers: the first writes this marker file, the others see it and exit.
// It holds the id of the process that starts the worker (the hook, then the worker itself) and the time of writing.
// bin/hookbell-hook uses the same file. No guarantee depends on it.

/** Longer than any successful start takes. */
const STARTING_S = 5

export function startMarkerPath(state: string): string {
  return `${state}/worker.starting`
}

/**
 * @param onFailed called if the marker of an earlier start shows that the worker ended without the lock
 * @returns false if another process is starting a worker now
 */
export function mayStart(state: string, onFailed = () => {}): boolean {
  const marker = startMarkerPath(state)
  for (let round = 0; round < 2; round += 1) {
    try {
      writeFileSync(marker, textOf(process.pid), { flag: 'wx', mode: 0o600 })
      return true
    } catch {
      const seen = read(marker)
      if (isValid(seen)) return false
      if (!remove(marker, seen)) return false
      if (hasFailed(seen)) onFailed()
    }
  }
  // The marker cannot be written or removed: better one worker too many than none.
  return true
}

/**
 * Puts the given process into this process's marker, since it starts the worker from now on. Creates no file: if the
 * worker has removed the marker meanwhile, a new one would name a worker that may be about to end.
 */
export function passStart(state: string, pid: number | undefined) {
  if (pid === undefined) return
  quietly(() => {
    const file = openSync(startMarkerPath(state), 'r+')
    try {
      if (pidOf(readFileSync(file, 'utf8')) !== process.pid) return
      ftruncateSync(file, writeSync(file, textOf(pid), 0))
    } finally {
      closeSync(file)
    }
  })
}

/** Removes the marker, whoever wrote it: a worker holds the lock. A marker that outlived it would prevent a start. */
export function endStart(state: string) {
  quietly(() => rmSync(startMarkerPath(state), { force: true }))
}

/** A marker is void if it is old or its process is gone. */
function isValid(text: string): boolean {
  return isRecent(text) && isRunning(pidOf(text))
}

/**
 * Whether the worker that a marker names has ended without taking the lock. One that is slow still runs, and one that
 * has just been started may run in another container.
 */
function hasFailed(text: string): boolean {
  const pid = pidOf(text)
  return pid > 0 && !isRecent(text) && !isRunning(pid)
}

function isRecent(text: string): boolean {
  const age = clock() - Number(text.split(' ')[1] ?? Number.NaN)
  return age >= 0 && age < STARTING_S
}

/** @returns false if another process was faster, so that its marker is there now */
function remove(marker: string, seen: string): boolean {
  const aside = `${marker}.${process.pid}`
  quietly(() => renameSync(marker, aside))
  const moved = read(aside)
  if (moved !== seen) {
    quietly(() => renameSync(aside, marker))
    return false
  }
  quietly(() => rmSync(aside, { force: true }))
  return true
}

function pidOf(text: string): number {
  return /^\d+ /.test(text) ? Number.parseInt(text, 10) : 0
}

function textOf(pid: number): string {
  return `${pid} ${clock()}\n`
}

/** The uptime in seconds, which a shell can read without starting a process; else the Unix time in seconds. */
function clock(): number {
  try {
    return Math.floor(Number.parseFloat(readProc('uptime')))
  } catch {
    return Math.floor(Date.now() / 1000)
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function quietly(act: () => void) {
  try {
    act()
  } catch {
    // The marker is gone, or this user may not change it.
  }
}
