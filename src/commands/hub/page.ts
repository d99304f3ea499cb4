import { formatDuration } from '../../text/duration.ts'
import { formatTime } from '../../text/local-time.ts'
import { htmlPage, htmlTable, section, total } from '../_page.ts'
import {
  channelsOf,
  type HubStatus,
  sessionCells,
  standstills,
  type WaitingSession,
} from './text.ts'

const REFRESH_SECONDS = 10
const MAX_ROWS = 100

/** Renders what `hub status` and `hub sessions` show as one page that loads no resources and refreshes itself. */
export function hubPage(
  status: HubStatus,
  sessions: readonly WaitingSession[],
  now: number,
): string {
  const subtitle = `as of ${formatTime(now)}; looks again every ${REFRESH_SECONDS} seconds`
  const sections = [
    totals(status, sessions, now),
    section('Who waits for an answer', sessionTable(sessions, now)),
    section('Destinations', destinationTable(status, now)),
    reasons(status),
    failures(status),
  ]
  return htmlPage('hookbell hub', subtitle, sections, { refreshSeconds: REFRESH_SECONDS })
}

function totals(
  { inbox, destinations, counts }: HubStatus,
  [first, ...others]: readonly WaitingSession[],
  now: number,
): string {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  const waiting = inbox + sum(destinations.map((one) => one.waiting))
  const figures: [string | number, string][] = [
    [first ? others.length + 1 : 0, 'sessions wait'],
    [first ? formatDuration(Math.max(0, now - first.since)) : '-', 'longest wait'],
    [waiting, 'messages wait'],
    [sum(destinations.map((one) => one.endedInLastHour)), 'in the last hour'],
    [sum(destinations.map((one) => one.dead)), 'dead'],
    [counts.refused ?? 0, 'refused'],
  ]
  const all = figures.map(([value, label]) => total(String(value), label))
  return `<section class="totals">${all.join('')}</section>`
}

function sessionTable(sessions: readonly WaitingSession[], now: number): string {
  if (sessions.length === 0) return '<p>Nobody waits.</p>'
  const rows = sessions.slice(0, MAX_ROWS).map((one) => sessionCells(one, now))
  return htmlTable(['has waited', 'machine', 'project', 'session', 'kind', 'what'], rows, 'words')
}

function destinationTable({ destinations }: HubStatus, now: number): string {
  const head = ['channels', 'waiting', 'questions', 'last hour', 'dead', 'oldest', 'paused for']
  const rows = destinations.map((one) => [
    channelsOf(one),
    ...[one.waiting, one.questions, one.endedInLastHour, one.dead],
    one.oldest === null ? '-' : formatDuration(Math.max(0, now - one.oldest)),
    one.restMs > 1000 ? formatDuration(one.restMs) : '-',
  ])
  return htmlTable(head, rows)
}

function reasons(status: HubStatus): string {
  const rows = standstills(status).map((one) => [one])
  return rows.length === 0 ? '' : section('Why messages wait', htmlTable(['what'], rows, 'words'))
}

function failures({ destinations, lastRefused }: HubStatus): string {
  const rows = destinations.flatMap((one) =>
    one.deadBecause.map(({ reason, count }) => [channelsOf(one), count, reason]),
  )
  if (lastRefused) rows.push(['refused', 'last', lastRefused.why])
  if (rows.length === 0) return ''
  return section(
    'What failed',
    htmlTable(['channels', 'messages', 'reason'], rows.slice(0, MAX_ROWS), 'words'),
  )
}
