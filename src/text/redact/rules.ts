import { type Test, tests } from './looks.ts'
import type { Range, Reading } from './readings.ts'

/** The place of a value, and what it must look like there. */
export interface Rule {
  /** Ends where the value starts. */
  readonly place: RegExp
  readonly read: Reader
  readonly tests: readonly Test[]
}

/** How much of it. */
const AFTER = 160

/** Where a value ends that starts at a place; undefined if none starts there. Of a long one only the start, or all. */
export type Reader = (reading: Reading, start: number, isAll?: boolean) => number | undefined

/** A longer value counts as a secret or not by its start: names in it are places of values as well, up to the same end. */
const MAX_VALUE = 300
const MAX_QUOTED = 200
const MAX_HEADER = 600
/** A name within the quotes before the value, as in `"TOKEN=two words"`. */
const MAX_NAME = 80

/** Not a placeholder for a value: `$TOKEN`, `<token>`, `{{ token }}`, `%TOKEN%`, `your token`, `...`. */
const LITERAL = String.raw`(?![$<{]|%\w{1,100}%|\*{3}|\.\.\.|[Yy]our[ _-])`
/** Punctuation at the start shows that the quote before it was a closing one: `"TOKEN=", "SECRET="`. */
const QUOTED_START = new RegExp(String.raw`${LITERAL}(?![\s,;.:)\]}|&+?\\])`, 'y')
const LITERAL_START = new RegExp(LITERAL, 'y')

/** A run of the characters of a pattern. */
export function run(characters: string, min: number, before = ''): Reader {
  const start = new RegExp(`${before}(?:${characters}){${min},${MAX_VALUE}}`, 'y')
  const all = new RegExp(`(?:${characters})*`, 'y')
  return ({ text }, at, isAll) => endOf(isAll ? all : start, text, at)
}

export function matching(pattern: RegExp): Reader {
  return ({ text }, start) => endOf(pattern, text, start)
}

/** Up to 31 items with a separator between them. */
export function list(item: string, separator: string): Reader {
  return matching(new RegExp(`${item}(?:${separator}\\s?${item}){0,30}`, 'y'))
}

/** A value that ends before a pattern. */
export function upTo(end: RegExp, read: Reader): Reader {
  return (reading, start) => {
    const last = read(reading, start)
    const length = reading.text.slice(start, last).search(end)
    return last === undefined || length < 0 ? last : start + length
  }
}

/** The first value that one of the readers finds. */
export function either(...readers: readonly Reader[]): Reader {
  return (reading, start, isAll) => {
    for (const read of readers) {
      const end = read(reading, start, isAll)
      if (end !== undefined) return end
    }
    return undefined
  }
}

/** A value in quotes, with spaces. The name may be within the quotes as well. */
export const quoted: Reader = (reading, start) => {
  if (endOf(QUOTED_START, reading.text, start) === undefined) return undefined
  const open = openingQuote(reading.text, start, ' \t\n\r')
  return open === undefined ? undefined : closingQuote(reading, start, open, MAX_QUOTED)
}

/** The rest of what is in quotes, such as a header: `"Authorization: Key a b"`. */
export const restOfQuoted: Reader = (reading, start) => {
  if (endOf(LITERAL_START, reading.text, start) === undefined) return undefined
  const open = openingQuote(reading.text, start, '\n')
  return open === undefined ? undefined : closingQuote(reading, start, open, MAX_HEADER)
}

/** Where the quotes around a place begin, without one of these characters between. */
function openingQuote(text: string, start: number, outside: string): number | undefined {
  for (let at = start - 1; at >= 0 && at >= start - MAX_NAME - 1; at -= 1) {
    const letter = text.charAt(at)
    if (outside.includes(letter)) return undefined
    if (letter !== '"' && letter !== "'") continue
    const isOpening = /(?:^|[\s=:,([{]|\s-[a-zA-Z]{1,2})$/.test(text.slice(Math.max(0, at - 4), at))
    return isOpening ? at : undefined
  }
  return undefined
}

function closingQuote(
  reading: Reading,
  start: number,
  open: number,
  max: number,
): number | undefined {
  const { text } = reading
  const quote = text.charAt(open)
  for (let at = start; at <= start + max && at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === '\n') return undefined
    // An expression of a shell.
    if (letter === '$' && quote === '"' && /[({]/.test(text.charAt(at + 1))) return undefined
    if (letter === quote && reading.depthOf(at) <= reading.depthOf(open))
      return at - start >= 4 ? at : undefined
  }
  return undefined
}

/** The same where prose is in quotes as well: its first word must look like a password. */
const LIKE_PASSWORD = /(?<=["'])(?=[^\s"'\\]{0,80}\d)(?=[^\s"'\\]{6})/y
export const quotedPassword: Reader = (reading, start) =>
  endOf(LIKE_PASSWORD, reading.text, start) === undefined ? undefined : quoted(reading, start)

export const shellWord = run(String.raw`[^\s'"\x60|;&<>()]`, 4, `${LITERAL}(?!-)`)

/** A word of a shell, or a value in quotes. */
export const shell = either(quoted, shellWord)

/** A word in code or prose. */
export const WORD = String.raw`[^\s'"\x60,;(){}<>$]`
/** The same between the letters of other alphabets. */
export const ASCII_WORD = String.raw`(?:(?!['"\x60,;(){}<>$\\])[!-~])`

/** The value that starts at a place; undefined if nothing there looks like one. */
export function valueAt(
  reading: Reading,
  start: number,
  { read, tests }: Pick<Rule, 'read' | 'tests'>,
): Range | undefined {
  const { text } = reading
  const last = read(reading, start)
  if (last === undefined) return undefined
  const end = withoutBold(text, start, last)
  const value = text.slice(start, end)
  const after = text.slice(end, end + AFTER)
  if (!tests.every((test) => test(value, after))) return undefined
  return [start, value.length < MAX_VALUE ? end : (read(reading, start, true) ?? end)]
}

/** The end of a value before the mark of Markdown behind it, which would be left open: `**hunter2**`. */
function withoutBold(text: string, start: number, end: number): number {
  if (text.charAt(start - 1) !== '*') return end
  let before = end
  while (before > start && text.charAt(before - 1) === '*') before -= 1
  return before > start ? before : end
}

/** The end of a match that starts at a place. */
export function endOf(sticky: RegExp, text: string, start: number): number | undefined {
  sticky.lastIndex = start
  return sticky.test(text) ? sticky.lastIndex : undefined
}

/**
 * The columns of the lines of a table, which two spaces separate. A line that begins with # is an example, and `<NAME>` is
 * one of the parts.
 */
export function columnsOf(table: string, parts: Readonly<Record<string, string>>): string[][] {
  const lines = table.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => expanded(line, parts).split(/ {2,}/))
}

function expanded(text: string, parts: Readonly<Record<string, string>>): string {
  const whole = text.replace(/<([A-Z]+)>/g, (_, name: string) => known(parts, name))
  return whole === text ? text : expanded(whole, parts)
}

export function testsOf(names = ''): Test[] {
  return names.split(', ').map((name) => known(tests, name))
}

/** What is called so in a table. */
export function known<Value>(values: Readonly<Record<string, Value>>, name = ''): Value {
  const value = values[name]
  if (value === undefined) throw new Error(`nothing is called "${name}"`)
  return value
}
