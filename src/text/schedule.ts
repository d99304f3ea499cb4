import { localTime, weekdays } from './local-time.ts'

/** A time of day on some days of the week. */
export interface Schedule {
  /** Such as 18:00. */
  at: string
  /** `mon` ... `sun`. Default: every day. */
  days?: readonly string[] | undefined
  timeZone?: string | undefined
}

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
/** The same weekday returns after seven days; one more, because a day may have 25 hours. */
const MOST_DAYS = 8

/** The last moment of the schedule that is not after `now`, Unix ms. */
export function lastDue(schedule: Schedule, now: number): number {
  return find(schedule, now, -1, (at) => at <= now)
}

/** The first moment of the schedule after `now`, Unix ms. */
export function nextDue(schedule: Schedule, now: number): number {
  return find(schedule, now, 1, (at) => at > now)
}

function find(
  { at: time, days, timeZone }: Schedule,
  now: number,
  direction: 1 | -1,
  isWanted: (at: number) => boolean,
): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const wanted = (hours * 60 + minutes) % DAY_MINUTES
  for (let day = -direction; Math.abs(day) <= MOST_DAYS; day += direction) {
    const at = onDay(now + day * DAY_MINUTES * MINUTE_MS, wanted, timeZone)
    const weekday = weekdays[localTime(at, timeZone).weekday] ?? ''
    if (isWanted(at) && (!days || days.includes(weekday))) return at
  }
  throw new Error(`no day for ${time}`)
}

/** When the clock shows a time on the day of a moment. If the clock skips that time: as much later or earlier. */
function onDay(moment: number, wanted: number, timeZone: string | undefined): number {
  const start = Math.floor(moment / MINUTE_MS) * MINUTE_MS
  const first = start + (wanted - localTime(start, timeZone).minutes) * MINUTE_MS
  // The clock may have been changed between `start` and `first`.
  const second = first + (wanted - localTime(first, timeZone).minutes) * MINUTE_MS
  return localTime(second, timeZone).minutes === wanted ? second : first
}
