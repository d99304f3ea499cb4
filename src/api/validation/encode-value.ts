import { addIssue, type InputIssue } from '../errors.ts'
import { isRecord } from '../record.ts'

// Lone surrogates are refused: they have no UTF-8 form and would arrive as another character.

/** Encodes a path value as one segment: it cannot end the segment, and `..` is refused. */
export function encodeSegment(name: string, value: unknown, issues: InputIssue[]): string {
  const text = String(value)
  if (/^\.{0,2}$/.test(text) || !text.isWellFormed()) {
    addIssue(issues, name, 'cannot be sent in a path: empty, dots or broken Unicode')
    return ''
  }
  return encodeURIComponent(text)
}

/** Query values in the order given, after a `?`. Lists repeat the name. */
export function encodeQuery(
  values: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): string {
  let query = ''
  for (const [name, value] of Object.entries(values))
    for (const item of [value].flat()) {
      if (item === undefined) continue
      if (isPlain(item) && `${name}${item}`.isWellFormed())
        query += `${query ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`
      else addIssue(issues, name || 'query', 'cannot be sent in a query')
    }
  return query
}

/** The JSON of a value. Adds an issue if JSON cannot express all of it. */
export function toJson(value: unknown, issues: InputIssue[]): string | undefined {
  let lost: string | undefined
  function check(this: unknown, key: string, item: unknown) {
    // In a list, undefined would arrive as null.
    if (!hasJson(item) || (item === undefined && Array.isArray(this))) lost ??= key
    return item
  }
  try {
    const text = JSON.stringify(value, check)
    if (lost === undefined && text !== undefined) return text
  } catch {
    // A cycle, a bigint, or a toJSON that throws.
  }
  addIssue(issues, lost || 'body', 'cannot be sent as JSON')
  return undefined
}

function isPlain(item: unknown): boolean {
  return Number.isFinite(item) || /string|boolean/.test(typeof item)
}

/** False for a `Map` and the like, because JSON would contain none of their entries. */
function hasJson(item: unknown): boolean {
  return (
    item === undefined || item === null || isPlain(item) || Array.isArray(item) || isRecord(item)
  )
}
