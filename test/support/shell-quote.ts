/** Quotes one word for a shell: the path of the clone may contain any characters. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
