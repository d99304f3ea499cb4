import { openOwn } from './tail.ts'

/** The first bytes of a transcript, up to the end of a line, under the conditions of its tail; '' where they do not hold. */
export async function readHead(
  path: string,
  roots: readonly string[],
  maxBytes: number,
): Promise<string> {
  try {
    const file = await openOwn(path, roots)
    if (!file) return ''
    try {
      const bytes = Buffer.alloc(maxBytes)
      const { bytesRead } = await file.read(bytes, 0, maxBytes, 0)
      const text = bytes.toString('utf8', 0, bytesRead)
      return text.slice(0, text.lastIndexOf('\n') + 1)
    } finally {
      await file.close()
    }
  } catch {
    return ''
  }
}
