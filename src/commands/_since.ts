import { usageError } from '../errors.ts'

const unitMs: { [unit: string]: number } = { s: 1000, m: 60_000, h: 3600_000, d: 86_400_000 }

/** `30m`, `2h`, `7d`, `1h30m` in milliseconds; undefined for anything else, and for no time at all. */
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
 * The moment that `--since` means, Unix ms: so long before now, or a date, at midnight unless it has a time of day.
 * The clock of this machine counts where the date names no zone.
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
  // February 30 would be a day in March.
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
