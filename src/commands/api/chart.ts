const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** One character per value, higher for more; a blank for nothing. Long series are averaged down to `width`. */
export function sparkline(values: readonly number[], width: number): string {
  const points = shrink(values, width)
  const most = Math.max(...points, 0)
  return points
    .map((value) => {
      if (!(value > 0)) return ' '
      return LEVELS[Math.min(LEVELS.length - 1, Math.floor((value / most) * LEVELS.length))]
    })
    .join('')
}

/** A bar of up to `width` characters for a share between 0 and 1; never empty for a share above 0. */
export function bar(share: number, width: number): string {
  if (!(share > 0)) return ''
  const eighths = Math.max(1, Math.round(Math.min(1, share) * width * EIGHTHS.length))
  return '█'.repeat(Math.floor(eighths / EIGHTHS.length)) + EIGHTHS[eighths % EIGHTHS.length]
}

const compact = new Intl.NumberFormat('en', {
  notation: 'compact',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** `1234567` as `1.2M`, `12.34` as `12.3`. */
export function shortNumber(value: number): string {
  const rounded = value < 100 ? Math.round(value * 10) / 10 : Math.round(value)
  return rounded < 1000 ? String(rounded) : compact.format(rounded)
}

/** A part of a whole in percent; `<1%` instead of `0%` for a part above 0. */
export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (part / whole) * 100 : 0
  return share > 0 && share < 1 ? '<1%' : `${Math.round(share)}%`
}

function shrink(values: readonly number[], width: number): number[] {
  if (values.length <= width) return [...values]
  return Array.from({ length: width }, (_, at) => {
    const start = Math.floor((at * values.length) / width)
    const end = Math.floor(((at + 1) * values.length) / width)
    const part = values.slice(start, end)
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}
