import type { HookbellError } from '../errors.ts'
import { counted } from '../text/counted.ts'

/** What to do about a configuration that cannot be used, where only its first fault is shown. */
export function problemHint({ hint = 'Correct it: hookbell config edit', others }: HookbellError) {
  if (others.length === 0) return hint
  const sentence = hint.replace(/[.?]?$/, (end) => end || '.')
  return `${sentence} ${counted(others.length, 'more fault')}: hookbell config check`
}
