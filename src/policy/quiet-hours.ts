import type { Config } from '../config/schema.ts'
import { formatTime, isWithin } from '../text/local-time.ts'
import { defineRule, send } from './types.ts'

export type QuietHours = Config['noise']['quietHours'][number]

const MINUTE_MS = 60_000
const DAY = 24 * 60
/** Periods may follow each other without a gap; one that never ends is looked at again after this. */
const MAX_MINUTES = 8 * DAY

/**
 * What happens in quiet hours is kept, and told in one message per channel when they are over. Questions are told:
 * the agent stands still until somebody answers.
 */
export const quietHours = defineRule({
  name: 'quiet-hours',
  isNoise: true,
  judge({ kind, at }, _, { noise, now }) {
    const periods = noise.quietHours.filter(({ except }) => !except.includes(kind))
    if (kind === 'permission' || periods.length === 0) return send
    // An event that waited for the worker is judged by the clock of its delivery.
    const moment = Math.max(at, now)
    const period = periods.find((one) => isWithin(one, moment))
    if (!period) return send
    const until = quietUntilCached(periods, moment)
    const reason = `quiet hours until ${formatTime(until, period.timeZone)}`
    return { type: 'hold', until, reason, group: 'quiet-hours' }
  },
})

/** The last answer: of many events that waited, each would take as long to find out. */
let known = { key: '', until: 0 }

function quietUntilCached(periods: readonly QuietHours[], from: number): number {
  const key = `${Math.floor(from / MINUTE_MS)} ${JSON.stringify(periods)}`
  if (known.key !== key) known = { key, until: quietUntil(periods, from) }
  return known.until
}

/** The first minute in which none of the periods counts. Steps, since a night may be an hour longer or shorter. */
export function quietUntil(periods: readonly QuietHours[], from: number): number {
  let at = Math.floor(from / MINUTE_MS) * MINUTE_MS
  for (let minute = 0; minute < MAX_MINUTES; minute += 1) {
    at += MINUTE_MS
    if (!periods.some((one) => isWithin(one, at))) return at
  }
  return at
}
