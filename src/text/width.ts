import { stripVTControlCharacters } from 'node:util'

/** ASCII, Latin letters, and the dashes, quotes and dots of Western texts: one column each. */
const PLAIN = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/

/** Columns that a text takes in a terminal: characters of East Asia and emoji take two. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  const { none, wide } = rareWidths()
  let width = 0
  for (const character of stripVTControlCharacters(text)) {
    if (!none.test(character)) width += wide.test(character) ? 2 : 1
  }
  return width
}

let rare: { none: RegExp; wide: RegExp } | undefined

/** Made at the first use: compiling the Unicode properties takes a twentieth of a start. */
function rareWidths() {
  rare ??= {
    // Accents, joiners and selectors combine with the character before them.
    none: /^[\p{M}\p{Cf}]$/u,
    wide: /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u,
  }
  return rare
}
