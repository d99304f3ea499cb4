import { escapeControls } from './clean.ts'

/** Quotes a word for a POSIX shell, whatever it contains. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * The same for a command to show to a person: what a terminal would obey or hide is written as an escape, in the quotes in
 * which shells such as `bash` and `zsh` read one.
 */
export function quoteShown(word: string): string {
  if (escapeControls(word) === word) return quoteWord(word)
  return `$'${escapeControls(word.replace(/[\\']/g, String.raw`\$&`))}'`
}
