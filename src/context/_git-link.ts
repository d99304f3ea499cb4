import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** The most that is read of a `HEAD` or `.git` file. */
const MAX_BYTES = 1024

/**
 * The git folder of the work tree at `root`; '' if there is none. In a linked work tree, `.git` is a file that contains
 * its path.
 */
export async function gitFolder(root: string): Promise<string> {
  const git = join(root, '.git')
  const stat = await lstat(git).catch(() => undefined)
  if (stat?.isDirectory()) return git
  const [, path = ''] = /^gitdir: ([^\0\r\n]+)/.exec(await readShort(git)) ?? []
  return path && resolve(root, path)
}

/** Reads the start of a regular file; '' if there is none. A pipe or a device is neither waited for nor read. */
export async function readShort(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!file) return ''
  try {
    if (!(await file.stat()).isFile()) return ''
    const bytes = Buffer.alloc(MAX_BYTES)
    const { bytesRead } = await file.read(bytes, 0, MAX_BYTES, 0)
    return bytes.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  } finally {
    await file.close()
  }
}
