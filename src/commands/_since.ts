import { usageError } from '../errors.ts'

const unitMs: { [unit: string]: number } = { s: 1000, m: 60_000, h: 3600_000, d: 86_400_000 }

/** Parses `30m`, `2h`, `7d` or `1h30m` to milliseconds; undefined for anything else, and for zero. */
export function durationMs(text: string): number | undefined {
  if (!/^(\d{1,4}[smhd])+$/.test(text)) return undefined
  const parts = text.match(/\d+[smhd]/g) ?? []
  const ms = parts.reduce(
    (sum, part) => sum + Number(part.slice(0, -1)) * (unitMs[part.slice(-1)] ?? 0),
    0,
  )
  return ms > 0 ? ms : undefined
}

/**
 * Parses `--since` to Unix ms: a duration before now, or a date, at midnight unless it has a time of day.
 * A date without a zone is in local time.
 * @throws HookbellError E_USAGE
 */
export function sinceTime(text: string, command: string, now = Date.now()): number {
  const ms = durationMs(text)
  const at = ms === undefined ? dateTime(text) : now - ms
  if (at !== undefined && at <= now) return at
  const what = at === undefined ? 'takes a duration or a date' : 'takes a time that is over'
  const examples = ['2h', '7d', dateOf(now - (unitMs.d ?? 0))]
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
  if (dateOf(date.getTime()) !== text.slice(0, 10)) return undefined
  const at = time ? Date.parse(`${text.slice(0, 10)}T${time}`) : date.getTime()
  return Number.isNaN(at) ? undefined : at
}

function dateOf(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(at)) return ''
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}
