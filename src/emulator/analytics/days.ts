import { chosen } from '../choices.ts'
import { Problem } from '../reply.ts'

const DAY_MS = 86_400_000

/** The days of a request, oldest first. Throws a `Problem` if the range is invalid. */
export function readRange(startDate: string, endDate: string, now: number): string[] {
  const today = toDate(now)
  if (startDate > endDate) {
    throw new Problem(chosen.reversedRange.value, 'query.endDate: lies before startDate')
  }
  if (endDate >= today) {
    const detail = `query.endDate: figures come a day later; the last day is ${toDate(now - DAY_MS)}`
    throw new Problem(400, detail)
  }
  const length = (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS + 1
  const { days: longest, status } = chosen.longRange.value
  if (length > longest) {
    throw new Problem(status, `query.endDate: the range is longer than ${longest} days`)
  }
  return Array.from({ length }, (_, index) => addDays(startDate, index))
}

/** The day that is `days` after a date, or before it if negative. */
export function addDays(date: string, days: number) {
  return toDate(Date.parse(date) + days * DAY_MS)
}

/** The days up to and including a day. */
export function trailingDays(date: string, count: number) {
  return Array.from({ length: count }, (_, index) => addDays(date, -index))
}

function toDate(unixMilliseconds: number) {
  return new Date(unixMilliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
