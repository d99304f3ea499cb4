import { readFileSync } from 'node:fs'

/** A process, so that it cannot be mistaken for a later one with the same id. */
export interface Owner {
  pid: number
  /** Start time as the kernel counts it; '-' where there is no /proc. */
  started: string
  /** Which boot of the machine; '-' where there is no /proc. */
  boot: string
}

/** `doubt`: something has this process id, but nothing proves that it is the owner. */
export type Liveness = 'alive' | 'stopped' | 'doubt' | 'dead'

export function thisProcess(): Owner {
  return { pid: process.pid, started: statOf(process.pid)?.started ?? '-', boot: bootId() }
}

export function ownerToken({ pid, started, boot }: Owner): string {
  return `${pid}_${started}_${boot}`
}

export function parseOwner(text: string): Owner | undefined {
  const [, pid, started, boot] = /^(\d+)[ _](\S+?)[ _](\S+)\s*$/.exec(text) ?? []
  return pid && started && boot ? { pid: Number(pid), started, boot } : undefined
}

export function livenessOf({ pid, started, boot }: Owner): Liveness {
  if (boot !== bootId()) return 'dead'
  const stat = statOf(pid)
  if (stat) {
    if (stat.started !== started || /[ZX]/.test(stat.state)) return 'dead'
    return /[Tt]/.test(stat.state) ? 'stopped' : 'alive'
  }
  if (started !== '-') return 'dead'
  try {
    process.kill(pid, 0)
    return 'doubt'
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
