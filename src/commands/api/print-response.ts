import { print, terminalWidth } from '../../cli/output.ts'
import { toSafeJson } from './json.ts'
import { renderResponse } from './response-table.ts'

const MOST_NAMES = 6

/** Prints an item as one line of JSON, for programs that read line by line. */
export function printLine(item: unknown) {
  print(toSafeJson(item))
}

/** Prints nothing for an empty response. */
export function printResponse(response: unknown) {
  if (response !== undefined) print(toSafeJson(response, 2))
}

/** Prints a table as wide as the terminal. Names the columns without room on stderr, as the table is incomplete. */
export function printTable(response: unknown) {
  const { text, hidden } = renderResponse(response, terminalWidth())
  print(text)
  if (hidden.length === 0) return
  const names = hidden.slice(0, MOST_NAMES).join(', ')
  const rest = hidden.length > MOST_NAMES ? ` and ${hidden.length - MOST_NAMES} more` : ''
  process.stderr.write(`Not shown: ${names}${rest} (--json)\n`)
}
