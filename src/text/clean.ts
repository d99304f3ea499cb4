/** C0 and C1 controls and bidirectional overrides; newline and tab stay. */
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Colours, also as `grep` writes them, which clears the rest of the line after each. Other sequences stay without their
 * escape character: they could hide a part of a command.
 */
const COLOURS = /\u001b\[(?:[\d;:]*m|0?K)/g

/** Anything but words of printable ASCII with one space between them: most ids, names and paths have nothing else. */
const NOT_PLAIN = /[^ -~]|^ | {2}| $/

/** Text that is safe to show anywhere: well-formed, without colours and control characters, CRLF as newline. */
export function cleanText(text: string): string {
  if (!NOT_PLAIN.test(text)) return text
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(COLOURS, '').replace(CONTROL, '')
}

/** The same on one line, with single spaces. */
export function oneLine(text: string): string {
  if (!NOT_PLAIN.test(text)) return text
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/**
 * Replaces what a terminal would obey or hide by JSON escapes: control characters, marks that change the direction
 * of text, zero-width characters. Line ends and tabs stay.
 */
export function escapeControls(text: string): string {
  return text.replace(
    /(?!\r\n)[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A path or a name to show to a person, on one line. */
export function showPath(path: string): string {
  return escapeControls(path).replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}

/** `CommaExpected` to `comma expected`. */
export function splitWords(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

let graphemes: Intl.Segmenter | undefined

/** Each unit is a grapheme. Not with line ends: CR and LF are one. */
const ASCII = /^[ -~]*$/

/**
 * Truncates to at most `max` UTF-16 units at a grapheme boundary, and ends with an ellipsis if text was cut.
 * A match of `whole` is kept whole or left out.
 */
export function cutText(text: string, max: number, whole?: RegExp): string {
  if (text.length <= max) return text
  if (max < 1) return ''
  // Text far behind the cut cannot change it, and segmenting a megabyte is slow.
  const near = text.slice(0, 2 * max + 100)
  // The last unit is for the ellipsis, so the grapheme that contains it is dropped.
  const point = graphemeAt(near, max - 1)
  const tokens = whole ? [...near.matchAll(whole)] : []
  const split = tokens.find(({ index, 0: token }) => index < point && point < index + token.length)
  return `${withoutHalf(text.slice(0, split?.index ?? point)).trimEnd()}…`
}

/** Where the grapheme that contains a unit begins. One that fills the whole text (stacked accents) is cut in the middle. */
function graphemeAt(text: string, unit: number): number {
  if (ASCII.test(text)) return unit
  // Loaded on first use: it costs a short-lived command a third of its time.
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return graphemes.segment(text).containing(unit)?.index || unit
}

/**
 * The start of a text, up to the end of a word: half a secret would not be recognized as one. Only a single word that is
 * longer than that is cut in the middle.
 */
export function startOf(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed()
  const end = text.slice(0, max + 1).search(/\s\S*$/)
  return text.slice(0, end > 0 ? end : max).toWellFormed()
}

/** The same as `cutText`, in the middle: the end of a name may tell it apart from others. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const start = cutText(text, Math.ceil(max / 2))
  const from = text.length - (max - start.length)
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const { index, segment } = graphemes.segment(text).containing(from) ?? {
    index: from,
    segment: '',
  }
  return start + text.slice(index < from ? index + segment.length : from).trimStart()
}

/** Drops the first half of a surrogate pair that was cut in two. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
