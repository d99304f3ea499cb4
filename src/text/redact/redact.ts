import { type OwnValues, ownValues } from './own-values.ts'
import { matchesOf, readingsOf, visible } from './readings.ts'
import { mayMatch, type Shape, searchable } from './secret-shape.ts'
import { groups, mayHoldKey } from './secret-shapes.ts'

/** The text that replaces a secret. */
export const MARK = '[redacted]'
/** Redacting one key can make another one beside it recognizable. No text was seen that needs more than two passes. */
const MAX_PASSES = 4

type Range = [start: number, end: number]

/**
 * Removes known key shapes and the exact values in `secrets`, however they are escaped or encoded.
 * Takes time in proportion to the text, and changes nothing the second time.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  const own = ownValues(secrets)
  const seen = visible(text)
  // Marks of an earlier redaction stay as they are, whatever the secrets are.
  const clean = seen
    .split(MARK)
    .map((part) => redactPart(part, own, MAX_PASSES))
    .join(MARK)
  // A letter that was removed may have kept an invisible one beside it.
  return clean === seen || visible(clean) === clean ? clean : redact(clean, secrets)
}

/** The same for a text of which at most `max` units are needed: text far behind them is not searched. */
export function redactStart(text: string, max: number, secrets: readonly string[] = []): string {
  // Redaction shortens the text, so more than `max` is needed.
  const enough = 2 * max + 4096
  if (text.length <= enough) return redact(text, secrets)
  // A key that is cut in half would not match its pattern, so the last word is dropped if enough text remains.
  const start = text.slice(0, enough)
  const cut = Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'))
  return redact(cut > max ? start.slice(0, cut) : start, secrets)
}

/** What cannot be cleaned in a few passes is removed as a whole. */
function redactPart(text: string, own: OwnValues, passes: number): string {
  const secrets = merged(secretsIn(text, own))
  if (secrets.length === 0) return text
  if (passes === 0) return MARK
  let from = 0
  const parts = [...secrets, [text.length, text.length] as const].map(([start, end]) => {
    const part = text.slice(from, start)
    from = end
    return part
  })
  return parts.map((part) => redactPart(part, own, passes - 1)).join(MARK)
}

/** Where the secrets are, in whichever reading they were found. */
function secretsIn(text: string, { exact, broken }: OwnValues): Range[] {
  const readings = readingsOf(text)
  const last = readings.at(-1)
  return readings.flatMap((reading) => {
    const found = [...placesOf(exact, reading.text), ...keysIn(reading.text)]
    if (broken && reading === last) found.push(...matchesOf(broken, reading.text).map(placeOf))
    return found.map(([start, end]) => reading.placeOf(start, end))
  })
}

function placesOf(values: readonly string[], text: string): Range[] {
  const places: Range[] = []
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
      places.push([at, at + value.length])
  }
  return places
}

function placeOf({ index, 0: text }: RegExpExecArray): Range {
  return [index, index + text.length]
}

/** In order, each one once. */
function merged(ranges: readonly Range[]): Range[] {
  const whole: Range[] = []
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    const before = whole.at(-1)
    if (before && start < before[1]) before[1] = Math.max(before[1], end)
    else whole.push([start, end])
  }
  return whole
}

/** Where the keys are that have a known shape. */
function keysIn(text: string): Range[] {
  if (!mayHoldKey(text)) return []
  const searched = searchable(text)
  let parts: Range[] = [[0, text.length]]
  for (const group of groups) {
    if (!mayMatch(group, searched) || group.gate?.(text) === false) continue
    for (const shape of group.shapes) {
      if (mayMatch(shape, searched)) parts = parts.flatMap((part) => around(text, part, shape))
    }
  }
  return parts.slice(1).map(([start], index) => [parts[index]?.[1] ?? 0, start])
}

/** The parts around the keys of one shape. */
function around(text: string, [from, to]: Range, shape: Shape): Range[] {
  const parts: Range[] = []
  let start = from
  for (const [keyStart, keyEnd] of keysOfShape(text.slice(from, to), shape)) {
    parts.push([start, from + keyStart])
    start = from + keyEnd
  }
  return [...parts, [start, to]]
}

function keysOfShape(text: string, { scope, ...shape }: Shape): Range[] {
  if (!scope) return keysOf(text, shape)
  return [...text.matchAll(scope)].flatMap(({ index, 0: within }) =>
    keysOf(within, shape).map(([start, end]): Range => [index + start, index + end]),
  )
}

function keysOf(text: string, { pattern, accept }: Shape): Range[] {
  const keys: Range[] = []
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = match.index + (match.groups?.keep?.length ?? 0)
    const end = withoutBold(text, start, pattern.lastIndex)
    if (!accept || accept(text.slice(start, end), text.slice(end, end + 40)))
      keys.push([start, end])
  }
  return keys
}

/** The end of a key without the mark of Markdown behind it, which would be left open: `**hunter2**`. */
function withoutBold(text: string, start: number, end: number): number {
  if (text.charAt(start - 1) !== '*') return end
  let before = end
  while (before > start && text.charAt(before - 1) === '*') before -= 1
  return before > start ? before : end
}
