import { defineCommand } from 'citty'
import { print, terminalWidth } from '../cli/output.ts'
import { HookbellError } from '../errors.ts'
import { NEEDS_KEY, withClient } from './api/client.ts'
import { lastDays } from './api/period.ts'
import { printResponse } from './api/print-response.ts'
import { readUsage } from './api/usage.ts'
import { renderUsage } from './api/usage-report.ts'

const MOST_DAYS = 366

export const usageCommand = defineCommand({
  meta: {
    name: 'usage',
    description: `Show credits, users, sessions, tools and productivity\n${NEEDS_KEY}`,
  },
  args: {
    days: {
      type: 'string',
      default: '30',
      description: 'How many days, up to yesterday',
      valueHint: 'N',
    },
    json: { type: 'boolean', description: 'Print JSON, with every day' },
  },
  async run({ args }) {
    const count = Number(args.days)
    if (!Number.isInteger(count) || count < 1 || count > MOST_DAYS) {
      throw new HookbellError(
        'E_USAGE',
        `usage: --days takes a whole number from 1 to ${MOST_DAYS}, not "${args.days}"`,
      )
    }
    const period = lastDays(count, Date.now())
    const usage = await withClient('usage', (client) => readUsage(client, period))
    if (args.json) printResponse(usage)
    else print(renderUsage(usage, terminalWidth()))
  },
})
