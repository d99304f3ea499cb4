/**
 * Reads a line whose secrets are marked as `«secret»`.
 * @returns it without marks, its expected redacted form, and the secrets
 */
export function marked(line: string): { text: string; shown: string; parts: string[] } {
  return {
    text: line.replace(/[«»]/g, ''),
    shown: line.replace(/«[^»]*»/g, '[redacted]'),
    parts: [...line.matchAll(/«([^»]*)»/g)].map(([, secret = '']) => secret),
  }
}
