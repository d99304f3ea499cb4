/** JSON below this depth can be stored, copied and written again without running out of stack. */
export const DEEPEST = 100

/** Whether JSON is nested too deep. Looks at the text, since a parsed value can no longer be walked safely. */
export function isTooDeep(json: string): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') at = endOfString(json, at)
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > DEEPEST) return true
  }
  return false
}

function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
