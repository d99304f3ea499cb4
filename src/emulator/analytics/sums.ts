import type { Counts, TokenCounts } from './user-day.ts'

export function sum(values: readonly number[]) {
  return values.reduce((total, value) => total + value, 0)
}

/** Adds up counts by name; sorted by name. */
export function addCounts(all: readonly Counts[]): [string, number][] {
  const names = [...new Set(all.flatMap((counts) => Object.keys(counts)))].sort()
  return names.map((name) => [name, sum(all.map((counts) => counts[name] ?? 0))])
}

export function total(counts: Counts) {
  return sum(Object.values(counts))
}

export function addTokens(all: readonly TokenCounts[]): TokenCounts {
  const of = (field: keyof TokenCounts) => sum(all.map((counts) => counts[field]))
  return {
    billable_tokens: of('billable_tokens'),
    input_tokens: of('input_tokens'),
    output_tokens: of('output_tokens'),
    cache_read_tokens: of('cache_read_tokens'),
    cache_write_tokens: of('cache_write_tokens'),
  }
}

/** A quotient to two decimals; 0 if there is nothing to divide by. */
export function ratio(part: number, whole: number) {
  return whole === 0 ? 0 : Math.round((part / whole) * 100) / 100
}

/** The value below which a share of the values lies. */
export function percentile(values: readonly number[], share: number) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
