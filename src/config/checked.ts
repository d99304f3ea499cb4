import { isObject } from '../is-object.ts'

/** Placeholder for a value that is in the configuration itself. */
const AS_WRITTEN = '<as written>'

/**
 * The result of validating a configuration, cached so that the schemas are not needed again. It contains only what the
 * schemas added, and no text of the configuration, so that it cannot contain a secret.
 */
export interface Checked {
  outline: unknown
  /** Names of the options that are secret, by type of channel. */
  secretOptions: SecretOptions
  warnings: readonly string[]
}

export type SecretOptions = Readonly<Record<string, readonly string[]>>

/**
 * The result of validation, with `<as written>` in place of everything that the configuration already had.
 * @returns undefined if validation changed a value, which an outline cannot express
 */
export function outlineOf(written: unknown, result: unknown): unknown {
  // Compared as JSON, because the order of keys counts: people see it.
  if (JSON.stringify(written) === JSON.stringify(result)) return AS_WRITTEN
  if (written === undefined) return result
  if (Array.isArray(written) && Array.isArray(result) && written.length === result.length) {
    return allOf(result.map((one, index) => outlineOf(written[index], one)))
  }
  if (!isObject(written) || !isObject(result)) return undefined
  if (
    !Object.keys(written).every((key) => Object.hasOwn(result, key) || written[key] === undefined)
  )
    return undefined
  const entries = Object.entries(result).map(([key, one]) => [key, outlineOf(written[key], one)])
  return allOf(entries.map(([, one]) => one)) && Object.fromEntries(entries)
}

/** Restores the result of validation from its outline. */
export function fillOutline(outline: unknown, written: unknown): unknown {
  if (outline === AS_WRITTEN) return written
  if (Array.isArray(outline)) {
    return outline.map((one, index) => fillOutline(one, Object(written)[index]))
  }
  if (!isObject(outline)) return outline
  const entries = Object.entries(outline)
  return Object.fromEntries(
    entries.map(([key, one]) => [key, fillOutline(one, Object(written)[key])]),
  )
}

function allOf(parts: unknown[]): unknown[] | undefined {
  return parts.includes(undefined) ? undefined : parts
}
