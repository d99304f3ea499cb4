import { stripVTControlCharacters } from 'node:util'

const PLAIN = /^[ -~]*$/
// Accents, joiners and selectors stand on the character before them.
const NONE = /^[\p{M}\p{Cf}]$/u
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u

/** Columns that a text takes in a terminal: characters of East Asia and emoji take two. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of stripVTControlCharacters(text)) {
    if (!NONE.test(character)) width += WIDE.test(character) ? 2 : 1
  }
  return width
}
