import { paint, table } from '../../cli/output.ts'
import type { Count, Report, TurnRow, WaitRow } from '../../report/report.ts'
import { cutText, oneLine } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import { formatDuration } from '../../text/duration.ts'
import { formatTime } from '../../text/local-time.ts'
import { bar, percent } from '../api/chart.ts'

const STANDARD_WIDTH = 80
const MOST_BAR = 30
const LEAST_BAR = 8
const MOST_NAME = 40
const MOST_ROWS = 10

/** A screenful: who waited how long, how fast a person answered, what the channels carried, and what was left out. */
export function renderReport(report: Report, width = STANDARD_WIDTH): string {
  const { from, to, events, waits, answers, places, turns, channels, suppressed } = report
  const head = `${counted(events, 'event')} from ${formatTime(from)} to ${formatTime(to)}`
  if (events === 0) return head
  const answered = answers.some(({ count }) => count > 0) ? answers : []
  return [
    paint('bold', head),
    ...block('waited for a person', waitTable(waits, width)),
    ...block('answered', countTable(answered, width)),
    // One place is no news.
    ...block('answered from', places.length > 1 ? countTable(places, width) : ''),
    ...block('turns', turnTable(turns)),
    ...block('channels', channelTable(channels)),
    ...block('not told (each channel counts)', countTable(suppressed, width)),
  ].join('\n')
}

function block(title: string, content: string): string[] {
  return content === '' ? [] : ['', paint('bold', title), content]
}

export function duration(ms: number | null): string {
  return ms === null ? '-' : formatDuration(ms)
}

function waitTable(rows: readonly WaitRow[], width: number): string {
  if (rows.length === 0) return ''
  const most = Math.max(1, ...rows.map(({ medianMs }) => medianMs ?? 0))
  const names = rows.slice(0, MOST_ROWS).map(({ project }) => name(project || '-'))
  const beside = Math.max(...names.map(({ length }) => length)) + 64
  const room = barRoom(width - beside)
  const lines = rows
    .slice(0, MOST_ROWS)
    .map((row, index) => [
      `  ${names[index]}`,
      row.kind,
      `${row.waits}`,
      ...[row.medianMs, row.p90Ms, row.longestMs].map(duration),
      row.open > 0 ? `${row.open} open` : '',
      paint('cyan', bar((row.medianMs ?? 0) / most, room)),
    ])
  const head = ['  project', 'kind', 'times', 'median', '90 %', 'longest', '', '']
  return table([head.map((cell) => paint('dim', cell)), ...lines])
}

function countTable(counts: readonly Count[], width: number): string {
  if (counts.length === 0) return ''
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  const shown = counts.slice(0, MOST_ROWS)
  const most = Math.max(1, ...shown.map(({ count }) => count))
  const names = shown.map((one) => name(one.name))
  const room = barRoom(width - Math.max(...names.map(({ length }) => length)) - 20)
  const lines = shown.map(({ count }, index) => [
    `  ${names[index]}`,
    `${count}`.padStart(6),
    percent(count, all).padStart(4),
    paint('cyan', bar(count / most, room)),
  ])
  return table(lines)
}

function barRoom(width: number): number {
  return Math.max(LEAST_BAR, Math.min(MOST_BAR, width))
}

function name(text: string): string {
  return cutText(oneLine(text), MOST_NAME)
}

function turnTable(rows: readonly TurnRow[]): string {
  if (rows.length === 0) return ''
  const lines = rows
    .slice(0, MOST_ROWS)
    .map(({ project, turns, medianMs, medianWorkMs }) => [
      `  ${name(project || '-')}`,
      `${turns}`,
      duration(medianMs),
      duration(medianWorkMs),
    ])
  const head = ['  project', 'times', 'median', 'worked at least']
  return table([head.map((cell) => paint('dim', cell)), ...lines])
}

function channelTable(channels: Report['channels']): string {
  if (channels.length === 0) return ''
  const lines = channels.map((one) => [
    `  ${one.name}`,
    ...[one.messages, one.events, one.retries, one.failed, one.unavailable].map(String),
  ])
  const head = ['  channel', 'messages', 'events', 'retried', 'failed', 'unavailable']
  return table([head.map((cell) => paint('dim', cell)), ...lines])
}
