/** A text whose secrets are marked `«so»`: without the marks, and how it is to be shown. */
export function marked(line: string): { text: string; shown: string } {
  return {
    text: line.replace(/[«»]/g, ''),
    shown: line.replace(/«[^»]*»/g, '[redacted]'),
  }
}
