import type { IncomingMessage } from 'node:http'

/**
 * Reads a body as text; undefined if it is larger than allowed. The rest of a body that is too large is
 * read and dropped: a client that is still writing would otherwise miss the response.
 */
export async function readBody(request: IncomingMessage, mostBytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  return size > mostBytes ? undefined : Buffer.concat(chunks).toString('utf8')
}
