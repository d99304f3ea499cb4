import type { Config } from '../../config/schema/schema.ts'
import type { Kind } from '../../event/event.ts'
import { formatTime, isWithin } from '../../text/local-time.ts'
import { defineRule, send, type Verdict } from '../types.ts'

type QuietHours = Config['noise']['quietHours'][number]

const MINUTE_MS = 60_000
const DAY = 24 * 60
/** Periods may follow each other without a gap. Events are held no longer than this. */
const MAX_MINUTES = 8 * DAY
export const MAX_QUIET_MS = MAX_MINUTES * MINUTE_MS

/**
 * Holds events in quiet hours, and sends them in one message per channel afterwards. Questions are sent at once: the
 * agent stands still until somebody answers.
 */
export const quietHours = defineRule({
  name: 'quiet-hours',
  isNoise: true,
  // An event that waited for the worker is judged by the time of its delivery.
  judge: ({ kind, at }, _, { noise, dueAt }) => judgeAt(Math.max(at, dueAt), kind, noise),
})

/** The verdict on an event of this kind that would be sent at this moment (Unix ms). */
export function judgeAt(
  moment: number,
  kind: Kind,
  noise: Pick<Config['noise'], 'quietHours'>,
): Verdict {
  const periods = noise.quietHours.filter(({ except }) => !except.includes(kind))
  if (kind === 'permission' || periods.length === 0) return send
  const period = periods.find((one) => isWithin(one, moment))
  if (!period) return send
  const until = quietUntilCached(periods, moment)
  // Named, because the times beside it are in the time zone of this machine.
  const zone = period.timeZone ? ` in ${period.timeZone}` : ''
  const reason = `quiet hours until ${formatTime(until, period.timeZone)}${zone}`
  return { type: 'hold', until, reason, group: 'quiet-hours', dueOtherwise: moment }
}

/** The last result, cached because many events may ask for the same minute and each search is slow. */
let known = { key: '', until: 0 }

function quietUntilCached(periods: readonly QuietHours[], from: number): number {
  const key = `${Math.floor(from / MINUTE_MS)} ${JSON.stringify(periods)}`
  if (known.key !== key) known = { key, until: quietUntil(periods, from) }
  return known.until
}

/** The first minute outside of all periods. Searched in steps, since a night may be an hour longer or shorter. */
export function quietUntil(periods: readonly QuietHours[], from: number): number {
  let at = Math.floor(from / MINUTE_MS) * MINUTE_MS
  for (let minute = 0; minute < MAX_MINUTES; minute += 1) {
    at += MINUTE_MS
    if (!periods.some((one) => isWithin(one, at))) return at
  }
  return at
}
