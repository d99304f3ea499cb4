import type { Drift } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { isRecord } from '../record.ts'
import type { ResponseHeaders } from '../transport.ts'
import { check, fieldName } from './check.ts'

/** The value of a response, or what the response is instead, such as `empty`. */
type Decoded = { value: unknown; drift: readonly Drift[] } | { problem: string }

interface RawResponse {
  status: number
  text: string
  headers?: ResponseHeaders
}

/** Reads the response of an endpoint. Unknown fields are kept; differences from the known shape are listed. */
export function decode(
  entry: Operation | undefined,
  response: RawResponse,
  input?: unknown,
): Decoded {
  const { status, text } = response
  const parsed = parseJson(text) ?? valueOfNothing(entry, text)
  if (!parsed) return { problem: describeBody(response) }
  const { value } = parsed
  if (!entry) return { value, drift: [] }
  const shape = shapeFor(entry, input)
  const violations = shape ? check(shape, value) : []
  // Not a field but the whole response is wrong, so it does not come from this endpoint.
  if (violations.length > 0 && !isRecord(value)) return { problem: 'not an object' }
  const drift = violations.map(({ path, problem }) => driftAt(entry, path, problem))
  if (!entry.success.includes(status)) drift.push(driftAt(entry, ['(status)'], `got ${status}`))
  return { value, drift }
}

/** What an empty response stands for, where one is allowed: also where the response is not documented. */
function valueOfNothing(entry: Operation | undefined, text: string) {
  if (text.trim()) return undefined
  if (!entry?.response) return { value: undefined }
  return entry.success.includes(204) ? { value: {} } : undefined
}

/** Grouped rows have other fields than plain ones. */
function shapeFor({ response, groupedResponse }: Operation, input: unknown) {
  const isGrouped = isRecord(input) && input.groupBy !== undefined
  return (isGrouped && groupedResponse) || response
}

/** Reads JSON text. Undefined if it is empty or broken. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) }
  } catch {
    return undefined
  }
}

/** Describes a body that cannot be read. One that is not JSON did not come from the API itself. */
export function describeBody({ headers = {}, text }: RawResponse): string {
  if (!text.trim()) return 'empty'
  // Otherwise the transport has decompressed it.
  const isCompressed = text.includes('\ufffd')
  const form = (isCompressed && headers['content-encoding']) || headers['content-type']
  if (/\bjson\b/i.test(String(form))) return 'broken JSON'
  return form ? `not JSON, but ${form}, perhaps from a proxy` : 'not JSON'
}

function driftAt(entry: Operation, path: readonly PropertyKey[], problem: string): Drift {
  return { endpoint: entry.id, in: 'response', path: fieldName(path, () => '[]'), problem }
}
