import { showPath } from './clean.ts'

/** Quotes a word for a POSIX shell, whatever it contains. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * The same for a command to show to a person: ends of lines, and what a terminal would obey or hide, are written as
 * escapes, in the quotes in which shells such as `bash` and `zsh` read them.
 */
export function quoteShown(word: string): string {
  if (showPath(word) === word) return quoteWord(word)
  return `$'${showPath(word.replace(/[\\']/g, String.raw`\$&`))}'`
}
