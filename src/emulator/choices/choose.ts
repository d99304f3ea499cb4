export interface Choice {
  about: string
  choice: string
}

/** A decision of ours: what is open, what the emulator does, and the value where a handler needs one. */
export function choose(about: string, choice: string): Choice
export function choose<const Value>(
  about: string,
  choice: string,
  value: Value,
): Choice & { value: Value }
export function choose(about: string, choice: string, value?: unknown) {
  return { about, choice, ...(value !== undefined && { value }) }
}
