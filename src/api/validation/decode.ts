import type { Drift } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { isRecord } from '../record.ts'
import { check } from './check.ts'
import { fieldName } from './field-name.ts'

/** The response as a value, or why there is none. */
export type Decoded =
  | { value: unknown; drift: readonly Drift[] }
  | { failure: 'not-json' | 'empty' | 'other-type' }

export interface RawResponse {
  status: number
  text: string
}

/** Reads the response of an endpoint. Unknown fields stay; what is not as known is listed. */
export function decode(
  entry: Operation | undefined,
  { status, text }: RawResponse,
  input: unknown = undefined,
): Decoded {
  const parsed = parseJson(text)
  if (!entry) {
    const isEmpty = 'failure' in parsed && parsed.failure === 'empty'
    return isEmpty ? { value: undefined, drift: [] } : { drift: [], ...parsed }
  }
  if ('failure' in parsed && !(parsed.failure === 'empty' && entry.success.includes(204)))
    return parsed
  const data = 'failure' in parsed ? {} : parsed.value
  const violations = check(shapeFor(entry, input), data)
  // Not a field but the whole response: whatever this is, it is not from this endpoint.
  if (violations.length > 0 && !isRecord(data)) return { failure: 'other-type' }
  const drift = violations.map(({ path, problem }) => driftAt(entry, path, problem))
  if (!entry.success.includes(status)) drift.push(driftAt(entry, ['(status)'], `got ${status}`))
  return { value: data, drift }
}

/** Grouped rows have other fields than plain ones. */
function shapeFor({ response, groupedResponse }: Operation, input: unknown) {
  const isGrouped = isRecord(input) && input.groupBy !== undefined
  return (isGrouped && groupedResponse) || response
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
  return { endpoint: entry.id, in: 'response', path: fieldName(path, () => '[]'), problem }
}
