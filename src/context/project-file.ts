import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { PROJECT_FILE } from '../config/project-config.ts'
import { errorCode } from '../errors.ts'
import { pathGate } from '../fs/path-gate.ts'
import { sha256 } from '../text/sha256.ts'
import { gitRoot, mayBeProject } from './project.ts'

const MAX_BYTES = 64 * 1024

/** A project's own file as found. None of it is trusted yet. */
export interface ProjectFile {
  /** The real path of the project's top folder. */
  root: string
  owner: number
  text: string
  hash: string
}

/** A file that exists but is not read. */
export interface RefusedFile {
  root: string
  refused: string
}

/**
 * Reads the file of the project around a folder. The folder comes from a payload, so nothing is waited for, the file
 * must not be a link, and only a regular file of this user is read.
 * @returns undefined if there is none, or if reading takes too long
 */
export async function readProjectFile(
  cwd: string,
  home: string,
  gate = pathGate,
): Promise<ProjectFile | RefusedFile | undefined> {
  if (!isAbsolute(cwd) || cwd.includes('\0') || cwd === home || !mayBeProject(cwd)) return undefined
  return gate.run(async () => {
    const root = await realpath((await gitRoot(cwd)) ?? cwd)
    // A link may lead to another machine.
    if (root === home || !mayBeProject(root)) return undefined
    return await readIn(root)
  }, undefined)
}

async function readIn(root: string): Promise<ProjectFile | RefusedFile | undefined> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  let file: FileHandle
  try {
    file = await open(join(root, PROJECT_FILE), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = errorCode(error) ?? 'unknown'
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return { root, refused: code === 'ELOOP' ? 'a symbolic link' : `cannot be opened (${code})` }
  }
  try {
    const stat = await file.stat()
    const me = process.getuid?.()
    if (!stat.isFile()) return { root, refused: 'not a regular file' }
    if (me !== undefined && stat.uid !== me) return { root, refused: 'belongs to another user' }
    const bytes = await readStart(file)
    if (bytes.length > MAX_BYTES) return { root, refused: `larger than ${MAX_BYTES} bytes` }
    const hash = sha256(bytes)
    return { root, owner: stat.uid, text: bytes.toString('utf8').replace(/^\uFEFF/, ''), hash }
  } finally {
    await file.close()
  }
}

/** Reads up to one byte more than is allowed, to notice a larger file whatever size `stat` reports. */
async function readStart(file: FileHandle): Promise<Buffer> {
  const bytes = Buffer.alloc(MAX_BYTES + 1)
  let size = 0
  while (size < bytes.length) {
    const { bytesRead } = await file.read(bytes, size, bytes.length - size, size)
    if (bytesRead === 0) break
    size += bytesRead
  }
  return bytes.subarray(0, size)
}
