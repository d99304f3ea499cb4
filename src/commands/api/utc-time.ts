/** Unix milliseconds as `2026-06-15 12:00:00Z`. A service may send anything: what is no time is `?`. */
export function utcTime(at: unknown): string {
  const date = new Date(typeof at === 'number' ? at : Number.NaN)
  return Number.isNaN(date.getTime())
    ? '?'
    : `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
