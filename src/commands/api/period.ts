/** Days as `YYYY-MM-DD` in UTC, oldest first. */
export interface Period {
  startDate: string
  endDate: string
  days: readonly string[]
}

const DAY = 86_400_000

/** The last days that the service has figures for. It is one day behind, so they end yesterday. */
export function lastDays(count: number, now: number): Period {
  const end = Math.floor(now / DAY) * DAY - DAY
  const days = Array.from({ length: count }, (_, at) => dayOf(end - (count - 1 - at) * DAY))
  return { startDate: days[0] ?? dayOf(end), endDate: dayOf(end), days }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
