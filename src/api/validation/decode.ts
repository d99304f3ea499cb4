import type { Operation } from '../core/operation.ts'
import { isRecord } from '../core/record.ts'
import { check } from './check.ts'
import { addNeutralNames } from './neutral-names.ts'

/** A known field that was missing or of another type than known. */
export interface Drift {
  /** The `id` of the endpoint. */
  endpoint: string
  /** Where in the answer; `[]` stands for any index. */
  path: string
  problem: string
}

/** The answer as a value, or why there is none. Pure. */
export type Decoded =
  | { value: unknown; drift: readonly Drift[] }
  | { failure: 'not-json' | 'empty' | 'other-type' }

export interface Answer {
  status: number
  text: string
}

/** Reads the answer of an endpoint. Fields that nobody knows stay; what is wrong is listed. */
export function decode(entry: Operation, { status, text }: Answer): Decoded {
  const parsed = parseJson(text)
  if ('failure' in parsed && !(parsed.failure === 'empty' && entry.emptyResponse)) return parsed
  const data = 'failure' in parsed ? {} : parsed.value
  const violations = check(entry.response, data)
  // Not a field but the whole answer: whatever this is, it is not from this endpoint.
  if (violations.length > 0 && !isRecord(data)) return { failure: 'other-type' }
  const drift = violations.map(({ path, problem }) => driftAt(entry, path, problem))
  if (!entry.success.includes(status)) drift.push(driftAt(entry, ['(status)'], `got ${status}`))
  const { neutralNames } = entry
  return { value: neutralNames ? addNeutralNames(data, neutralNames) : data, drift }
}

/** Reads JSON text, and tells an empty text from a broken one. */
export function parseJson(text: string): { value: unknown } | { failure: 'not-json' | 'empty' } {
  try {
    return { value: JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) }
  } catch {
    return { failure: text.trim() === '' ? 'empty' : 'not-json' }
  }
}

function driftAt(entry: Operation, path: readonly PropertyKey[], problem: string): Drift {
  const text = path.map((key) => (typeof key === 'number' ? '[]' : `.${String(key)}`)).join('')
  return { endpoint: entry.id, path: text.replace(/^\./, ''), problem }
}
