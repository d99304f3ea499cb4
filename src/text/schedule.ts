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
/** The same weekday returns after seven days; one more, because today's time may be over or still to come. */
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
  // Days may have 23 or 25 hours, but 24 hours after noon it is the next day.
  const noon = onDay(now, DAY_MINUTES / 2, timeZone)
  for (let day = -direction; Math.abs(day) <= MOST_DAYS; day += direction) {
    const at = onDay(noon + day * DAY_MINUTES * MINUTE_MS, wanted, timeZone)
    const weekday = weekdays[localTime(at, timeZone).weekday] ?? ''
    if (isWanted(at) && (!days || days.includes(weekday))) return at
  }
  throw new Error(`no day for ${time}`)
}

/** When the clock shows a time on the day of a moment. If the clock skips that time: as much later. */
function onDay(moment: number, wanted: number, timeZone: string | undefined): number {
  const start = Math.floor(moment / MINUTE_MS) * MINUTE_MS
  const first = start + (wanted - localTime(start, timeZone).minutes) * MINUTE_MS
  // The clock may have been changed between `start` and `first`, which may then be 23:00 of the day before.
  const second = first + nearest(wanted - localTime(first, timeZone).minutes) * MINUTE_MS
  return localTime(second, timeZone).minutes === wanted ? second : Math.max(first, second)
}

/** The same time of day at most half a day away, in minutes. */
function nearest(minutes: number): number {
  return ((minutes + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2
}
