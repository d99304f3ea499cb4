import { sha256 } from '../text/sha256.ts'

/** A hash that is the same for two hooks of one event; undefined if the event cannot be told from others. */
export function fingerprintOf(
  { client, body, truncated }: { client: string; body: Buffer; truncated: boolean },
  sessionId: string,
): string | undefined {
  if (!sessionId || truncated) return undefined
  // One hook may have read the line break at the end, the other may not have waited for it.
  const text = body.toString('latin1').trim()
  return sha256(Buffer.from(`${client}\n${text}`, 'latin1')).slice(0, 24)
}
