import { write } from '../../cli/output.ts'
import { usageError } from '../../errors.ts'

/** Most changes come without a notice, such as a process that is killed. */
const LOOK_EVERY_MS = 1000
/** Another screen, no cursor, and no line that goes on in the next one. */
const OPEN = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const CLOSE = '\x1b[?7h\x1b[?25h\x1b[?1049l'
const FOOT = 'q ends'
/** In raw mode, Ctrl+C and Ctrl+D are keys. */
const ENDS = ['q', 'Q', '\x03', '\x04']

/** Shows a page on the terminal, always as it is now, until a person presses q or Ctrl+C. Draws only what is new. */
export async function watchSessions(pageAt: (now: number) => Promise<string>): Promise<void> {
  const { stdin, stdout } = process
  if (!stdout.isTTY) throw usageError('sessions: --watch needs a terminal')
  let shown = ''
  const draw = (page: string) => {
    const frame = frameOf(page, stdout.rows)
    if (frame !== shown) write(frame)
    shown = frame
  }
  let page = await pageAt(Date.now())
  write(OPEN)
  try {
    draw(page)
    stdout.on('resize', () => draw(page))
    const end = untilEnd(stdin)
    while (!(await Promise.race([end, pause()]))) {
      page = await pageAt(Date.now())
      draw(page)
    }
  } finally {
    write(CLOSE)
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.pause()
  }
}

function pause(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), LOOK_EVERY_MS))
}

async function untilEnd(stdin: NodeJS.ReadStream): Promise<true> {
  return await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve(true))
    if (!stdin.isTTY) return
    // Without it, a key would arrive only with Enter.
    stdin.setRawMode(true)
    stdin.on('data', (keys) => {
      if (ENDS.some((key) => String(keys).includes(key))) resolve(true)
    })
  })
}

/** The page from the top of the screen; what does not fit is counted. */
function frameOf(page: string, rows: number): string {
  const lines = page.split('\n')
  const room = Math.max(rows - 2, 1)
  const left = lines.length - room
  const seen = left > 0 ? [...lines.slice(0, room - 1), `... ${left + 1} more lines`] : lines
  return `\x1b[H${[...seen, '', FOOT].map((line) => `${line}\x1b[K`).join('\n')}\x1b[J`
}
