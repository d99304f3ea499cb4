/** C0 and C1 controls and bidirectional overrides; newline and tab stay. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Text that is safe to show anywhere: well-formed, without control characters, CRLF as newline. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL, '')
}

export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts to at most `max` UTF-16 units on a grapheme border, and says so with an ellipsis. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, max + 64))) {
    if (index + segment.length > max - 1) break
    end = index + segment.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}
