import { paint } from '../../cli/output.ts'
import { cutText, oneLine } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import { bar, percent, shortNumber, sparkline } from './chart.ts'
import { type Measure, type Share, type Usage, withRest } from './usage.ts'

const DEFAULT_WIDTH = 80
// Below this width there is only room for totals and charts.
const NARROW_WIDTH = 64
const LABEL_WIDTH = 16
const NUMBER_WIDTH = 8
const MOST_CHART = 40
const LEAST_CHART = 8
const MOST_BAR = 20
const MOST_NAME = 32
/** If there are more shares, the rest is combined in the last row. */
const MOST_ROWS = 6

export const labels: Record<Measure, string> = {
  credits: 'credits',
  activeUsers: 'active users',
  sessions: 'sessions',
  messages: 'messages',
  toolCalls: 'tool calls',
  filesCreated: 'files created',
  filesEdited: 'files edited',
  commits: 'commits',
  pullRequests: 'pull requests',
}

/** A screenful: a line per measure with a sparkline, then the shares of credits, tool calls and files. */
export function renderUsage(usage: Usage, width = DEFAULT_WIDTH): string {
  const { organization, from, to, days } = usage
  const count = counted(days.length, 'day')
  return [
    `${paint('bold', oneLine(organization))}  ${from} to ${to} (${count}, UTC)`,
    '',
    ...renderMeasures(usage, width),
    ...renderShares('credits by model', usage.creditsByModel, width),
    ...renderShares('tool calls by tool', usage.toolCallsByTool, width),
    ...renderShares('files by language', usage.filesByLanguage, width),
  ].join('\n')
}

function renderMeasures(usage: Usage, width: number): string[] {
  const columns = width < NARROW_WIDTH ? 1 : 3
  const indent = LABEL_WIDTH + columns * NUMBER_WIDTH
  const chart = Math.max(LEAST_CHART, Math.min(MOST_CHART, width - indent - 2))
  const head = ['total', 'a day', 'peak'].slice(0, columns).map(alignRight).join('')
  const rows = (Object.entries(labels) as [Measure, string][]).map(([measure, label]) => {
    const values = usage.days.map((day) => day[measure])
    const numbers = numbersOf(measure, usage, values).slice(0, columns).map(alignRight).join('')
    const course = paint('cyan', sparkline(values, chart).trimEnd())
    return `${label.padEnd(LABEL_WIDTH)}${numbers}  ${course}`.trimEnd()
  })
  const axis = renderAxis(usage, Math.min(chart, usage.days.length))
  return [
    paint('dim', ' '.repeat(LABEL_WIDTH) + head),
    ...rows,
    ...(axis === '' ? [] : [' '.repeat(indent + 2) + paint('dim', axis)]),
    ...renderActive(usage.monthlyActiveUsers),
  ]
}

/** Total, average and peak of a day. Active users have no total: the same user is active on many days. */
function numbersOf(measure: Measure, { totals }: Usage, values: readonly number[]): string[] {
  const sum = values.reduce((all, value) => all + value, 0)
  const average = values.length > 0 ? sum / values.length : 0
  const total = measure === 'activeUsers' ? '-' : shortNumber(totals[measure])
  return [total, shortNumber(average), shortNumber(Math.max(0, ...values))]
}

/** The first and the last day under the charts, if there is room for both. */
function renderAxis({ from, to }: Usage, width: number): string {
  const isOneYear = from.slice(0, 4) === to.slice(0, 4)
  const [first, last] = isOneYear ? [from.slice(5), to.slice(5)] : [from, to]
  const gap = width - first.length - last.length
  return gap > 0 ? first + ' '.repeat(gap) + last : ''
}

function renderActive(users: number | null): string[] {
  if (users === null) return []
  return ['', paint('dim', `${counted(users, 'active user')} in the last 30 days`)]
}

function renderShares(title: string, shares: readonly Share[], width: number): string[] {
  if (shares.length === 0) return []
  const all = shares.reduce((sum, { count }) => sum + count, 0)
  const beside = 2 * NUMBER_WIDTH + 2
  const longest = Math.max(LABEL_WIDTH, Math.min(MOST_NAME, width - beside - LEAST_CHART))
  const rows = withRest(shares, MOST_ROWS).map(({ name, count }) => ({
    name: cutText(oneLine(name), longest),
    count,
  }))
  const most = Math.max(...rows.map(({ count }) => count))
  const names = Math.max(LABEL_WIDTH, ...rows.map(({ name }) => name.length))
  const room = Math.max(LEAST_CHART, Math.min(MOST_BAR, width - names - beside))
  const lines = rows.map(({ name, count }) => {
    const numbers = alignRight(shortNumber(count)) + alignRight(percent(count, all))
    return `${name.padEnd(names)}${numbers}  ${paint('cyan', bar(count / most, room))}`
  })
  return ['', paint('bold', title), ...lines]
}

function alignRight(text: string): string {
  return text.padStart(NUMBER_WIDTH)
}
