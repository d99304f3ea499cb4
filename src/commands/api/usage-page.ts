import { shortNumber } from './chart.ts'
import { type Measure, measures, type Share, type Usage } from './usage.ts'
import { chartByDay, chartOfShares } from './usage-charts.ts'
import { labels } from './usage-report.ts'

/** The usage of an organization as one page that loads nothing, for a browser, a mail or a printer. */
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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${toMarkup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${toMarkup(title)}</h1><p>${from} to ${to}, ${days.length} days in UTC</p></header>
<section class="totals">${measures.map((measure) => total(usage, measure)).join('')}</section>
${section('Credits by day', chartByDay(dates, [bars('credits')]))}
${section('People and sessions by day', chartByDay(dates, [line('activeUsers'), line('sessions'), line('messages')]))}
${section('Work by day', chartByDay(dates, [bars('filesCreated'), bars('filesEdited'), bars('commits'), bars('pullRequests')]))}
${shares('Credits by model', usage.creditsByModel)}
${shares('Credits by user', usage.creditsByUser ?? [])}
${shares('Tool calls by tool', usage.toolCallsByTool)}
${shares('Files by language', usage.filesByLanguage)}
<section><h2>Every day</h2>${renderTable(usage)}</section>
</body>
</html>
`
}

function total({ totals, monthlyActiveUsers }: Usage, measure: Measure): string {
  const isUsers = measure === 'activeUsers'
  // The same user is active on many days: there is no sum of those.
  const value = isUsers && monthlyActiveUsers !== null ? monthlyActiveUsers : totals[measure]
  const label = isUsers
    ? monthlyActiveUsers === null
      ? 'most active users'
      : 'users in 30 days'
    : labels[measure]
  return `<div><b>${shortNumber(value)}</b><span>${label}</span></div>`
}

function section(title: string, chart: string): string {
  return `<section><h2>${title}</h2>${chart}</section>`
}

function shares(title: string, list: readonly Share[]): string {
  return list.length === 0 ? '' : section(title, chartOfShares(list))
}

function renderTable({ days }: Usage): string {
  const head = ['day', ...measures.map((measure) => labels[measure])]
  const rows = days.map((day) => [day.date, ...measures.map((measure) => day[measure])])
  const cells = (row: readonly unknown[], tag: 'th' | 'td') =>
    `<tr>${row.map((cell) => `<${tag}>${toMarkup(String(cell))}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) => cells(row, 'td')).join('\n')
  return `<div class="scroll"><table><thead>${cells(head, 'th')}</thead><tbody>${body}</tbody></table></div>`
}

/** Names come from the service: none of them may become markup. */
function toMarkup(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')
}

const STYLE = `
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #22252b; background: #f4f5f7; margin: 0 auto; max-width: 1100px; padding: 24px 16px; }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 17px; margin: 0 0 8px; } header p { color: #62666f; margin: 2px 0 20px; }
section { background: #fff; border: 1px solid #e2e4e9; border-radius: 10px; padding: 16px 18px; margin: 0 0 16px; break-inside: avoid; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(105px, 1fr)); gap: 12px; }
.totals b { display: block; font-size: 22px; } .totals span { color: #62666f; font-size: 13px; }
svg { width: 100%; height: auto; display: block; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid #eceef1; white-space: nowrap; } th:first-child, td:first-child { text-align: left; }
`
