/** Reads a line whose secrets are marked as `«secret»`. @returns it without marks, and its expected redacted form */
export function marked(line: string): { text: string; shown: string } {
  return {
    text: line.replace(/[«»]/g, ''),
    shown: line.replace(/«[^»]*»/g, '[redacted]'),
  }
}
