import { defineCommand } from 'citty'
import { paint, printJson, say } from '../cli/output.ts'
import { digestMessage, makeDigest } from '../report/digest.ts'
import { readEntries, stateFolders } from './_events.ts'
import { sinceTime } from './_since.ts'

export const digestCommand = defineCommand({
  args: {
    since: {
      type: 'string',
      default: '8h',
      description: 'Since when, such as 2h, 7d or 2026-11-20',
      valueHint: 'TIME',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { since, json } }) {
    const period = { from: sinceTime(since, 'digest'), to: Date.now() }
    const digest = makeDigest(await readEntries(stateFolders()), period)
    if (json) return printJson(digest)
    const { title, body } = digestMessage(digest)
    say(`${paint('bold', title)}\n${body}`)
  },
})
