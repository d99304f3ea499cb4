import { isAbsolute, join } from 'node:path'
import { pathGate } from '../fs/path-gate.ts'
import { gitFolder, readShort } from './_git-link.ts'
import { gitRoot, mayBeProject } from './project.ts'

/** The branch checked out in the repository around a folder; '' if there is none, or if reading takes too long. */
export async function branchOf(cwd: string, gate = pathGate): Promise<string> {
  if (!isAbsolute(cwd) || !mayBeProject(cwd)) return ''
  return gate.run(() => lookUp(cwd), '')
}

async function lookUp(cwd: string): Promise<string> {
  const root = await gitRoot(cwd)
  return root === undefined ? '' : branchIn(await gitFolder(root))
}

async function branchIn(git: string): Promise<string> {
  // A work tree can name any folder, also one on another machine.
  if (!git || !mayBeProject(git)) return ''
  // Whoever made the repository controls this file: only a well-formed name is taken from it.
  const [, branch = ''] =
    /^ref: refs\/heads\/([\w][\w./+@#-]{0,199})\s*$/.exec(await readShort(join(git, 'HEAD'))) ?? []
  return branch
}
