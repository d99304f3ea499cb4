// The three forms of RFC 9110, section 5.6.7. Date.parse alone takes nearly anything for a date, also "1.5".
const TIME = String.raw`\d{2}:\d{2}:\d{2}`
const HTTP_DATE = new RegExp(
  String.raw`^(?:\w{3,9}, \d{2}([ -])\w{3}\1(?:\d{4}|\d{2}) ${TIME} GMT|\w{3} \w{3} [ \d]\d ${TIME} \d{4})$`,
  'i',
)
const MAX_MS = 366 * 24 * 3_600_000

/** How long the receiver asks us to wait, in milliseconds; undefined without a valid header. */
export function parseRetryAfter(header: string | null | undefined, now = Date.now()) {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), MAX_MS)
  if (!HTTP_DATE.test(text)) return undefined
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), MAX_MS)
}
