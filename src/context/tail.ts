import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'

const TAIL_BYTES = 256 * 1024

/**
 * The last 256 KiB of a transcript, as lines. The path comes from a payload, so it is read only if it is a
 * regular file of this user under one of the client's own folders.
 * @returns no lines where any of that does not hold
 */
export async function tailLines(path: string, roots: readonly string[]): Promise<string[]> {
  const file = await openOwn(path, roots).catch(() => undefined)
  if (!file) return []
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    const lines = bytes.toString('utf8', 0, bytesRead).split('\n')
    return start > 0 ? lines.slice(1) : lines
  } finally {
    await file.close()
  }
}

async function openOwn(path: string, roots: readonly string[]) {
  const real = await realpath(expandHome(path))
  const realRoots = await Promise.all(
    roots.map((root) => realpath(expandHome(root)).catch(() => '')),
  )
  if (!realRoots.some((root) => root && real.startsWith(root + sep))) return undefined
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stat = await file.stat()
  if (stat.isFile() && stat.uid === (process.getuid?.() ?? stat.uid)) return file
  await file.close()
  return undefined
}

function expandHome(path: string): string {
  const expanded = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
  if (!isAbsolute(expanded)) throw new Error('not an absolute path')
  return expanded
}
