import { HookbellError } from '../../errors.ts'
import { escapeControls } from '../../text/clean.ts'

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
