import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isRunning } from './process.ts'

// A herd of hooks must not start a herd of workers: the first leaves this file, the others see it and go.
// It holds the process that brings the worker up (the hook, then the worker itself), and when it was written.
// Same file: bin/hookbell-hook. No promise depends on it.

/** Longer than any start takes that will end well. */
const STARTING_S = 5

export function startMarkerPath(state: string): string {
  return `${state}/worker.starting`
}

/** @returns false where somebody else is bringing up a worker now */
export function mayStart(state: string): boolean {
  const marker = startMarkerPath(state)
  for (let round = 0; round < 2; round += 1) {
    try {
      writeFileSync(marker, textOf(process.pid), { flag: 'wx', mode: 0o600 })
      return true
    } catch {
      const seen = read(marker)
      if (isValid(seen)) return false
      if (!remove(marker, seen)) return false
    }
  }
  // It cannot be written or removed: better one worker too many than none.
  return true
}

/** From now on that process brings up the worker, where this one did so far. */
export function passStart(state: string, pid: number | undefined) {
  const marker = startMarkerPath(state)
  if (pid === undefined || pidOf(read(marker)) !== process.pid) return
  quietly(() => writeFileSync(marker, textOf(pid)))
}

/** The worker is up, and its lock says so. */
export function endStart(state: string) {
  const marker = startMarkerPath(state)
  if (pidOf(read(marker)) === process.pid) quietly(() => rmSync(marker, { force: true }))
}

/** Void are those of a process that is gone, and old ones. */
function isValid(text: string): boolean {
  const since = Number(text.split(' ')[1] ?? Number.NaN)
  const age = clock() - since
  return age >= 0 && age < STARTING_S && isRunning(pidOf(text))
}

/** @returns false where another was faster, and its marker stands there now */
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

/** Seconds of a clock that a shell can read without starting a process, where there is one. */
function clock(): number {
  const uptime = Number.parseFloat(read('/proc/uptime'))
  return Math.floor(Number.isNaN(uptime) ? Date.now() / 1000 : uptime)
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
    // Gone, or not ours to change.
  }
}
