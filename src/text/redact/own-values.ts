import { fullyRead, visible } from './readings.ts'

/** Shorter values are words such as `true` or a port: redacting them would only garble the text. */
const MIN_LENGTH = 6
/** One or two words, which may stand side by side in any sentence. */
const MAX_WORDS = 12

/** What programs put into a value that they wrap, quote or emphasise. */
const BETWEEN = String.raw`[\s*_~\x60>|\\\u2500-\u257f]`

/** The secrets of the configuration, in the forms in which they are searched for. */
export interface OwnValues {
  /** Longest first, because one secret may be part of another. */
  readonly exact: readonly string[]
  /** Finds them in a text without escapes, even if something is between their characters. */
  readonly broken: RegExp | undefined
}

const known = new WeakMap<readonly string[], OwnValues>()

export function ownValues(secrets: readonly string[]): OwnValues {
  const before = known.get(secrets)
  if (before) return before
  const plain = secrets.map(visible).flatMap((secret) => [secret, fullyRead(secret)])
  const long = plain.filter((secret) => secret.length >= MIN_LENGTH)
  const broken = plain.map(withoutBetween).filter(isDistinct).map(pattern)
  const made = {
    exact: longestFirst(long.flatMap((secret) => [secret, ...encoded(secret)])),
    broken: broken.length > 0 ? new RegExp(longestFirst(broken).join('|'), 'g') : undefined,
  }
  known.set(secrets, made)
  return made
}

/** The readings of a text resolve these only where there is enough of them to be sure. */
function encoded(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  return [bytes.toString('base64'), hex, hex.toUpperCase()]
}

function withoutBetween(secret: string): string {
  return secret.replace(new RegExp(BETWEEN, 'g'), '')
}

function isDistinct(letters: string): boolean {
  return letters.length >= (/[^A-Za-z]/.test(letters) ? MIN_LENGTH : MAX_WORDS)
}

/** Takes time in proportion to the text: no letter of the secret may also be between two of them. */
function pattern(letters: string): string {
  return [...letters]
    .map((letter) => letter.replace(/[$()+./?[\]^{}-]/, String.raw`\$&`))
    .join(`${BETWEEN}{0,40}`)
}

function longestFirst(forms: readonly string[]): string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}
