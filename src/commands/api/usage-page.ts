import { chartByDay, chartOfShares } from '../_charts.ts'
import { htmlPage, htmlTable, section, total } from '../_page.ts'
import { shortNumber } from './chart.ts'
import { type Measure, measures, type Share, type Usage } from './usage.ts'
import { labels } from './usage-report.ts'

/** The usage of an organization as one self-contained page, for a browser, an email or a printer. */
export function renderPage(usage: Usage): string {
  const { organization, from, to, days } = usage
  const title = `Usage of ${organization || 'the organization'}`
  const dates = days.map(({ date }) => date.slice(5))
  const valuesOf = (measure: Measure) => days.map((day) => day[measure])
  const bars = (measure: Measure) => ({
    name: labels[measure],
    type: 'bar' as const,
    values: valuesOf(measure),
  })
  const line = (measure: Measure) => ({ ...bars(measure), type: 'line' as const })
  const sections = [
    totals(usage),
    section('Credits by day', chartByDay(dates, [bars('credits')])),
    section(
      'People and sessions by day',
      chartByDay(dates, [line('activeUsers'), line('sessions')]),
    ),
    section('Work by day', chartByDay(dates, work.map(bars))),
    shares('Credits by model', usage.creditsByModel),
    shares('Credits by user', usage.creditsByUser ?? []),
    shares('Tool calls by tool', usage.toolCallsByTool),
    shares('Files by language', usage.filesByLanguage),
    section('Every day', renderTable(usage)),
  ]
  return htmlPage(title, `${from} to ${to}, ${days.length} days in UTC`, sections)
}

const work: readonly Measure[] = ['filesCreated', 'filesEdited', 'commits', 'pullRequests']

function totals(usage: Usage): string {
  return `<section class="totals">${measures.map((measure) => totalOf(usage, measure)).join('')}</section>`
}

function totalOf({ totals, monthlyActiveUsers }: Usage, measure: Measure): string {
  const isUsers = measure === 'activeUsers'
  // A user is active on many days, so a sum of active users would count people twice.
  const value = isUsers && monthlyActiveUsers !== null ? monthlyActiveUsers : totals[measure]
  const label = isUsers
    ? monthlyActiveUsers === null
      ? 'active users on the busiest day'
      : 'users in 30 days'
    : labels[measure]
  return total(shortNumber(value), label)
}

function shares(title: string, list: readonly Share[]): string {
  return list.length === 0 ? '' : section(title, chartOfShares(list))
}

function renderTable({ days }: Usage): string {
  const head = ['day', ...measures.map((measure) => labels[measure])]
  return htmlTable(
    head,
    days.map((day) => [day.date, ...measures.map((measure) => day[measure])]),
  )
}
