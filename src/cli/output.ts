import { styleText } from 'node:util'
import { displayWidth } from './width.ts'

type Style = Parameters<typeof styleText>[0]

/** Colours only where a person looks at a terminal. https://no-color.org */
export function hasColour(stream: NodeJS.WriteStream = process.stdout): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

export function paint(style: Style, text: string): string {
  return hasColour() ? styleText(style, text) : text
}

export function print(text: string) {
  process.stdout.write(`${text}\n`)
}

export function printJson(value: unknown) {
  print(JSON.stringify(value, null, 2))
}

/** Columns of the terminal a person looks at; undefined for a pipe or a file. */
export function terminalWidth(): number | undefined {
  return (process.stdout.isTTY && process.stdout.columns) || undefined
}

/** Columns as wide as their widest cell; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.entries())
      widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell))
  }
  const pad = (cell: string, at: number) =>
    cell + ' '.repeat((widths[at] ?? 0) - displayWidth(cell))
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

/** `just now`, `5 min ago`, `2 h ago`, then the date. */
export function ago(at: number, now = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return new Date(at).toISOString().slice(0, 10)
}
