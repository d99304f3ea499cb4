import { defineCommand } from 'citty'
import { paint, printJson, say, table } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { EventStatus } from '../journal/history.ts'
import { readJournalOf } from '../journal/read.ts'
import { isOnHold } from '../spool/requests.ts'
import { cleanText } from '../text/clean.ts'
import { allInFull, eventTitle, findEvent, stateFolders } from './_events.ts'
import { reasonsOf } from './why/reasons.ts'

/** Only the latest events of a session, so that they fit on a screen. */
const MAX_OF_SESSION = 5

export const whyCommand = defineCommand({
  args: {
    id: {
      type: 'positional',
      required: false,
      description: 'An event, by the start of its id. Default: last',
    },
    session: { type: 'string', description: 'The latest events of this session', valueHint: 'ID' },
    all: { type: 'boolean', description: 'last is also a prompt, or a test event of doctor' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { id = 'last', session, all, json } }) {
    const folders = stateFolders()
    const chosen =
      session === undefined
        ? [findEvent('why', folders, id, all ? () => true : undefined)]
        : ofSession(allInFull(folders), session)
    const entries = await entriesOf(chosen, folders)
    const told = chosen.map((status) => ({
      ...status,
      entries: entries.filter((entry) => entry.id === status.id),
    }))
    if (json) return printJson(session === undefined ? told[0] : told)
    const isHeld = folders.some(isOnHold)
    say(told.map((one) => describe(one, isHeld)).join('\n\n'))
  },
})

function ofSession(all: readonly EventStatus[], start: string): EventStatus[] {
  const found = all.filter(({ sessionId }) => start !== '' && sessionId.startsWith(start))
  if (found.length > 0) return found.slice(-MAX_OF_SESSION)
  throw usageError(
    `why: no event of a session "${start}"`,
    'hookbell log --json shows the sessions',
  )
}

async function entriesOf(chosen: readonly EventStatus[], folders: readonly string[]) {
  const ids = new Set(chosen.map(({ id }) => id))
  const entries: JournalEntry[] = []
  for (const folder of folders) {
    for await (const entry of readJournalOf(folder, ids)) entries.push(entry)
  }
  return entries
}

function describe(
  told: EventStatus & { entries: readonly JournalEntry[] },
  isHeld: boolean,
): string {
  const title = cleanText(eventTitle(told))
  const lines = once(reasonsOf(told, isHeld)).map(([label, text]) => [
    `  ${paint('dim', label)}`,
    cleanText(text),
  ])
  return `${title} ${paint('dim', told.id.slice(0, 8))}\n${table(lines)}`
}

/** What is said of several channels in the same words is said once, with their names. */
function once(lines: readonly (readonly [string, string])[]): [string, string][] {
  const labels = new Map<string, string[]>()
  for (const [label, text] of lines) labels.set(text, [...(labels.get(text) ?? []), label])
  return [...labels].map(([text, all]) => [[...new Set(all)].join(', '), text])
}
