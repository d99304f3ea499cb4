import { isRecord } from '../../api/record.ts'
import { table } from '../../cli/output.ts'
import { cutText, oneLine } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import { displayWidth } from '../../text/width.ts'
import { linesOf } from './conversation.ts'
import { asText, type Fields, fieldsOf, utcTime } from './fields.ts'

const WIDEST_CELL = 64
// A column that is truncated to less is useless.
const LEAST_CELL = 24
const GAP = 2

interface ResponseTable {
  text: string
  /** Fields without a column: lists of objects, and those without room. */
  hidden: readonly string[]
}

/** A table of any response: columns for a list, names and values for an object, and its lists below them. */
export function renderResponse(response: unknown, width = Infinity): ResponseTable {
  if (Array.isArray(response)) return renderList(response, width)
  if (!isRecord(response)) return { text: cell('', response), hidden: [] }
  const fields = flatten(response)
  const lists = fields.filter(([, value]) => isListOfRecords(value))
  const rows = fields.filter(([, value]) => !isListOfRecords(value))
  // Nothing is truncated here: a value may be the only copy of a key.
  const names = table(rows.map(([name, value]) => [oneLine(name), cell(lastWord(name), value)]))
  const tables = lists.map(([name, value]) => ({ name, ...renderList(value, width) }))
  return {
    text:
      [names, ...tables.map(({ name, text }) => `${oneLine(name)}:\n${text}`)]
        .filter(Boolean)
        .join('\n\n') || '(nothing)',
    hidden: tables.flatMap(({ hidden }) => hidden),
  }
}

/** The list of a response that has one list and no plain fields, such as `data` of analytics; else the response. */
export function listIn(response: unknown): unknown {
  if (!isRecord(response) || Object.values(response).some(isPlain)) return response
  const lists = Object.values(response).filter((field) => Array.isArray(field))
  return lists.length === 1 ? lists[0] : response
}

function renderList(items: unknown, width: number): ResponseTable {
  const rows = (Array.isArray(items) ? items : []).map(
    (item): Fields => (isRecord(item) ? item : { value: item }),
  )
  if (rows.length === 0) return { text: '(none)', hidden: [] }
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = names
    .filter((name) => rows.some((row) => isShort(row[name])))
    .map((name) => columnOf(name, rows))
  if (columns.length === 0) {
    const text = counted(rows.length, 'item')
    return { text, hidden: names.map(oneLine) }
  }
  const shown = fit(columns, width)
  const known = new Set(shown.map(([head]) => head))
  return {
    text: table(rowsOf(shown)),
    hidden: names.map(oneLine).filter((name) => !known.has(name)),
  }
}

function columnOf(name: string, rows: readonly Fields[]): string[] {
  const cells = rows.map((row) => cell(name, row[name]))
  return [oneLine(name), ...cells].map((text) => cutText(text, WIDEST_CELL))
}

/** The columns there is room for; the last of them may be truncated. */
function fit(columns: readonly string[][], width: number): string[][] {
  const shown: string[][] = []
  let room = width
  for (const column of columns) {
    const wanted = column.reduce((most, text) => Math.max(most, displayWidth(text)), 0)
    if (wanted > room && room < LEAST_CELL && shown.length > 0) break
    shown.push(column.map((text) => cutText(text, room)))
    room -= wanted + GAP
  }
  return shown
}

function rowsOf(columns: readonly string[][]): string[][] {
  return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? ''))
}

/** Flattens the fields of nested objects, named like `apiKey.id`. */
function flatten(record: Fields, before = ''): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]): [string, unknown][] =>
    isRecord(value) && Object.keys(value).length > 0
      ? flatten(value, `${before}${name}.`)
      : [[`${before}${name}`, value]],
  )
}

function cell(name: string, value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'number' && isTime(name, value)) return utcTime(value)
  if (!Array.isArray(value)) return oneLine(asText(value))
  if (value.every(isPlain)) return value.map((item) => oneLine(asText(item))).join(', ') || '-'
  const said = isContent(value) ? linesOf({ content: value }).map(({ text }) => text) : []
  return oneLine(said.join(' ') || asText(value))
}

/** Whether a number is Unix milliseconds: it has a name such as `createdAt`, and is later than early 1973. */
function isTime(name: string, value: number): boolean {
  return /(At|Time)$/.test(name) && value > 1e11
}

/** Whether a value is readable in a cell: a plain value, a list of them, or the content of a message. */
function isShort(value: unknown): boolean {
  if (!Array.isArray(value)) return isPlain(value)
  return value.length > 0 && (value.every(isPlain) || isContent(value))
}

function isContent(value: readonly unknown[]): boolean {
  return value.every((item) => typeof fieldsOf(item).type === 'string')
}

function lastWord(name: string): string {
  return name.split('.').at(-1) ?? name
}

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord)
}

function isPlain(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object'
}
