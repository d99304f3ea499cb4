import { dropOldest } from '../drop-oldest.ts'

/** `2026-11-20 09:00`, in `timeZone`, by default that of this machine. */
export function formatTime(at: number, timeZone?: string): string {
  const { year, month, day, hour, minute } = partsAt(at, timeZone)
  return `${year}-${month}-${day} ${hour}:${minute}`
}

/** `2026-11-20 09:00:00`, by the clock of this machine. */
export function formatSecond(at: number): string {
  return `${formatTime(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`
}

/** `2026-11-20`, on this machine. */
export function formatDate(at: number): string {
  const { year, month, day } = partsHere(new Date(at))
  return `${year}-${month}-${day}`
}

/** The weekday (0 is Sunday) and the minutes since midnight in the zone. */
export function localTime(at: number, timeZone?: string): { weekday: number; minutes: number } {
  const { year, month, day, hour, minute } = partsAt(at, timeZone)
  const weekday = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDay()
  return { weekday, minutes: Number(hour) * 60 + Number(minute) }
}

const formatters = new Map<string, Intl.DateTimeFormat>()
/** Zones are also named by texts of an agent, in any mixture of capital and small letters. */
const MAX_FORMATTERS = 50

function partsAt(at: number, timeZone: string | undefined): Record<string, string> {
  // Without Intl, whose first use takes a tenth of a worker's start time.
  if (timeZone === undefined) return partsHere(new Date(at))
  const known = formatters.get(timeZone)
  const formatter =
    known ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
  formatters.set(timeZone, formatter)
  dropOldest(formatters, MAX_FORMATTERS)
  return Object.fromEntries(formatter.formatToParts(at).map(({ type, value }) => [type, value]))
}

function partsHere(date: Date) {
  const two = (value: number) => String(value).padStart(2, '0')
  return {
    year: String(date.getFullYear()),
    month: two(date.getMonth() + 1),
    day: two(date.getDate()),
    hour: two(date.getHours()),
    minute: two(date.getMinutes()),
  }
}

/** From Sunday on, as `localTime` counts them. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** A period of every day, or of the `days` on which it begins. `from` later than `to`: it goes over midnight. */
export interface Period {
  from: string
  to: string
  days?: readonly string[] | undefined
  timeZone?: string | undefined
}

/** Whether a moment is in the period. A period over midnight belongs to the day on which it begins. */
export function isWithin(period: Period, at: number): boolean {
  return coversTime(period, localTime(at, period.timeZone))
}

/**
 * Whether periods of one time zone leave no minute of the week free. If there is a gap, it begins when one of them ends, so
 * only those times are looked at.
 */
export function areEndless(periods: readonly Period[]): boolean {
  const ends = periods.flatMap(({ to }) =>
    weekdays.map((_, weekday) => ({ weekday, minutes: minutesOf(to) % (24 * 60) })),
  )
  return ends.length > 0 && ends.every((end) => periods.some((one) => coversTime(one, end)))
}

function coversTime(
  { from, to, days }: Period,
  { weekday, minutes }: ReturnType<typeof localTime>,
): boolean {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  const isOn = (day: number) => !days || days.includes(weekdays[(day + 7) % 7] ?? '')
  if (start < end) return start <= minutes && minutes < end && isOn(weekday)
  return (minutes >= start && isOn(weekday)) || (minutes < end && isOn(weekday - 1))
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}
