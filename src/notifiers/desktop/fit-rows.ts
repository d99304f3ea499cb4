import { displayWidth } from '../../text/width.ts'

/** About what GNOME, KDE Plasma and mako show in a row with their usual fonts. */
const COLUMNS = 50

/**
 * Shortens a text to about so many rows of a desktop's notification, two at least, where long lines are wrapped. The
 * middle is left out: the end of a command, or of a list, may be what matters.
 */
export function fitRows(text: string, rows: number): string {
  const lines = text.split('\n')
  if (lines.reduce((sum, line) => sum + rowsOf(line), 0) <= rows) return text
  const all = lines.flatMap((line) => toRows(line, COLUMNS))
  const last = Math.max(1, Math.floor(rows * 0.4))
  const [start, end] = [all.slice(0, rows - last), all.slice(all.length - last)]
  const gap = end[0]?.startsLine === false ? '…' : ' …\n'
  return `${join(withRoom(start)).trimEnd()}${gap}${join(end)}`
}

/** The rows that a line takes. */
export function rowsOf(line: string): number {
  return Math.max(1, Math.ceil(displayWidth(line) / COLUMNS))
}

interface Row {
  text: string
  startsLine: boolean
}

function toRows(line: string, columns: number): Row[] {
  if (displayWidth(line) <= columns) return [{ text: line, startsLine: true }]
  const rows: Row[] = []
  let [text, width] = ['', 0]
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)) {
    const more = displayWidth(segment)
    if (width + more > columns) {
      rows.push({ text, startsLine: rows.length === 0 })
      ;[text, width] = ['', 0]
    }
    text += segment
    width += more
  }
  return [...rows, { text, startsLine: rows.length === 0 }]
}

/** The same rows; the last has room for the mark of the gap. */
function withRoom(rows: readonly Row[]): Row[] {
  return rows.map((row, at) =>
    at < rows.length - 1 ? row : { ...row, text: toRows(row.text, COLUMNS - 2)[0]?.text ?? '' },
  )
}

function join(rows: readonly Row[]): string {
  return rows
    .map(({ text, startsLine }, at) => (startsLine && at > 0 ? `\n${text}` : text))
    .join('')
}
