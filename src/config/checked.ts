/** Stands for what the configuration itself says there. */
const AS_WRITTEN = '<as written>'

/**
 * What checking a configuration came to, to be had again without the schemas. No text of the configuration is in it, so
 * that no secret can be, but only what the schemas have added to it.
 */
export interface Checked {
  outline: unknown
  /** Names of the options that are secret, by type of channel. */
  secretOptions: SecretOptions
  warnings: readonly string[]
}

export type SecretOptions = Readonly<Record<string, readonly string[]>>

/**
 * The result of a check, with `<as written>` in the place of everything that was there before it.
 * @returns undefined where a value was changed by the check: there is no outline of that
 */
export function outlineOf(written: unknown, result: unknown): unknown {
  // The order of keys is what people see.
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

/** The result of the check once more. */
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
