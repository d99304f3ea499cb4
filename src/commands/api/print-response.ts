import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import type { PageList } from '../../api/index.ts'
import { valueAt } from '../../api/record.ts'
import { print, terminalWidth } from '../../cli/output.ts'
import { HookbellError } from '../../errors.ts'
import { cleanText } from '../../text/clean.ts'
import { toSafeJson } from './fields.ts'
import { flagName } from './flags.ts'
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

type PageStyle = NonNullable<Endpoint['page']>

/** How a list is printed. By default: one line of JSON per item. */
interface ListFormat {
  /** Name of the command, for errors. */
  command: string
  /** All pages instead of the first. */
  all: boolean
  /** Print the first page as received; with `all`, an array of the items. */
  json: boolean
  table: boolean
}

/** Prints a list, item by item as the pages arrive. Says on stderr if there is more than one page. */
export async function printList(
  style: PageStyle,
  list: PageList<unknown, unknown>,
  { command, all, json, table }: ListFormat,
) {
  if (all && !json && !table) {
    for await (const item of list) printLine(item)
    return
  }
  const page: unknown = all ? await list.toArray() : await list
  const items = all ? page : valueAt(page, style.items)
  if (json) printResponse(page)
  else if (!Array.isArray(items)) throw noList(command, style)
  else if (table) printTable(items)
  else items.forEach(printLine)
  const cursor = all ? undefined : nextCursor(style, page, items)
  if (cursor === undefined) return
  // If only an empty page marks the end, a page with items does not tell whether there are more.
  const more = style.hasMore === undefined ? 'Perhaps more' : 'More'
  process.stderr.write(`${more}: --all, or ${flagName(style.cursor)} ${cleanText(cursor)}\n`)
}

function noList(command: string, { items }: PageStyle) {
  return new HookbellError('E_PROTOCOL', `${command}: the response has no list at "${items}"`, {
    hint: '--json shows it as it came',
  })
}

function nextCursor({ next, hasMore }: PageStyle, page: unknown, items: unknown) {
  if (!Array.isArray(items) || (hasMore && valueAt(page, hasMore) === false)) return undefined
  const cursor = valueAt(page, next)
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined
}
