import { lstatSync } from 'node:fs'
import { ago } from '../../cli/output.ts'
import { MAX_WAITING, MAX_WITHOUT_WORKER } from '../../spool/waiting-limits.ts'

/** A cron job may deliver now and then, without a worker in between. */
const STRANDED_AFTER_MS = 3600_000

interface Backlog {
  /** Paths of the events that no worker has claimed. */
  unclaimed: readonly string[]
  isOnHold: boolean
  hasWorker: boolean
}

/** Problems of events that wait for a worker. */
export function backlogProblems({ unclaimed, isOnHold, hasWorker }: Backlog): string[] {
  const oldest = isOnHold || hasWorker ? Date.now() : oldestOf(unclaimed)
  const isStranded = Date.now() - oldest > STRANDED_AFTER_MS
  const limits = `${MAX_WITHOUT_WORKER} if no worker starts, ${MAX_WAITING} otherwise`
  return [
    ...(isStranded
      ? [
          `events wait, the oldest accepted ${ago(oldest)}, and no worker runs. Find the cause: hookbell doctor`,
        ]
      : []),
    // Warns before events are removed, and while they are.
    ...(unclaimed.length >= MAX_WITHOUT_WORKER
      ? [
          `${unclaimed.length} events wait for a worker; the oldest are removed beyond a limit (${limits})`,
        ]
      : []),
  ]
}

function oldestOf(paths: readonly string[]): number {
  const times = paths.map(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now(),
  )
  return times.reduce((least, one) => Math.min(least, one), Date.now())
}
