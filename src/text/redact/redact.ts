import { argumentsIn } from './commands.ts'
import { keysIn } from './known-keys.ts'
import { namedValuesIn } from './named-values.ts'
import { type OwnValues, ownPlacesIn, ownValues } from './own-values.ts'
import { type Range, readingsOf, visible } from './readings.ts'

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
