import type { ResponseHeaders } from './transport.ts'

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const TIME = String.raw`(\d{2}):(\d{2}):(\d{2})`
// The three forms of RFC 9110, section 5.6.7; the older two have no time zone or a two-digit year.
const FIXDATE = new RegExp(String.raw`^\w{3}, (\d{2}) (\w{3}) (\d{4}) ${TIME} GMT$`, 'i')
const RFC850 = new RegExp(String.raw`^\w{6,9}, (\d{2})-(\w{3})-(\d{2}) ${TIME} GMT$`, 'i')
const ASCTIME = new RegExp(String.raw`^\w{3} (\w{3}) ([ \d]\d) ${TIME} (\d{4})$`, 'i')

/**
 * How long the server wants to be left alone, in milliseconds, or undefined if it says nothing that
 * can be understood. A date that has passed means 0.
 */
export function parseRetryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const precise = parseNumber(first(headers['retry-after-ms']))
  if (precise !== undefined) return precise
  const text = first(headers['retry-after'])
  const seconds = parseNumber(text)
  if (seconds !== undefined) return seconds * 1000
  const date = text === undefined ? undefined : parseHttpDate(text, now)
  return date === undefined ? undefined : Math.max(0, date - now)
}

function first(value: ResponseHeaders[string]): string | undefined {
  return (typeof value === 'string' ? value : value?.[0])?.trim()
}

function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+(\.\d+)?$/.test(text)) return undefined
  // A number with hundreds of digits is Infinity, which no arithmetic survives.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

function parseHttpDate(text: string, now: number): number | undefined {
  const fix = FIXDATE.exec(text)
  if (fix) return makeDate(fix[3], fix[2], fix[1], fix.slice(4))
  const old = RFC850.exec(text)
  if (old) return makeDate(fullYear(Number(old[3]), now), old[2], old[1], old.slice(4))
  const c = ASCTIME.exec(text)
  return c ? makeDate(c[6], c[1], c[2], c.slice(3, 6)) : undefined
}

/** A year that looks more than 50 years ahead belongs to the century before. */
function fullYear(twoDigits: number, now: number): number {
  const current = new Date(now).getUTCFullYear()
  const year = current - (current % 100) + twoDigits
  return year > current + 50 ? year - 100 : year
}

function makeDate(year = NaN as number | string, month = '', day = '', time: string[] = []) {
  const index = MONTHS.indexOf(month.toLowerCase())
  const [hour = NaN, minute = NaN, second = NaN] = time.map(Number)
  if (index < 0 || hour > 23 || minute > 59 || second > 60) return undefined
  return Date.UTC(Number(year), index, Number(day), hour, minute, second)
}
