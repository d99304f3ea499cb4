import { process } from './timers.ts'

/** Whether a value is an object, and none that holds its values elsewhere: a list, a `Map`, `URLSearchParams`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value)
}

/** A copy with each field replaced by what `change` returns for it. */
export function mapFields<From, To>(
  record: { readonly [name: string]: From },
  change: (field: [name: string, value: From]) => [name: string, value: To],
): { [name: string]: To } {
  return Object.fromEntries(Object.entries(record).map(change))
}

/** The value at a dotted path, undefined if it is not there. `-1` is the last item of a list. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const key of path.split('.')) {
    if (Array.isArray(found)) found = found.at(Number(key))
    else found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return found
}

/** The environment variables that a client reads. Not every runtime has a process. */
export function variablesOf({ env }: { env?: Variables | undefined }): Variables {
  return env ?? process?.env ?? {}
}

type Variables = Readonly<Record<string, string | undefined>>

/** A copy with all header names in lower case. */
export function lowerCased(headers: object): { [name: string]: string } {
  return mapFields(headers as { [name: string]: unknown }, ([name, value]) => [
    name.toLowerCase(),
    String(value),
  ])
}

/** A copy without the fields that are undefined. */
export function withoutUndefined<Given extends object>(record: Given): Partial<Given> {
  const fields = Object.entries(record).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields) as Partial<Given>
}

/** Calls `make` at the first call and caches its result. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Wraps a callback of the user, so that an error in it does not make a successful call fail. If the callback is
 * async, its rejection does not end the process either.
 */
export function swallowErrors<Value>(callback: (value: Value) => unknown) {
  return async (value: Value) => {
    try {
      await callback(value)
    } catch {
      // There is nobody to report the error to.
    }
  }
}

/**
 * Reads a field that the types do not declare: one that this version does not know, or one that is named after a
 * company. Undefined if the value does not have it, or is not an object.
 *
 * @example
 * fieldOf(message, 'openaiMessageId')
 * fieldOf(await client.wiki.get({ wikiRunId }), 'status')
 */
export function fieldOf(value: unknown, name: string): unknown {
  const record = Object(value)
  return Object.hasOwn(record, name) ? record[name] : undefined
}
