import { displayWidth } from '../text/width.ts'
import { terminalWidth } from './terminal.ts'
import { wrapWords } from './wrap-text.ts'

/** If the last column would be narrower than this, it is not wrapped. */
const LEAST_COLUMNS = 20

/**
 * Aligns columns to their widest cell. On a terminal the last column is wrapped between words, and continues in its
 * own column. It is not padded.
 */
export function table(
  rows: readonly (readonly string[])[],
  columns: number | undefined = terminalWidth(),
): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.entries())
      widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell))
  }
  const pad = (cell: string, at: number) =>
    cell + ' '.repeat((widths[at] ?? 0) - displayWidth(cell))
  const showRow = (row: readonly string[]) => {
    const start = row
      .slice(0, -1)
      .map((cell, at) => `${pad(cell, at)}  `)
      .join('')
    const indent = displayWidth(start)
    const room =
      columns === undefined || columns - indent < LEAST_COLUMNS ? Infinity : columns - indent
    const [first = '', ...rest] = wrapWords(row.at(-1) ?? '', room)
    return [start + first, ...rest.map((line) => ' '.repeat(indent) + line)]
      .map((line) => line.trimEnd())
      .join('\n')
  }
  return rows.map(showRow).join('\n')
}
