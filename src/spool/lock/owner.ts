import { readlinkSync } from 'node:fs'
import { isSignalable, readProc, statOf } from './process.ts'

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
  self ??= {
    pid: process.pid,
    started: statOf(process.pid)?.started ?? '-',
    boot: bootId(),
    host: thisHost(),
  }
  return { ...self }
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
