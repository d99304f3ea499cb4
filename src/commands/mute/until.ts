import { usageError } from '../../errors.ts'
import { parseDuration } from '../../text/duration.ts'

const HOUR_MS = 3_600_000

/**
 * Parses when a mute ends, Unix ms; 0 for never. Takes `30m`, `2h`, `1d`, `1h30m`, `until 9:00`, which means the next time
 * that the clock shows 9:00, and `until unmute`. Without a time it is an hour: a mute that is forgotten must end.
 * @throws HookbellError E_USAGE
 */
export function muteUntil(words: readonly string[], now: Date): number {
  const [first, second] = words
  if (first === undefined) return now.getTime() + HOUR_MS
  if (first === 'until' && second === 'unmute') return 0
  const until = first === 'until' ? nextTime(second ?? '', now) : afterDuration(first, now)
  if (until !== undefined && (first === 'until' || second === undefined)) return until
  throw usageError(
    `mute: "${words.join(' ')}" is not a time`,
    'Such as: hookbell mute 2h, hookbell mute until 9:00, or: hookbell mute until unmute',
  )
}

function afterDuration(text: string, now: Date): number | undefined {
  const ms = parseDuration(text)
  return ms === undefined ? undefined : now.getTime() + ms
}

/** In local time, so that it is also right on the days on which summer time begins or ends. */
function nextTime(text: string, now: Date): number | undefined {
  const [, hours, minutes = '0'] = /^([01]?\d|2[0-3])(?::([0-5]\d))?$/.exec(text) ?? []
  if (hours === undefined) return undefined
  const at = new Date(now)
  at.setHours(Number(hours), Number(minutes), 0, 0)
  if (at <= now) at.setDate(at.getDate() + 1)
  return at.getTime()
}
