import { cleanText } from '../../text/clean.ts'
import { toSafeJson } from './json.ts'

// Answers come as they are even if a field is missing or of another type: nothing here trusts its type.

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; anything else has none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** The fields of each item; anything but a list has no items. */
export function itemsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

/** Any value as text for a person, without what a terminal would obey. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return cleanText(typeof value === 'string' ? value : toSafeJson(value))
}

/** A number, or 0. */
export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
