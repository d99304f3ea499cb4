import { HookbellError } from '../../errors.ts'
import { cleanText, escapeControls } from '../../text/clean.ts'

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

/** JSON on one line, or indented. Characters that a terminal may obey or hide are escaped. */
export function toSafeJson(value: unknown, indent?: number): string {
  return escapeControls(stringify(value, indent))
}

function stringify(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? 'null'
  } catch (cause) {
    // The value was parsed from JSON, so only its depth can be the problem.
    throw new HookbellError('E_PROTOCOL', 'the response is nested too deep to be shown', { cause })
  }
}

/** Unix milliseconds as `2026-06-15 12:00:00Z`; `?` for anything else that a service sends. */
export function utcTime(at: unknown): string {
  const date = new Date(typeof at === 'number' ? at : Number.NaN)
  return Number.isNaN(date.getTime())
    ? '?'
    : `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
