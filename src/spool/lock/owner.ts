import { readFileSync, readlinkSync } from 'node:fs'

interface ProcessStat {
  /** One letter, as in `ps`. */
  state: string
  /** When it started, as the kernel counts it. */
  started: string
  parent: number
  /** The id of the first process of its job: its process group. */
  job: number
  /** Whether the keys of its terminal go to that job. */
  isInFront: boolean
  /** The number of the terminal that it belongs to; 0 for none. */
  tty: number
}

/** An owner whose process cannot be seen loses what it owns after this long, unless it touches it. */
export const LEASE_MS = 5 * 60 * 1000

/** How often an owner touches what it owns. Must stay well below LEASE_MS. */
export const HEARTBEAT_MS = 60 * 1000

/** Identifies a process, so that it is not mistaken for a later one with the same id. */
export interface Owner {
  pid: number
  /** Start time as the kernel counts it; '-' where there is no /proc. */
  started: string
  /** Which boot of the machine; '-' where there is no /proc. */
  boot: string
  /** Where the process id is valid: the machine and its pid namespace (the container). Absent: here. */
  host?: string
}

/** `unknown`: nothing proves that the owner lives, and nothing that it does not. */
type Liveness = 'alive' | 'stopped' | 'unknown' | 'dead'

let self: Owner | undefined

/** Determined once: if the machine is renamed, this process must still recognize what it owns. */
export function thisProcess(): Owner {
  self ??= ownerOf(process.pid, statOf(process.pid)?.started)
  return { ...self }
}

/** A process that is seen now. @param started its start time as the kernel counts it */
export function ownerOf(pid: number, started = '-'): Owner {
  return { pid, started, boot: bootId(), host: thisHost() }
}

export function ownerToken({ pid, started, boot, host }: Owner): string {
  return [pid, started, boot, ...(host ? [host] : [])].join('_')
}

export function parseOwner(text: string): Owner | undefined {
  const [, pid, started, boot, host] =
    /^(\d+)[ _]([^\s_]+)[ _]([^\s_]+)(?:[ _]([^\s_]+))?\s*$/.exec(text) ?? []
  if (!pid || !started || !boot) return undefined
  return { pid: Number(pid), started, boot, ...(host && { host }) }
}

/** Whether a process lives, as far as that can be seen from this machine and container. */
export function livenessOf({ pid, started, boot, host }: Owner): Liveness {
  const stat = statOf(pid)
  const isSameBoot = boot === bootId()
  // Several machines or containers may share the home directory. If only this machine was renamed, its processes are seen.
  if (host && host !== thisHost() && !(isSameBoot && isSameSystem(host))) return 'unknown'
  if (!isSameBoot) return 'dead'
  if (stat) {
    if (stat.started !== started || /[ZX]/.test(stat.state)) return 'dead'
    return /[Tt]/.test(stat.state) ? 'stopped' : 'alive'
  }
  if (started !== '-') return 'dead'
  return isSignalable(pid) ? 'unknown' : 'dead'
}

/** Whether the owner may live on another machine or in another container, where it cannot be seen from here. */
export function isElsewhere(owner: Owner): boolean {
  return livenessOf(owner) === 'unknown' && owner.host !== undefined && owner.host !== thisHost()
}

/** Whether the host has this pid namespace, whose number is unique within one kernel. */
function isSameSystem(host: string): boolean {
  const [, container] = /\.(\d+)$/.exec(thisHost()) ?? []
  return container !== undefined && host.endsWith(`.${container}`)
}

function bootId(): string {
  try {
    return readProc('sys/kernel/random/boot_id').trim()
  } catch {
    return '-'
  }
}

function thisHost(): string {
  // Loaded only when it is needed: most commands find no lock.
  const { hostname } = process.getBuiltinModule('node:os')
  const machine =
    hostname()
      .replace(/[^A-Za-z0-9.-]/g, '-')
      .slice(0, 64) || '-'
  if (process.platform === 'win32') return machine
  try {
    return `${machine}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`
  } catch {
    return machine
  }
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
      job: Number(fields[2]),
      isInFront: fields[2] === fields[5],
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
function isSignalable(pid: number): boolean {
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
