import { fullyRead, type Range, Reading, type Spelling, visible } from './readings.ts'

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
export interface OwnValues {
  /** Longest first, because one secret may be part of another. */
  readonly exact: readonly string[]
  /** Without what may be between their characters. */
  readonly broken: readonly string[]
  /** The length of the shortest of both. */
  readonly shortest: number
}

const known = new WeakMap<readonly string[], OwnValues>()

export function ownValues(secrets: readonly string[]): OwnValues {
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
export function ownPlacesIn(text: string, { exact, broken, shortest }: OwnValues): Range[] {
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
