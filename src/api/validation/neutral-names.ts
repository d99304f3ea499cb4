import type { Shape } from './shape.ts'
import { violationOf } from './violation.ts'

/** Ordinary first words of field names. A field that starts with one is not named after a company. */
const PLAIN_WORD =
  /^(assistant|base|bonus|cache|chat|child|client|current|extra|first|free|hook|initial|inclusive|input|is|last|message|model|next|original|output|parallel|parent|previous|provider|remaining|reply|request|root|router|sent|session|source|target|thinking|tool|total|used|user)(?![a-z])/

/**
 * Adds a field such as `providerPhase` or `credits` to a record, copied from the first field that has a company name
 * instead: `openaiPhase`, `factoryCredits`. The new field is not enumerable: the JSON of the record stays what was
 * received.
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
