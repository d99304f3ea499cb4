import { addIssue, type InputIssue } from '../errors.ts'

// Half of a pair of surrogates has no UTF-8 form: it would arrive as another character.

/** A path value as one segment: it can neither end the segment nor climb out of it. */
export function encodeSegment(name: string, value: unknown, issues: InputIssue[]): string {
  const text = String(value)
  if (/^\.{0,2}$/.test(text) || !text.isWellFormed()) {
    addIssue(issues, name, 'has no form in a path: empty, dots or broken Unicode')
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
      if (
        (Number.isFinite(item) || /^(string|boolean)$/.test(typeof item)) &&
        `${name}${item}`.isWellFormed()
      )
        query += `${query ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`
      else addIssue(issues, name || 'query', 'has no form in a query')
    }
  return query
}

/** JSON in which nothing was lost on the way, or an issue. */
export function toJson(value: unknown, issues: InputIssue[]): string | undefined {
  let lost: string | undefined
  function check(this: unknown, key: string, item: unknown) {
    // In a list, undefined would arrive as null.
    if (hasNoJson(item) || (item === undefined && Array.isArray(this))) lost ??= key
    return item
  }
  try {
    const text = JSON.stringify(value, check)
    if (lost === undefined && text !== undefined) return text
  } catch {
    // A cycle, a bigint, or a toJSON that throws.
  }
  addIssue(issues, lost || 'body', 'has no form in JSON')
  return undefined
}

function hasNoJson(item: unknown): boolean {
  if (typeof item === 'number') return !Number.isFinite(item)
  return /bigint|function|symbol/.test(typeof item)
}
