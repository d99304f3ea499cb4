/** One decision: what is open, what the emulator does, and the value that handlers read. */
export function choose<const Value>(about: string, choice: string, value: Value) {
  return { about, choice, value }
}
