import { usageError } from '../errors.ts'
import { parseDuration } from '../text/duration.ts'
import { formatDate } from '../text/local-time.ts'

const DAY_MS = 86_400_000

/**
 * Parses `--since` to Unix ms: a duration before now, or a date, at midnight unless it has a time of day.
 * A date without a zone is in local time.
 * @throws HookbellError E_USAGE
 */
export function sinceTime(text: string, command: string, now = Date.now()): number {
  const ms = parseDuration(text)
  const at = ms === undefined ? dateTime(text) : now - ms
  if (at !== undefined && at <= now) return at
  const what = at === undefined ? 'takes a duration or a date' : 'takes a time that is over'
  const examples = ['2h', '7d', formatDate(now - DAY_MS)]
  throw usageError(
    `${command}: --since ${what}, not "${text}"`,
    `Such as: ${examples.map((one) => `--since ${one}`).join(', ')}`,
  )
}

function dateTime(text: string): number | undefined {
  const [, year, month, day, time] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text) ?? []
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  // Date turns February 30 into a day in March.
  if (formatDate(date.getTime()) !== text.slice(0, 10)) return undefined
  const at = time ? Date.parse(`${text.slice(0, 10)}T${time}`) : date.getTime()
  return Number.isNaN(at) ? undefined : at
}
