import { argumentsIn } from './commands.ts'
import { keysIn } from './known-keys.ts'
import { namedValuesIn } from './named-values.ts'
import { fullyRead, type Range, Reading, readingsOf, type Spelling, visible } from './readings.ts'

/** The text that replaces a secret. */
export const MARK = '[redacted]'
/** Redacting one key can make another one beside it recognizable. No text was seen that needs more than two passes. */
const MAX_PASSES = 4

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
function secretsIn(text: string, own: OwnValues): Range[] {
  // An own value may hold what looks like an escape.
  const found = ownPlacesIn(text, own)
  for (const reading of readingsOf(text)) {
    const places = [
      ...(reading.text === text ? [] : ownPlacesIn(reading.text, own)),
      ...keysIn(reading.text),
      ...namedValuesIn(reading),
      ...argumentsIn(reading),
    ]
    for (const [start, end] of places) found.push(reading.placeOf(start, end))
  }
  return found
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

/** Shorter values are words such as `true` or a port: redacting them would only garble the text. */
const MIN_LENGTH = 6

/** One or two words, which may stand side by side in any sentence. */
const MAX_WORDS = 12

/** What programs put into a value that they wrap, quote or emphasise, and what is invisible. */
const breaks: Spelling = {
  pattern: /[\s*_~`>|\\\u2500-\u257f\p{Default_Ignorable_Code_Point}\p{Format}]+/gu,
  decode: () => '',
}

/** The same in HTML. */
const tags: Spelling = { pattern: /<\/?[a-z]{1,10} ?\/?>/gi, decode: () => '' }

/** The secrets of the configuration, in the forms in which they are searched for. */
interface OwnValues {
  /** Longest first, because one secret may be part of another. */
  readonly exact: readonly string[]
  /** Without what may be between their characters. */
  readonly broken: readonly string[]
  /** The length of the shortest of both. */
  readonly shortest: number
}

const known = new WeakMap<readonly string[], OwnValues>()

function ownValues(secrets: readonly string[]): OwnValues {
  const before = known.get(secrets)
  if (before) return before
  const plain = secrets.map(visible).flatMap((secret) => [secret, fullyRead(secret)])
  const long = plain.filter((secret) => secret.length >= MIN_LENGTH)
  const exact = longestFirst(long.flatMap((secret) => [secret, ...encoded(secret)]))
  const letters = plain.map((secret) => joined(new Reading(secret)).text)
  const broken = longestFirst(letters.filter(isDistinct))
  const shortest = Math.min(...[...exact, ...broken].map(({ length }) => length))
  const made = { exact, broken, shortest }
  known.set(secrets, made)
  return made
}

/** Where they are in a text. */
function ownPlacesIn(text: string, { exact, broken, shortest }: OwnValues): Range[] {
  if (text.length < shortest) return []
  const places = placesOf(exact, text)
  if (broken.length === 0) return places
  const whole = new Reading(text)
  const untagged = whole.without([tags])
  // In both, because a value may itself have what looks like a tag.
  for (const reading of (untagged ? [whole, untagged] : [whole]).map(joined))
    for (const place of placesOf(broken, reading.text)) places.push(reading.placeOf(...place))
  return places
}

function placesOf(values: readonly string[], text: string): Range[] {
  const places: Range[] = []
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
      places.push([at, at + value.length])
  }
  return places
}

function joined(reading: Reading): Reading {
  return reading.without([breaks]) ?? reading
}

/** The reading of a text without its encodings misses short ones, and those with other letters beside them. */
function encoded(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  return [bytes.toString('base64'), hex, hex.toUpperCase()]
}

function isDistinct(letters: string): boolean {
  return letters.length >= (/[^A-Za-z]/.test(letters) ? MIN_LENGTH : MAX_WORDS)
}

function longestFirst(forms: readonly string[]): string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}
