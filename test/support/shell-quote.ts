/** One word of a shell command line, whatever it holds: the clone may lie below a folder of any name. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
