import { displayWidth } from '../text/width.ts'

/** With fewer columns than this nothing is wrapped: each line would hold a single word. */
const LEAST_COLUMNS = 20

/** Wraps long lines between words. @param hanging columns by which continuation lines are indented further */
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

/** Breaks only at spaces: a path stays whole, so that it can be copied. */
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
