import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** An owner of whom nothing is known has this long to show that it lives, by touching what it owns. */
export const LEASE_MS = 5 * 60 * 1000
/** How often an owner does so. Must stay well below LEASE_MS. */
export const HEARTBEAT_MS = 60 * 1000

/** A process, so that it cannot be mistaken for a later one with the same id. */
export interface Owner {
  pid: number
  /** Start time as the kernel counts it; '-' where there is no /proc. */
  started: string
  /** Which boot of the machine; '-' where there is no /proc. */
  boot: string
  /** Where that process id means something: machine and, in a container, which. Absent: here. */
  host?: string
}

/** `unknown`: nothing proves that the owner lives, and nothing that it does not. */
export type Liveness = 'alive' | 'stopped' | 'unknown' | 'dead'

export function thisProcess(): Owner {
  const started = statOf(process.pid)?.started ?? '-'
  return { pid: process.pid, started, boot: bootId(), host: thisHost() }
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

export function livenessOf({ pid, started, boot, host }: Owner): Liveness {
  // A home directory that several machines or containers share.
  if (host && host !== thisHost()) return 'unknown'
  if (boot !== bootId()) return 'dead'
  const stat = statOf(pid)
  if (stat) {
    if (stat.started !== started || /[ZX]/.test(stat.state)) return 'dead'
    return /[Tt]/.test(stat.state) ? 'stopped' : 'alive'
  }
  if (started !== '-') return 'dead'
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch {
    return 'dead'
  }
}

function statOf(pid: number): { state: string; started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command in parentheses may itself hold parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return '-'
  }
}

function thisHost(): string {
  const machine =
    hostname()
      .replace(/[^A-Za-z0-9.-]/g, '-')
      .slice(0, 64) || '-'
  try {
    return `${machine}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`
  } catch {
    return machine
  }
}
