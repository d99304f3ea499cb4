import { cleanText } from '../../text/clean.ts'
import { toSafeJson } from './json.ts'

// Responses are passed on even if a field is missing or of another type, so nothing here trusts a type.

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; anything else has none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** The fields of each item; anything but a list has no items. */
export function itemsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

/** Any value as readable text, without control characters for the terminal. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return cleanText(typeof value === 'string' ? value : toSafeJson(value))
}

/** A number, or 0. */
export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
