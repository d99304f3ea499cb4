import { appendFileSync, existsSync, lstatSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Arrivals } from '../spool/arrivals.ts'
import { type Spool, spoolIn } from '../spool/layout.ts'
import { MAX_WAITING, MAX_WITHOUT_WORKER } from '../spool/waiting-limits.ts'

/** Without a worker, nobody rotates the journal. */
const MAX_JOURNAL_BYTES = 16 * 1024 * 1024

/** Other files are not events: a worker sets them aside. */
const EVENT_NAME = /^[\w.~-]+$/

/** Removes the oldest waiting events, because no worker can be started: the disk must not fill up. Never throws. */
export function limitWaiting(state: string) {
  try {
    const spool = spoolIn(state)
    const max = existsSync(`${state}/spool/requests/hold`) ? MAX_WAITING : MAX_WITHOUT_WORKER
    const oldest = new Arrivals(spool.new).list().slice(0, -max)
    const taken = oldest.filter(({ id }) => EVENT_NAME.test(id) && take(id, spool))
    if (taken.length === 0) return
    const reason = `more than ${max} waited, and no worker started`
    const records = taken.map(({ id: name }) => {
      const id = name.replace(/~\d+$/, '')
      return { at: Date.now(), id, type: 'dropped', reason }
    })
    record(`${state}/journal.jsonl`, records)
    for (const { id } of taken) rmSync(join(spool.tmp, id), { force: true })
  } catch {
    // The next hook tries again.
  }
}

/**
 * Moves an event to tmp/ before it is removed: a worker may have started after all. If this process is killed, the next
 * worker accepts it again.
 * @returns false if it is gone, or is not an event but something that a worker sets aside, such as a folder
 */
function take(name: string, spool: Spool): boolean {
  const path = join(spool.new, name)
  try {
    if (!lstatSync(path).isFile()) return false
    renameSync(path, join(spool.tmp, name))
    return true
  } catch {
    return false
  }
}

function record(path: string, records: readonly object[]) {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > MAX_JOURNAL_BYTES) return
  try {
    const text = records.map((one) => `${JSON.stringify(one)}\n`).join('')
    appendFileSync(path, text, { mode: 0o600 })
  } catch {
    // The disk may be full, which is a reason to go on.
  }
}
