import { displayWidth } from './width.ts'

/** In a narrower rest of a line nothing is wrapped: there would be a word on each line. */
const LEAST_COLUMNS = 20

/** Breaks lines between words where they do not fit. They go on below themselves, indented by so many columns more. */
export function wrapText(text: string, columns = Infinity, hanging = 0): string {
  const wrap = (line: string) => {
    if (displayWidth(line) <= columns) return line
    const start = /^ */.exec(line)?.[0] ?? ''
    const rest = start + ' '.repeat(hanging)
    if (columns - rest.length < LEAST_COLUMNS) return line
    const [first = '', ...more] = wrapWords(line.slice(start.length), columns - rest.length)
    return [start + first, ...more.map((part) => rest + part)].join('\n')
  }
  return text.split('\n').map(wrap).join('\n')
}

/** Between words only: a path or a command stays whole, so that it can be copied. */
export function wrapWords(text: string, columns: number): string[] {
  if (displayWidth(text) <= columns) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > columns) {
      lines.push(line.trimEnd())
      line = word
    } else line = longer
  }
  return [...lines, line]
}
