import type { Shape } from './shape.ts'
import { violationOf } from './violation.ts'

/** First words that say what a field is about. A name that starts with one does not name a company. */
const PLAIN_WORD =
  /^(assistant|base|bonus|cache|chat|child|client|current|extra|first|free|hook|initial|inclusive|input|is|last|message|model|next|original|output|parallel|parent|previous|provider|remaining|reply|request|root|router|sent|session|source|target|thinking|tool|total|used|user)(?![a-z])/

/**
 * Adds `providerPhase` or `credits` to a record, from the first field that is called like it after the name of a
 * company: `openaiPhase`, `factoryCredits`. JSON and `Object.keys` leave the new field out: what is passed on is
 * what was received.
 */
export function addNeutralName(record: Record<string, unknown>, name: string, shape: Shape) {
  if (Object.hasOwn(record, name)) return
  const ending = name.replace(/^provider|^./, (start) => (start[1] ? '' : start.toUpperCase()))
  const found = Object.keys(record).find(
    (key) =>
      key.length > ending.length &&
      key.endsWith(ending) &&
      !PLAIN_WORD.test(key) &&
      !violationOf(shape, record[key]),
  )
  if (found)
    Object.defineProperty(record, name, {
      value: record[found],
      writable: true,
      configurable: true,
    })
}
