import { defineCommand } from 'citty'
import { print, printJson, terminalWidth } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { makeReport, type Report } from '../report/report.ts'
import { readEntries, stateFolders } from './_events.ts'
import { sinceTime } from './_since.ts'
import { writePrivate } from './_write-private.ts'
import { renderReport } from './report/text.ts'

export const reportCommand = defineCommand({
  args: {
    since: {
      type: 'string',
      default: '7d',
      description: 'Since when, such as 2h, 7d or 2026-11-20',
      valueHint: 'TIME',
    },
    html: { type: 'string', description: 'Write a page with charts', valueHint: 'FILE' },
    json: { type: 'boolean', description: 'Print JSON; times in ms' },
  },
  async run({ args: { since, html, json } }) {
    if (json && html !== undefined) throw usageError('report: --json and --html exclude each other')
    if (html === '') throw usageError('report: --html takes a file, not ""')
    const period = { from: sinceTime(since, 'report'), to: Date.now() }
    const report = makeReport(await readEntries(stateFolders()), period)
    if (html !== undefined) await writePage(html, report)
    else if (json) printJson(report)
    else print(renderReport(report, terminalWidth()))
  },
})

async function writePage(file: string, report: Report) {
  // Loaded only here: the chart library is larger than the rest of the command.
  const { reportPage } = await import('./report/page.ts')
  await writePrivate('report', file, reportPage(report))
  print(`Wrote ${file}`)
}
