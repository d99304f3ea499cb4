/** A message within this time counts as just happened. */
export const SOON_MS = 3 * 60_000

/** `2 h ago`, rounded down; '' if it has just happened, or if `at` is NaN. */
export function ageInWords(at: number, now: number): string {
  const ms = now - at
  if (!(ms >= SOON_MS)) return ''
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}
