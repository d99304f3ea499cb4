import { HookbellError } from '../../errors.ts'

// JSON.stringify does not escape these, and a terminal may interpret them.
const UNSAFE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** JSON on one line, or indented. Characters that a terminal may interpret are escaped. */
export function toSafeJson(value: unknown, indent?: number): string {
  const text = stringify(value, indent)
  return text.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function stringify(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? 'null'
  } catch (cause) {
    // The value was parsed from JSON, so only its depth can be the problem.
    throw new HookbellError('E_PROTOCOL', 'the response is nested too deep to be shown', { cause })
  }
}
