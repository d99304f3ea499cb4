/** How the app of a receiver looks, roughly: enough to see what a person reads there. */
interface App {
  name: string
  /** Behind the message, and on which the message lies. */
  backdrop: string
  card: string
  colours: { name: string; title: string; text: string; small: string; code: string }
}

const apps = {
  slack: {
    name: 'hookbell  APP',
    backdrop: '#d5d8dd',
    card: '#ffffff',
    colours: {
      name: '#1d1c1d',
      title: '#1d1c1d',
      text: '#1d1c1d',
      small: '#616061',
      code: '#f6f6f7',
    },
  },
  phone: {
    name: 'ntfy  ·  now',
    backdrop: '#27415f',
    card: '#f4f6fa',
    colours: {
      name: '#5d6673',
      title: '#15181d',
      text: '#2c313a',
      small: '#6b7280',
      code: '#e4e8ee',
    },
  },
} satisfies Record<string, App>

/** A part of a message. Code stands in a box, in a font of equal widths. */
export interface Part {
  style: 'title' | 'text' | 'code' | 'small'
  text: string
}

const WIDTH = 460
const MARGIN = 18
const LEFT = MARGIN + 56
const sizes = { title: 16, text: 14, code: 13, small: 12 }
const ADVANCE = { title: 8.6, text: 7.2, code: 7.8, small: 6.2 }

/** Draws a message as an app shows it, as an SVG of text and rectangles, without scripts and external resources. */
export function renderMessage(app: keyof typeof apps, parts: readonly Part[]): string {
  const { name, backdrop, card, colours } = apps[app]
  const drawn: string[] = []
  let y = MARGIN + 30
  for (const { style, text } of parts) {
    const lines = text.split('\n').flatMap((line) => wrap(line, ADVANCE[style]))
    const step = sizes[style] + 6
    if (style === 'code') {
      const height = lines.length * step + 10
      drawn.push(rectangle(LEFT, y + 6, WIDTH - LEFT - 2 * MARGIN, height, 4, colours.code))
      y += 8
    }
    for (const line of lines) {
      y += step
      const look = style === 'title' ? ' font-weight="bold"' : style === 'code' ? MONOSPACE : ''
      const fill = style === 'code' ? colours.text : colours[style]
      const x = style === 'code' ? LEFT + 8 : LEFT
      drawn.push(words(x, y, sizes[style], `fill="${fill}"${look}`, line))
    }
    y += style === 'code' ? 10 : 4
  }
  const height = y + 2 * MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`,
    '  font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif">',
    `<title>A message in ${app === 'slack' ? 'Slack' : 'an app on a phone'}</title>`,
    rectangle(0, 0, WIDTH, height, 14, backdrop),
    rectangle(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, height - MARGIN, 12, card),
    rectangle(MARGIN + 2, MARGIN + 4, 38, 38, 8, '#f0b429'),
    words(MARGIN + 11, MARGIN + 31, 22, '', '🔔'),
    words(LEFT, MARGIN + 18, 13, `fill="${colours.name}" font-weight="bold"`, name),
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

const MONOSPACE = ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"'

function rectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  round: number,
  fill: string,
) {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${fill}"/>`
}

function words(x: number, y: number, size: number, look: string, text: string) {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<text x="${x}" y="${y}" font-size="${size}" ${look} xml:space="preserve">${safe}</text>`
}

/** Breaks a line between words, by the usual width of a character. */
function wrap(line: string, advance: number): string[] {
  const columns = Math.floor((WIDTH - LEFT - 2 * MARGIN) / advance)
  const lines = ['']
  for (const word of line.split(' ')) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word
    if (longer.length <= columns) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
