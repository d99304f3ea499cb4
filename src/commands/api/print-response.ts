import { print, terminalWidth } from '../../cli/output.ts'
import { toSafeJson } from './json.ts'
import { renderResponse } from './response-table.ts'

const MOST_NAMES = 6

/** One line of JSON per item, for programs that read as it comes. */
export function printLine(item: unknown) {
  print(toSafeJson(item))
}

export function printResponse(answer: unknown) {
  print(toSafeJson(answer, 2))
}

/** As wide as the terminal. What has no room is named on stderr, so that nobody takes the table for all there is. */
export function printTable(answer: unknown) {
  const { text, hidden } = renderResponse(answer, terminalWidth())
  print(text)
  if (hidden.length === 0) return
  const names = hidden.slice(0, MOST_NAMES).join(', ')
  const rest = hidden.length > MOST_NAMES ? ` and ${hidden.length - MOST_NAMES} more` : ''
  process.stderr.write(`Not shown: ${names}${rest} (--json)\n`)
}
