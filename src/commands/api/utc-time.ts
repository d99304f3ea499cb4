/** Unix milliseconds as `2026-06-15 12:00:00Z`; `?` for anything else that a service sends. */
export function utcTime(at: unknown): string {
  const date = new Date(typeof at === 'number' ? at : Number.NaN)
  return Number.isNaN(date.getTime())
    ? '?'
    : `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
