import type { FieldTest, Where } from '../clients/payload-facts.ts'
import { isObject } from '../is-object.ts'

/** A JSON object as received. Only own properties are ever read, so a payload cannot reach a prototype. */
export type Payload = Readonly<Record<string, unknown>>

export const isPayload: (value: unknown) => value is Payload = isObject

/** The value of a field; dots lead into nested objects. Falls back to the same path below `properties`. */
export function fieldOf(payload: Payload, path: string): unknown {
  const direct = valueAt(payload, path)
  if (direct !== undefined) return direct
  const inner = ownValue(payload, 'properties')
  return isPayload(inner) ? valueAt(inner, path) : undefined
}

/** The first field that is a non-empty string. Lone surrogates are replaced: encoders would throw on them later. */
export function textOf(payload: Payload, ...paths: readonly string[]): string {
  for (const path of paths) {
    const value = fieldOf(payload, path)
    if (typeof value === 'string' && value.trim() !== '') return value.trim().toWellFormed()
  }
  return ''
}

/** Whether all conditions hold. */
export function matches(payload: Payload, where: Where): boolean {
  return Object.entries(where).every(([path, test]) => passes(fieldOf(payload, path), test))
}

/** `true` requires any value, `false` none; a list passes if its last entry does. */
export function passes(value: unknown, test: FieldTest): boolean {
  if (typeof test === 'boolean') return isPresent(value) === test
  const text = Array.isArray(value) ? value.at(-1) : value
  if (typeof text !== 'string') return false
  return typeof test === 'string' ? text === test : test.test(text)
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function valueAt(payload: Payload, path: string): unknown {
  if (!path.includes('.')) return ownValue(payload, path)
  let value: unknown = payload
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = value[Number(name)]
    else if (isPayload(value)) value = ownValue(value, name)
    else return undefined
  }
  return value
}

function ownValue(payload: Payload, name: string): unknown {
  return Object.hasOwn(payload, name) ? payload[name] : undefined
}
