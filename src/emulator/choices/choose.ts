export interface Choice {
  about: string
  choice: string
}

/** Declares a decision: what the specification leaves open, what the emulator does, and a value for handlers. */
export function choose(about: string, choice: string): Choice
export function choose<const Value>(
  about: string,
  choice: string,
  value: Value,
): Choice & { value: Value }
export function choose(about: string, choice: string, value?: unknown) {
  return { about, choice, ...(value !== undefined && { value }) }
}
