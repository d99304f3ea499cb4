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

/**
 * Splits a line into words as a shell does, without anything else that a shell does: no variables, no patterns, no
 * commands. On Windows a backslash is part of a path.
 * @returns undefined if a quote is not closed
 */
export function splitLine(line: string, platform = process.platform): string[] | undefined {
  const backslash = platform === 'win32' ? '' : String.raw`|\\([^])`
  const piece = new RegExp(String.raw`"([^"]*)"|'([^']*)'${backslash}|([^\s"'])`, 'y')
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; ) {
    if (/\s/.test(line.charAt(at))) {
      if (word !== undefined) words.push(word)
      word = undefined
      at += 1
      continue
    }
    piece.lastIndex = at
    const match = piece.exec(line)
    if (!match) return undefined
    word = (word ?? '') + (match.slice(1).find((part) => part !== undefined) ?? '')
    at = piece.lastIndex
  }
  return word === undefined ? words : [...words, word]
}
