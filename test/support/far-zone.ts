import { formatTime } from '../../src/text/local-time.ts'

const HOUR_MS = 3_600_000

/**
 * Quiet hours that are not now by the clock of this machine, but are by that of a time zone ten hours away.
 * @returns the configuration, and the TZ of that zone
 */
export function quietHoursElsewhere() {
  const now = Date.now()
  const at = (hours: number) => formatTime(now + hours * HOUR_MS).slice(-5)
  const offset = Math.round(-new Date(now).getTimezoneOffset() / 60)
  const far = offset + 10 > 14 ? offset - 14 : offset + 10
  // The names of these zones count to the west.
  const TZ = `Etc/GMT${far < 0 ? '+' : '-'}${Math.abs(far)}`
  return { noise: { quietHours: [{ from: at(8), to: at(13) }], minSeconds: 0 }, TZ }
}
