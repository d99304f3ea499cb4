const unitMs: { [unit: string]: number } = { s: 1000, m: 60_000, h: 3600_000, d: 86_400_000 }

/** `90s`, `2m`, `1h30m`, `1d` in ms; undefined for anything else, and for a duration of zero. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,4}[smhd])+$/.test(text)) return undefined
  const parts = text.match(/\d+[smhd]/g) ?? []
  const ms = parts.reduce(
    (sum, part) => sum + Number(part.slice(0, -1)) * (unitMs[part.slice(-1)] ?? 0),
    0,
  )
  return ms > 0 ? ms : undefined
}

/** `45 s`, `4 min`, `1 h 5 min`. Rounded: nobody plans by seconds after the first minute. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const rest = minutes % 60
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`
}
