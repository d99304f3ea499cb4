import { waitAtMost } from '../../patience.ts'
import type { UnderWay } from './under-way.ts'

/**
 * How long to wait for a suspect event: one that crashes the worker does so at once. Each one that takes longer shortens
 * the wait for the next ones, to a half, a third and so on: a receiver that hangs must not hold up hundreds of them.
 */
const SUSPECT_MS = 1000
const MIN_SUSPECT_MS = 50

/** Starts suspect events one by one, once what is under way has ended, so that another crash affects few of them. */
export async function beginOneByOne<Event>(
  events: readonly Event[],
  underWay: UnderWay,
  start: (event: Event) => Promise<void>,
) {
  await waitAtMost(SUSPECT_MS, Promise.all(underWay.all))
  let slow = 0
  for (const event of events) {
    const before = new Set(underWay.all)
    await start(event)
    const begun = underWay.all.filter((one) => !before.has(one))
    const ms = Math.max(SUSPECT_MS / (slow + 1), MIN_SUSPECT_MS)
    if (!(await waitAtMost(ms, Promise.all(begun)))) slow += 1
  }
}
