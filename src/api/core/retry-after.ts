import type { ResponseHeaders } from '../transport.ts'

// The three forms of RFC 9110, section 5.6.7; the older two have a two-digit year or no time zone.
const HTTP_DATE =
  /^(\w{3,9}, \d\d([ -])\w{3}\2(\d{4}|\d\d) (\d\d:){2}\d\d( GMT)|\w{3} \w{3} [ \d]\d (\d\d:){2}\d\d \d{4})$/i
/** In seconds or milliseconds: longer than anyone waits. */
const LONGEST = 1e15
const CENTURY_MS = 36_525 * 24 * 3_600_000

/**
 * How long the server asks to wait before a retry, in milliseconds; undefined if its headers do not say so
 * in a known form. A date that has passed means 0.
 */
export function parseRetryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const precise = parseNumber(first(headers['retry-after-ms']))
  if (precise !== undefined) return precise
  const text = first(headers['retry-after'])
  const seconds = parseNumber(text)
  if (seconds !== undefined) return seconds * 1000
  const date = parseHttpDate(text, now)
  return date === undefined ? undefined : Math.max(0, date - now)
}

function first(value: ResponseHeaders[string] = ''): string {
  return String([value].flat()[0]).trim()
}

function parseNumber(text: string): number | undefined {
  // Where a header comes twice, `fetch` joins the values.
  const [, number] = /^(\d+(?:\.\d+)?)(?:,|$)/.exec(text) ?? []
  if (!number) return undefined
  // A number with hundreds of digits would become Infinity and break later arithmetic.
  return Math.min(Number(number), LONGEST)
}

function parseHttpDate(text: string, now: number): number | undefined {
  const [date, , , year, , zone] = HTTP_DATE.exec(text) ?? []
  const time = Date.parse(zone ? text : `${date} GMT`)
  if (Number.isNaN(time)) return undefined
  // A two-digit year belongs to the century that brings it nearest to now.
  return year?.length === 2 ? time + Math.round((now - time) / CENTURY_MS) * CENTURY_MS : time
}
