import { defineCommand } from 'citty'
import { printJson, say } from '../cli/output.ts'
import { readStatus } from './status/read.ts'
import { describeStatus } from './status/text.ts'

export const statusCommand = defineCommand({
  args: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ args }) {
    const status = await readStatus()
    if (args.json) printJson(status)
    else say(describeStatus(status))
    return status.problems.length > 0 ? 1 : 0
  },
})
