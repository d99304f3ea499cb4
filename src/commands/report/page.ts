import type { Report, TurnRow, WaitRow } from '../../report/report.ts'
import { formatTime } from '../../text/local-time.ts'
import { chartByDay, chartOfShares, MOST_ROWS } from '../_charts.ts'
import { htmlPage, htmlTable, section, total } from '../_page.ts'
import { shortNumber } from '../api/chart.ts'
import { duration } from './text.ts'

/** Renders a report as one page that loads no resources. */
export function reportPage(report: Report): string {
  const { from, to, days, waits, answers, places, turns, channels, suppressed } = report
  const dates = days.map(({ date }) => date.slice(5))
  const perDay = [
    { name: 'messages', type: 'bar' as const, values: days.map(({ messages }) => messages) },
    { name: 'events not told', type: 'bar' as const, values: days.map((day) => day.notTold) },
  ]
  const messages = channels.map(({ name, messages: count }) => ({ name, count }))
  return htmlPage('How long agents waited', `${formatTime(from)} to ${formatTime(to)}`, [
    totals(report),
    chart('Median wait for a person, by project and kind', medians(waits), duration),
    chart('Answered', answers),
    chart('Answered from', places.length > 1 ? places : []),
    days.length > 0 ? section('By day', chartByDay(dates, perDay)) : '',
    chart('Messages by channel', messages),
    chart('Not told, by rule or reason (each channel counts)', suppressed),
    waits.length > 0 ? section('All waits', waitTable(waits)) : '',
    turns.length > 0 ? section('All turns', turnTable(turns)) : '',
    channels.length > 0 ? section('All channels', channelTable(channels)) : '',
  ])
}

function medians(waits: readonly WaitRow[]) {
  const all = waits.flatMap(({ project, kind, medianMs }) =>
    medianMs === null ? [] : [{ name: `${project || '-'}, ${kind}`, count: medianMs }],
  )
  // Cut here, because the chart would add up the rest as "others", and a sum of medians means nothing.
  return all.slice(0, MOST_ROWS)
}

function chart(
  title: string,
  counts: readonly { name: string; count: number }[],
  format: (value: number) => string = shortNumber,
): string {
  const some = counts.filter(({ count }) => count > 0)
  return some.length === 0 ? '' : section(title, chartOfShares(some, format))
}

function totals({ events, waits, channels, days }: Report): string {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  const figures: [number, string][] = [
    [events, 'events'],
    [sum(waits.map((row) => row.waits)), 'waits for a person'],
    [sum(waits.map(({ open }) => open)), 'still open'],
    [sum(channels.map(({ messages }) => messages)), 'messages'],
    [sum(days.map(({ notTold }) => notTold)), 'not told'],
    [sum(channels.map(({ failed }) => failed)), 'failed'],
  ]
  const all = figures.map(([value, label]) => total(shortNumber(value), label))
  return `<section class="totals">${all.join('')}</section>`
}

function waitTable(rows: readonly WaitRow[]): string {
  const head = ['project', 'kind', 'times', 'answered', 'open', 'median', '90 %', 'longest']
  const cells = rows.map(({ project, kind, waits, answered, open, ...row }) => [
    ...[project || '-', kind, waits, answered, open],
    ...[row.medianMs, row.p90Ms, row.longestMs].map(duration),
  ])
  return htmlTable(head, cells)
}

function turnTable(rows: readonly TurnRow[]): string {
  const head = ['project', 'times', 'median', 'worked at least']
  const cells = rows.map(({ project, turns, medianMs, medianWorkMs }) => {
    return [project || '-', turns, duration(medianMs), duration(medianWorkMs)]
  })
  return htmlTable(head, cells)
}

function channelTable(channels: Report['channels']): string {
  const head = ['channel', 'messages', 'events', 'retried', 'failed', 'unavailable']
  const cells = channels.map(({ name, ...use }) => {
    return [name, use.messages, use.events, use.retries, use.failed, use.unavailable]
  })
  return htmlTable(head, cells)
}
