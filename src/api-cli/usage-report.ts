import { paint, table } from '../cli/output.ts'
import { cutText, oneLine } from '../text.ts'
import { bar, shortNumber, sparkline } from './chart.ts'
import type { Measure, Share, Usage } from './usage.ts'

const CHART_WIDTH = 40
const BAR_WIDTH = 20
const MOST_SHARES = 5

const labels: Record<Measure, string> = {
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

/** A screenful: a line per measure with its course, then where credits, tool calls and files went. */
export function renderUsage(usage: Usage): string {
  const { organization, from, to, days, monthlyActiveUsers } = usage
  const head = `${paint('bold', oneLine(organization))}  ${from} to ${to} (${days.length === 1 ? '1 day' : `${days.length} days`}, UTC)`
  const rows = (Object.entries(labels) as [Measure, string][]).map(([measure, label]) => [
    label,
    shortNumber(usage.totals[measure]).padStart(6),
    paint(
      'cyan',
      sparkline(
        days.map((day) => day[measure]),
        CHART_WIDTH,
      ),
    ),
    noteOf(measure, monthlyActiveUsers),
  ])
  return [
    head,
    '',
    table(rows),
    ...renderShares('credits by model', usage.creditsByModel),
    ...renderShares('tool calls by tool', usage.toolCallsByTool),
    ...renderShares('files by language', usage.filesByLanguage),
  ].join('\n')
}

function noteOf(measure: Measure, monthlyActiveUsers: number | null): string {
  if (measure !== 'activeUsers') return ''
  const month = monthlyActiveUsers === null ? '' : `; ${monthlyActiveUsers} in the last 30 days`
  return paint('dim', `most on one day${month}`)
}

function renderShares(title: string, shares: readonly Share[]): string[] {
  if (shares.length === 0) return []
  const all = shares.reduce((sum, { count }) => sum + count, 0)
  const rows = shares
    .slice(0, MOST_SHARES)
    .map(({ name, count }) => [
      `  ${cutText(oneLine(name), 28)}`,
      shortNumber(count).padStart(6),
      `${Math.round((count / all) * 100)}%`.padStart(4),
      paint('cyan', bar(count / all, BAR_WIDTH)),
    ])
  const rest = shares.length - MOST_SHARES
  return ['', rest > 0 ? `${title} (and ${rest} more)` : title, table(rows)]
}
