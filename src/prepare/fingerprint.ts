import { createHash } from 'node:crypto'

/** What two hooks of one event have in common. Nothing for an event that nobody can tell from others. */
export function fingerprintOf(
  { client, body, truncated }: { client: string; body: Buffer; truncated: boolean },
  sessionId: string,
): string | undefined {
  if (!sessionId || truncated) return undefined
  // One hook may have read the line break at the end, the other may not have waited for it.
  const text = body.toString('latin1').trim()
  const hash = createHash('sha256').update(`${client}\n${text}`, 'latin1').digest('hex')
  return hash.slice(0, 24)
}
