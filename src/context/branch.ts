import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { pathGate } from './_path-gate.ts'
import { gitRoot, mayBeProject } from './project.ts'

/** The most that is read of a `HEAD` or `.git` file. */
const MAX_BYTES = 1024

/** The branch checked out in the repository around a folder; '' if there is none, or if reading takes too long. */
export async function branchOf(cwd: string, gate = pathGate): Promise<string> {
  if (!isAbsolute(cwd) || cwd.includes('\0') || !mayBeProject(cwd)) return ''
  return gate.run(() => lookUp(cwd), '')
}

async function lookUp(cwd: string): Promise<string> {
  const root = await gitRoot(cwd)
  if (root === undefined) return ''
  const git = join(root, '.git')
  const stat = await lstat(git).catch(() => undefined)
  return branchIn(stat?.isDirectory() ? git : await linkedFolder(git, root))
}

/** In a linked work tree, `.git` is a file that names the folder. */
async function linkedFolder(file: string, folder: string): Promise<string> {
  const [, path = ''] = /^gitdir: ([^\0\r\n]+)/.exec(await readShort(file)) ?? []
  return path && resolve(folder, path)
}

async function branchIn(git: string): Promise<string> {
  // A work tree can name any folder, also one on another machine.
  if (!git || !mayBeProject(git)) return ''
  // The file is the repository's: nothing but a well-formed name is taken from it.
  const [, branch = ''] =
    /^ref: refs\/heads\/([\w][\w./+@#-]{0,199})\s*$/.exec(await readShort(join(git, 'HEAD'))) ?? []
  return branch
}

/** Reads the start of a regular file. A pipe or a device is neither waited for nor read. */
async function readShort(path: string): Promise<string> {
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
