import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spoolIn } from './layout.ts'

/**
 * Wakes a worker that watches this folder, by a file that it ignores: its name is not that of a delivery. A change of the
 * folder's own time would not do, because Windows reports only changes of what is in a folder.
 * @throws the system error
 */
export function notifyWorker(state: string) {
  const path = join(spoolIn(state).cards, `.wake-${process.pid}`)
  writeFileSync(path, '')
  rmSync(path, { force: true })
}
