import { defineCommand } from 'citty'
import { print, terminalWidth } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { writePrivate } from './_write-private.ts'
import { withClient } from './api/client.ts'
import { printResponse } from './api/print-response.ts'
import { lastDays, readUsage, renderCsv, type Usage } from './api/usage.ts'
import { renderUsage } from './api/usage-report.ts'

const MOST_DAYS = 366

export const usageCommand = defineCommand({
  args: {
    days: {
      type: 'string',
      default: '30',
      description: 'How many days, up to yesterday',
      valueHint: 'N',
    },
    json: { type: 'boolean', description: 'Print JSON, with every day' },
    csv: { type: 'boolean', description: 'Print one line of CSV per day' },
    html: {
      type: 'string',
      description: 'Write a page with charts, by day, model, user and tool',
      valueHint: 'FILE',
    },
  },
  async run({ args }) {
    const count = Number(args.days)
    if (!Number.isInteger(count) || count < 1 || count > MOST_DAYS) {
      throw usageError(
        `usage: --days takes a whole number from 1 to ${MOST_DAYS}, not "${args.days}"`,
      )
    }
    const period = lastDays(count, Date.now())
    const { json, csv, html } = args
    if ([json, csv, html !== undefined].filter(Boolean).length > 1)
      throw usageError('usage: --json, --csv and --html exclude each other')
    if (html === '') throw usageError('usage: --html takes a file, not ""')
    const usage = await withClient('usage', (client) =>
      readUsage(client, period, { withUsers: html !== undefined }),
    )
    if (html !== undefined) await writePage(html, usage)
    else if (csv) print(renderCsv(usage))
    else if (json) printResponse(usage)
    else print(renderUsage(usage, terminalWidth()))
  },
})

async function writePage(file: string, usage: Usage) {
  // Loaded only here: the chart library is larger than everything else in this command.
  const { renderPage } = await import('./api/usage-page.ts')
  await writePrivate('usage', file, renderPage(usage))
  print(`Wrote ${file}`)
}
