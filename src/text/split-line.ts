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
