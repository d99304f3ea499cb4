import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize, resolve } from 'node:path'
import { findClient } from '../clients/index.ts'
import type { AgentEvent } from '../event/event.ts'
import { pathGate } from '../fs/path-gate.ts'

/** The most that is read of a `HEAD` or `.git` file. */
const MAX_BYTES = 1024

/** The git folder of a linked work tree, with the name of the repository's own folder. */
const OF_WORK_TREE = /([^\\/]+?)(?:[\\/]\.git|\.git)[\\/]worktrees[\\/][^\\/]+$/

/** Paths at which file access may wait for another machine, or call a driver. No project is there. */
const NO_PROJECTS =
  /^(?:[\\/]{2}|\/(?:proc|sys|dev|net|afs|misc|Network|run\/user\/\d+\/(?:gvfs|doc))(?:\/|$))/

/**
 * The name of the folder that holds `.git`, else of the working folder itself; `home` for the user's own folder; '' where there is none. A linked work
 * tree whose own name does not contain that of its repository has both: `shop (bold-fox)`.
 * The path comes from a payload: if reading takes too long, the last part of the path is the name.
 */
export async function projectName(cwd: string, home: string, gate = pathGate): Promise<string> {
  if (!isAbsolute(cwd)) return ''
  if (cwd === home) return 'home'
  if (!mayBeProject(cwd)) return basename(cwd)
  return gate.run(() => lookUp(cwd), basename(cwd))
}

async function lookUp(cwd: string): Promise<string> {
  const root = await gitRoot(cwd)
  if (root === undefined) return basename(cwd)
  const name = basename(root)
  const [, repository = ''] = OF_WORK_TREE.exec(await gitFolder(root)) ?? []
  return nameWorkTree(name, repository)
}

type Placed = Pick<AgentEvent, 'client' | 'env' | 'cwd'>

/**
 * The folder in which the session of an event began. The agent may have changed into another one since, such as somebody
 * else's repository: that is not what the session is about. Not accessed here.
 */
export function beganIn({ client, env, cwd }: Placed, known: string | undefined): string {
  const names = findClient(client)?.beganIn ?? []
  const told = names.map((name) => env[name] ?? '').find((path) => isAbsolute(path))
  return told ?? (known || cwd)
}

/**
 * The one folder that names the project of an event, for routes, mutes, the project's own file and the journal: where the
 * agent works, while that is the repository in which its session began or a linked work tree of it; else where it began.
 * Both come from a session: if reading takes too long, the session is where it began.
 */
export async function folderOf(cwd: string, began: string, gate = pathGate): Promise<string> {
  if (began === cwd || !isAbsolute(began)) return cwd
  if (!isAbsolute(cwd) || !mayBeProject(cwd) || !mayBeProject(began)) return began
  return gate.run(async () => ((await isSameRepository(cwd, began)) ? cwd : began), began)
}

async function isSameRepository(cwd: string, began: string): Promise<boolean> {
  const [here, start] = await Promise.all([gitRoot(cwd), gitRoot(began)])
  if (here === undefined || start === undefined) return false
  if (here === start) return true
  const [ofTree, own] = await Promise.all([repositoryOf(here), repositoryOf(start)])
  // Git writes the real path into a work tree. What that names is not accessed.
  return ofTree !== '' && [own, await realpath(own).catch(() => own)].includes(ofTree)
}

/** The git folder of the repository, which its linked work trees share. */
async function repositoryOf(root: string): Promise<string> {
  return (await gitFolder(root)).replace(/[\\/]worktrees[\\/][^\\/]+$/, '')
}

/** Whether a folder may be accessed, judged by its path alone. */
export function mayBeProject(cwd: string): boolean {
  return !NO_PROJECTS.test(cwd.startsWith('//') ? cwd : normalize(cwd))
}

/** The folder that holds `.git`, at or above a folder. */
export async function gitRoot(cwd: string): Promise<string | undefined> {
  for (let folder = cwd, up = 0; up < 32; up += 1) {
    const stat = await lstat(join(folder, '.git')).catch(() => undefined)
    if (stat) return folder
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
  return undefined
}

/** The branch checked out in the repository around a folder; '' if there is none, or if reading takes too long. */
export async function branchOf(cwd: string, gate = pathGate): Promise<string> {
  if (!isAbsolute(cwd) || !mayBeProject(cwd)) return ''
  return gate.run(() => readBranch(cwd), '')
}

async function readBranch(cwd: string): Promise<string> {
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

/**
 * The git folder of the work tree at `root`; '' if there is none. In a linked work tree, `.git` is a file that contains
 * its path.
 */
async function gitFolder(root: string): Promise<string> {
  const git = join(root, '.git')
  const stat = await lstat(git).catch(() => undefined)
  if (stat?.isDirectory()) return git
  const [, path = ''] = /^gitdir: ([^\0\r\n]+)/.exec(await readShort(git)) ?? []
  return path && resolve(root, path)
}

/** Reads the start of a regular file; '' if there is none. A pipe or a device is neither waited for nor read. */
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

/** The name of a linked work tree: `shop (bold-fox)`, unless its own name contains that of the repository. */
function nameWorkTree(tree: string, repository: string): string {
  return tree.includes(repository) ? tree : `${repository} (${tree})`
}

/** The parts of such a name; of any other project only the name of its folder. */
export function partsOfName(project: string): { repository: string; tree: string } {
  const [, repository = '', tree = project] = /^(.+) \((.+)\)$/.exec(project) ?? []
  return { repository, tree }
}
