import { nextDue } from '../text/schedule.ts'
import { isPayload, textOf } from './payload.ts'

const MINUTE_MS = 60_000
/** An agent that waits for something wakes up within an hour. What is due later is a reminder. */
const SOON_MS = 65 * MINUTE_MS

/**
 * When the client goes on with the session by itself, because the agent has scheduled that for once and soon.
 * @param crons such as `{ schedule: '19 15 * * *', recurring: false }`, in the time of this machine
 * @returns Unix ms; undefined if it does not
 */
export function wakeUpOf(crons: readonly unknown[] = [], now: number): number | undefined {
  const due = crons
    .filter(isPayload)
    .filter(({ recurring }) => recurring === false)
    .map((one) => dueAfter(textOf(one, 'schedule'), now))
    .filter((at) => at <= now + SOON_MS)
  return due.length > 0 ? Math.min(...due) : undefined
}

/** @returns Infinity if the schedule is not for a minute and an hour */
function dueAfter(schedule: string, now: number): number {
  const [, minute, hour] = /^(\d{1,2}) (\d{1,2}) /.exec(schedule) ?? []
  if (minute === undefined || hour === undefined) return Number.POSITIVE_INFINITY
  // It may be due in the current minute.
  return nextDue({ at: `${hour}:${minute}` }, now - MINUTE_MS)
}
