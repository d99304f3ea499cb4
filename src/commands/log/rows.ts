import { paint, table, terminalWidth } from '../../cli/output.ts'
import { type EventStatus, isParked, type Outcome } from '../../journal/history.ts'
import { cleanText, cutText, oneLine } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import { formatSecond } from '../../text/local-time.ts'
import { shortSession } from '../../text/short-session.ts'
import { eventTitle } from '../_event-title.ts'
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
/** Columns that the rest of most lines takes: time, id, outcome, client, session and channel. */
const BESIDE_TEXT = 79
/** On a terminal of at most this many columns, an event takes several lines. */
const NARROW = 99
/** Number of cells in the first of these lines: time, id, outcome, client and session. */
const HEAD = 4

export function paintOutcome(outcome: Outcome): string {
  return paint(styles[outcome], outcome)
}

/** One line per event, or several on a narrow terminal. */
export function renderList(list: readonly EventStatus[]): string {
  const rows = list.map(rowOf)
  if ((terminalWidth() ?? Infinity) > NARROW) return table(rows)
  const heads = table(rows.map((row) => row.slice(0, HEAD))).split('\n')
  return heads
    .flatMap((head, at) => [head, ...(rows[at] ?? []).slice(HEAD).map((text) => `  ${text}`)])
    .join('\n')
}

/** The cells of one event: the text as it was sent, cut to the available width, and where it went or why not. */
function rowOf(status: EventStatus): string[] {
  const { id, acceptedAt, text, reason, channels, outcome, client } = status
  const session = shortSession(status.sessionId)
  const where = Object.entries(channels).map(([name, { state, detail }]) => {
    if (state === 'delivered') return name
    return `${name} (${state === 'suppressed' ? detail : state})`
  })
  const said = [eventTitle(status), text].map(oneLine).filter(Boolean).join(' · ')
  return [
    paint('dim', formatSecond(acceptedAt)),
    paint('dim', id.slice(0, 8)),
    paintOutcome(outcome),
    session ? `${client} ${session}` : client,
    cutText(said, roomForText()),
    oneLine((outcome === 'suppressed' && reason) || where.join(', ') || reason),
  ]
}

function roomForText(): number {
  const width = terminalWidth()
  if (width === undefined || width <= NARROW) return MOST_TEXT
  return Math.max(LEAST_TEXT, Math.min(MOST_TEXT, width - BESIDE_TEXT))
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
    const when = isParked(state) ? `, next try ${formatSecond(at)}` : ''
    const tries = counted(attempts, 'attempt')
    lines.push(`${name}: ${state} (${tries}${when}): ${detail}`)
  }
  if (text) lines.push('', ...text.split('\n').map((line) => `  ${line}`))
  return cleanText(lines.join('\n'))
}
