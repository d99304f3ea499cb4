import { appendFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { Arrivals } from '../spool/arrivals.ts'
import { MAX_WAITING, MAX_WITHOUT_WORKER } from '../spool/waiting-limits.ts'

/** Without a worker, nobody rotates the journal. */
const MAX_JOURNAL_BYTES = 16 * 1024 * 1024

/** Other files are no events: a worker sets them aside. */
const EVENT_NAME = /^[\w.~-]+$/

/** Removes the oldest waiting events, because no worker can be started: the disk must not fill up. Never throws. */
export function limitWaiting(state: string) {
  try {
    const folder = `${state}/spool/new`
    const max = existsSync(`${state}/on-hold`) ? MAX_WAITING : MAX_WITHOUT_WORKER
    const oldest = new Arrivals(folder).list().slice(0, -max)
    const excess = oldest.filter(({ id }) => EVENT_NAME.test(id))
    if (excess.length === 0) return
    const reason = `more than ${max} waited, and no worker started`
    const records = excess.map(({ id: name }) => {
      const id = name.replace(/~\d+$/, '')
      return { at: Date.now(), id, type: 'dropped', reason }
    })
    record(`${state}/journal.jsonl`, records)
    for (const { id } of excess) remove(`${folder}/${id}`)
  } catch {
    // The next hook tries again.
  }
}

function remove(path: string) {
  try {
    rmSync(path, { force: true })
  } catch {
    // Such as a folder, which a worker sets aside.
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
