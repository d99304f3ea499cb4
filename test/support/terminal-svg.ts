/** Draws the output of a terminal as an SVG of text and rectangles, without scripts and external resources. */
export function renderTerminal(text: string, columns = 88): string {
  const lines = text
    .trimEnd()
    .split(/\r?\n/)
    .flatMap((line) => wrapLine(line, columns))
  const [width, height] = [columns * CHARACTER + 2 * MARGIN, lines.length * LINE + 2 * MARGIN]
  const rows = lines.map((line, at) => {
    const y = MARGIN + at * LINE + 14
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${line.map(renderSpan).join('')}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="13" fill="#d6d9de">',
    '<title>What a terminal shows</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="#1b1e24"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n')
}

const CHARACTER = 7.9
const LINE = 19
const MARGIN = 16

interface Span {
  text: string
  style: string
}

const styles: { [code: string]: string } = {
  1: ' font-weight="bold"',
  2: ' fill="#8a919d"',
  31: ' fill="#ff7b72"',
  32: ' fill="#7ee787"',
  33: ' fill="#e3b341"',
  34: ' fill="#79c0ff"',
  36: ' fill="#76e3ea"',
}

/** Breaks a line at `columns` characters, also within words, as a terminal does. */
function wrapLine(line: string, columns: number): Span[][] {
  const rows: Span[][] = [[]]
  let column = 0
  for (const { text, style } of readSpans(line)) {
    for (let rest = text; rest !== ''; ) {
      if (column === columns) {
        rows.push([])
        column = 0
      }
      const part = rest.slice(0, columns - column)
      rows.at(-1)?.push({ text: part, style })
      column += part.length
      rest = rest.slice(part.length)
    }
  }
  return rows
}

function readSpans(line: string): Span[] {
  let style = ''
  return line.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
    if (!part.startsWith('\x1b')) return part === '' ? [] : [{ text: part, style }]
    style = part
      .slice(2, -1)
      .split(';')
      .map((code) => styles[code] ?? '')
      .join('')
    return []
  })
}

function renderSpan({ text, style }: Span): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return style === '' ? safe : `<tspan${style}>${safe}</tspan>`
}
