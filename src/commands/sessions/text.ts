import type { Known } from '../../board/board.ts'
import { paint, table, terminalWidth } from '../../cli/output.ts'
import { findClient } from '../../clients/index.ts'
import { cutText, escapeControls, oneLine } from '../../text/clean.ts'
import { shortSession } from '../../text/short-session.ts'
import { displayWidth } from '../../text/width.ts'

const looks = {
  asks: ['asks you', 'red'],
  still: ['stands still', 'yellow'],
  failed: ['failed', 'red'],
  done: ['is done', 'green'],
  works: ['works', undefined],
  ended: ['ended', 'dim'],
} as const
/** Columns of a line that a program reads. */
const PIPED = 120
const MAX_PROJECT = 24
/** What is left of the names of a project and its branch on a narrow terminal. */
const MIN_PROJECT = 12
const MAX_NAME = 40

export type Row = ReturnType<typeof asRow>

/** A session as JSON has it. Times are Unix ms. */
export function asRow({ client, sessionId, state, since, because, session }: Known, host: string) {
  const { seen, latestAt } = session
  const { project = '', branch, name, said, surface, isOverSsh } = seen ?? {}
  const { terminal, pane, job } = seen?.place ?? {}
  return {
    client,
    agent: findClient(client)?.title ?? client,
    session: sessionId,
    ...(name && { name }),
    project,
    ...(branch && { branch }),
    state,
    since,
    ...(because && { because }),
    ...(said && state !== 'works' && { says: said }),
    latest: latestAt,
    where: {
      host,
      ...(pane && { tmux: pane }),
      ...(terminal && { terminal }),
      ...(surface && { surface }),
      ...(isOverSsh && { ssh: true }),
      ...(job && { pid: job.pid }),
    },
  }
}

/** Two lines for each session: what it does, and what it says. */
export function describeSessions(rows: readonly Row[], now: number): string {
  const width = terminalWidth() ?? PIPED
  const cells = rows.map((row) => headOf(row, now))
  const taken = Math.max(...cells.map((row) => widthOf(row) - displayWidth(row[PROJECT] ?? '')))
  const room = Math.max(width - taken, MIN_PROJECT)
  const heads = table(
    cells.map((row) => row.map((cell, at) => (at === PROJECT ? cutText(cell, room) : cell))),
    // One line each, whatever fits.
    Number.POSITIVE_INFINITY,
  ).split('\n')
  return rows
    .flatMap((row, at) => {
      const text = textOf(row, Math.min(Math.floor(width / 3), MAX_NAME))
      return [heads[at] ?? '', ...(text ? [`  ${cutText(text, width - 2)}`] : [])]
    })
    .join('\n')
}

/** Which cell of a line has the project. */
const PROJECT = 2

function widthOf(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + displayWidth(cell) + 2, -2)
}

function headOf(row: Row, now: number): string[] {
  const [words, style] = looks[row.state]
  const { project, branch, agent, session } = row
  const shown = cutText(shownAs(project) || shortSession(session), MAX_PROJECT)
  return [
    style ? paint(style, words) : words,
    duration(now - row.since),
    // The name of a work tree has it already.
    branch && !shown.endsWith(`(${branch})`)
      ? `${shown} (${cutText(shownAs(branch), MAX_PROJECT)})`
      : shown,
    agent,
    placeOf(row),
  ]
}

/** What it is about, and what it asks or said. */
function textOf({ state, says, name, because }: Row, maxName: number): string {
  const title = name && shownAs(name)
  const said = state !== 'works' && says ? shownAs(says) : undefined
  const about = said && title ? `${cutText(title, maxName)} · ${said}` : (said ?? title)
  return [because, about].filter(Boolean).join(': ')
}

function placeOf({ where: { tmux, terminal, surface, ssh } }: Row): string {
  const place = tmux ? `tmux ${tmux}` : (terminal?.replace('/dev/', '') ?? surface ?? '')
  return ssh ? `${place} by ssh`.trim() : place
}

function shownAs(text: string): string {
  return escapeControls(oneLine(text))
}

/** `now`, `5 min`, `2 h`, rounded down. */
function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'now'
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}
