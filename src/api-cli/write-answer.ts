import { print, table } from '../cli/output.ts'
import { cutText, oneLine } from '../text.ts'
import { toSafeJson } from './json.ts'

const WIDEST_CELL = 48

/** One line of JSON per item, for programs that read as it comes. */
export function printLine(item: unknown) {
  print(toSafeJson(item))
}

export function printAnswer(answer: unknown) {
  print(toSafeJson(answer, 2))
}

/** Columns for a list of objects; names and values for anything else. */
export function printTable(value: unknown) {
  if (Array.isArray(value)) print(rowsOf(value))
  else if (isRecord(value)) {
    print(table(Object.entries(value).map(([name, field]) => [oneLine(name), cell(field)])))
  } else print(cell(value))
}

/** What an answer lists, if that is all it is about: `data` of analytics beside `meta`. */
export function listIn(answer: unknown): unknown {
  if (!isRecord(answer) || Object.values(answer).some(isPlain)) return answer
  const lists = Object.values(answer).filter((field) => Array.isArray(field))
  return lists.length === 1 ? lists[0] : answer
}

function rowsOf(items: readonly unknown[]): string {
  if (items.length === 0) return 'Nothing'
  const rows = items.map((item) => (isRecord(item) ? item : { value: item }))
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  // What is nested in every row would fill the screen: it is in --json.
  const shown = names.filter((name) => rows.some((row) => isPlain(row[name])))
  return table([shown.map(oneLine), ...rows.map((row) => shown.map((name) => cell(row[name])))])
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  const text = typeof value === 'string' ? value : toSafeJson(value)
  return cutText(oneLine(text), WIDEST_CELL)
}

function isPlain(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
