import type { InputIssue } from '../errors.ts'

/** A path value as one segment: it can neither end the segment nor climb out of it. */
export function encodeSegment(name: string, value: unknown, issues: InputIssue[]): string {
  const text = String(value)
  if (text === '' || text === '.' || text === '..' || isBroken(text)) {
    issues.push({ field: name, problem: 'has no form in a path: empty, dots or broken Unicode' })
    return ''
  }
  return encodeURIComponent(text)
}

/** Query values in the order given. Lists repeat the name. */
export function encodeQuery(
  values: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      const text = queryText(item)
      if (text !== undefined && !isBroken(text + name)) {
        pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
      } else if (item !== undefined) {
        issues.push({ field: name || 'query', problem: 'has no form in a query' })
      }
    }
  }
  return pairs.join('&')
}

/** Half of a pair of surrogates has no UTF-8 form: it would arrive as another character. */
function isBroken(text: string): boolean {
  // The first test is quick and says no to nearly every text.
  return /[\ud800-\udfff]/.test(text) && /\p{Surrogate}/u.test(text)
}

function queryText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'boolean' ? String(value) : undefined
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
  issues.push({ field: lost || 'body', problem: 'has no form in JSON' })
  return undefined
}

function hasNoJson(item: unknown): boolean {
  if (typeof item === 'number') return !Number.isFinite(item)
  return typeof item === 'bigint' || typeof item === 'function' || typeof item === 'symbol'
}
