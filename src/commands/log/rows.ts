import { paint, table, terminalWidth } from '../../cli/output.ts'
import { type EventStatus, isWaitingToSend, type Outcome } from '../../journal/history.ts'
import { cleanText, cutText, oneLine } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import { formatSecond } from '../../text/local-time.ts'
import { shortSession } from '../../text/short-session.ts'
import { displayWidth } from '../../text/width.ts'
import { eventTitle } from '../_events.ts'
import { questionEndInWords } from '../_question-end.ts'

const styles = {
  delivered: 'green',
  suppressed: 'dim',
  undelivered: 'red',
  dead: 'red',
  waiting: 'yellow',
} as const
const MOST_TEXT = 100
const LEAST_TEXT = 30
/** Where it went, or why not, gets at least this much of a line. */
const WHERE = 24
/** On a terminal of at most this many columns, an event takes several lines. */
const NARROW = 99
/** Columns of a line that a program reads, or a page shows. */
const PIPED = 120
/** Number of cells in the first of these lines: time, id, outcome, client and session. */
const HEAD = 4

export function paintOutcome(outcome: Outcome): string {
  return paint(styles[outcome], outcome)
}

/** One line per event, or several on a narrow terminal. */
export function renderList(list: readonly EventStatus[]): string {
  const rows = list.map(rowOf)
  const width = terminalWidth()
  if (width === undefined) {
    const lines = table(withRoom(rows, PIPED)).split('\n')
    return lines.map((line) => cutColumns(line, PIPED)).join('\n')
  }
  if (width > NARROW) return table(withRoom(rows, width))
  const heads = table(rows.map((row) => row.slice(0, HEAD))).split('\n')
  return heads
    .flatMap((head, at) => [head, ...(rows[at] ?? []).slice(HEAD).map((text) => `  ${text}`)])
    .join('\n')
}

/** Cuts to so many columns, of which a character may take two. */
function cutColumns(line: string, columns: number): string {
  const over = displayWidth(line) - columns
  return over <= 0 ? line : cutColumns(cutText(line, line.length - over), columns)
}

/** The cells of one event: the text as it was sent, and where it went or why not. */
function rowOf(status: EventStatus): string[] {
  const { id, acceptedAt, text, reason, channels, outcome, client } = status
  const where = Object.entries(channels).map(([name, { state, detail }]) => {
    if (state === 'delivered') return name
    return `${name} (${state === 'suppressed' ? detail : state})`
  })
  const title = eventTitle(status)
  const who = title.toLowerCase().startsWith(client) ? '' : client
  return [
    paint('dim', formatSecond(acceptedAt)),
    paint('dim', id.slice(0, 8)),
    paintOutcome(outcome),
    [who, shortSession(status.sessionId)].filter(Boolean).join(' '),
    cutText([title, text].map(oneLine).filter(Boolean).join(' · '), MOST_TEXT),
    oneLine((outcome === 'suppressed' && reason) || where.join(', ') || reason),
  ]
}

/** The same rows with the text cut to what the other cells leave of a line. */
function withRoom(rows: readonly string[][], width: number): string[][] {
  const widest = (at: number) => Math.max(0, ...rows.map((row) => displayWidth(row[at] ?? '')))
  const before = [0, 1, 2, 3].reduce((sum, at) => sum + widest(at) + 2, 0)
  const room = width - before - 2 - Math.min(WHERE, widest(HEAD + 1))
  const most = Math.max(LEAST_TEXT, Math.min(MOST_TEXT, room))
  return rows.map((row) => row.with(HEAD, cutText(row[HEAD] ?? '', most)))
}

/** All that is known of one event, including the whole stored text. */
export function detailsOf(status: EventStatus): string {
  const { id, channels, reason, problems, sessionId, kind, project, text, answer } = status
  const lines = [`id       ${id}`, `kind     ${kind}`, `session  ${sessionId || '-'}`]
  if (project) lines.push(`project  ${project}`)
  if (reason) lines.push(`reason   ${reason}`)
  if (answer) lines.push(`answer   ${questionEndInWords(answer, status.acceptedAt)}`)
  for (const problem of problems) lines.push(`problem  ${problem}`)
  for (const [name, { state, attempts, detail, at }] of Object.entries(channels)) {
    const when = isWaitingToSend(state) ? `, next try ${formatSecond(at)}` : ''
    const tries = counted(attempts, 'attempt')
    lines.push(`${name}: ${state} (${tries}${when}): ${detail}`)
  }
  if (text) lines.push('', ...text.split('\n').map((line) => `  ${line}`))
  return cleanText(lines.join('\n'))
}
