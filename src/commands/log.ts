import { defineCommand } from 'citty'
import { paint, print, printJson, table } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import type { EventStatus, Outcome } from '../journal/history.ts'
import { cleanText } from '../text/clean.ts'
import { type EventOutline, stateFolders, withEvents } from './_events.ts'

export const logCommand = defineCommand({
  args: {
    id: { type: 'positional', required: false, description: 'One event, or the start of its id' },
    limit: {
      type: 'string',
      default: '20',
      description: 'How many of the latest events',
      valueHint: 'N',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run({ args }) {
    const limit = Number(args.limit)
    if (!Number.isInteger(limit) || limit < 1) {
      throw usageError(`log: --limit takes a whole number from 1, not "${args.limit}"`)
    }
    const chosen = withEvents(stateFolders(), (events) =>
      events.inFull(args.id ? find(events.all, args.id) : events.tallies.latest(limit)),
    )
    if (args.json) return printJson(args.id ? chosen[0] : chosen)
    if (chosen.length === 0) return print('No events yet. Register hookbell with: hookbell init')
    print(table(chosen.map(row)))
    for (const account of args.id ? chosen : []) print(`\n${details(account)}`)
  },
})

function find(all: readonly EventOutline[], start: string): EventOutline[] {
  const found = all.filter(({ id }) => id.startsWith(start))
  if (found.length === 1) return found
  const what = found.length === 0 ? 'no event' : `${found.length} events`
  throw usageError(
    `log: ${what} with an id that starts with "${start}"`,
    'hookbell log --json shows the ids',
  )
}

const styles = {
  delivered: 'green',
  suppressed: 'dim',
  undelivered: 'red',
  dead: 'red',
  waiting: 'yellow',
} as const

export function paintOutcome(outcome: Outcome): string {
  return paint(styles[outcome], outcome)
}

function row(account: EventStatus): string[] {
  const { id, acceptedAt, title, event, reason, channels, outcome, client } = account
  const where = Object.entries(channels).map(([name, { state }]) =>
    state === 'delivered' ? name : `${name} (${state})`,
  )
  return [
    paint('dim', localTime(acceptedAt)),
    paint('dim', id.slice(0, 8)),
    paintOutcome(outcome),
    client,
    cleanText(title || event),
    cleanText(where.join(', ') || reason),
  ]
}

function localTime(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 19).replace('T', ' ')
}

function details({ id, channels, reason, problems, sessionId, kind }: EventStatus): string {
  const lines = [`id       ${id}`, `kind     ${kind}`, `session  ${sessionId || '-'}`]
  if (reason) lines.push(`reason   ${reason}`)
  for (const problem of problems) lines.push(`problem  ${problem}`)
  for (const [name, { state, attempts, detail, at }] of Object.entries(channels)) {
    const when = state === 'deferred' ? `, next try ${localTime(at)}` : ''
    const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
    lines.push(`${name}: ${state} (${tries}${when}): ${detail}`)
  }
  return cleanText(lines.join('\n'))
}
