/** Quotes a word for a POSIX shell, whatever it contains. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
