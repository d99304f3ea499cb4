import { messageAt, type Place } from './position.ts'

/** Settings of earlier versions, with what became of them. They are accepted, ignored and reported. */
const retired: Readonly<Record<string, string>> = {
  retentionDays: 'has no effect, because settled events are deleted; remove it',
}

export function withoutRetired(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => !Object.hasOwn(retired, key)))
}

export function retiredWarnings(raw: object, place: Place): string[] {
  return Object.entries(retired)
    .filter(([key]) => Object.hasOwn(raw, key))
    .map(([key, what]) => messageAt(place, [key], what))
}
