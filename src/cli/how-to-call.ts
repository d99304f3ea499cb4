import { existsSync, readFileSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'
import { homeDir } from '../fs/home.ts'
import { realPath } from '../fs/links.ts'
import { packageRoot } from '../package-root.ts'
import { quoteWord } from '../text/shell.ts'

const LOCAL_PROGRAMS = join('node_modules', '.bin')
const PROGRAM = join('bin', 'hookbell')

interface CallContext {
  /** Root folder of the running package. */
  root?: string
  cwd?: string
  path?: string | undefined
  platform?: NodeJS.Platform
  home?: string
}

/** What a user types for `hookbell`, depending on how this program was started: by npx, installed, or from a clone. */
export function howToCall({
  root = packageRoot(),
  cwd = process.cwd(),
  path = process.env.PATH,
  platform = process.platform,
}: CallContext = {}): string {
  const installedBy = npxPackage(root)
  if (installedBy !== undefined) return `npx ${quoteIfNeeded(installedBy, platform)}`
  if (platform === 'win32' ? isOnWindowsPath(root, path) : isOnPath(root, path)) return 'hookbell'
  if (root === join(cwd, 'node_modules', 'hookbell')) return 'npx hookbell'
  return `node ${quoteIfNeeded(root === cwd ? PROGRAM : programOf(root), platform)}`
}

/** What to do if this program was installed where no shell finds it; nothing otherwise. */
export function pathSteps({
  root = packageRoot(),
  path = process.env.PATH,
  platform = process.platform,
  home = homeDir(),
}: CallContext = {}): string[] {
  if (platform === 'win32' || isOnPath(root, path)) return []
  const prefix = /^(.+)\/lib\/node_modules\/hookbell$/.exec(root)?.[1]
  // A clone is linked from the folder to which it was installed: the README names this one.
  const folder = [...(prefix ? [prefix] : []), join(home, '.local')]
    .map((one) => join(one, 'bin'))
    .find((one) => realPath(join(one, 'hookbell')) === programOf(root))
  if (folder === undefined) return []
  const first = firstWith('hookbell', (path ?? '').split(delimiter))
  const before = first === undefined ? '' : ` before ${first}, which has another one`
  const line = `export PATH=${quoteWord(folder)}:"$PATH"`
  return [`put ${folder} on your PATH${before}: add to ~/.profile the line ${line}`]
}

/** Replaces `hookbell` in the commands of a message with what works on this machine. */
export function asTyped(text: string): string {
  return text.replace(COMMAND, (_, before: string) => `${before}${howToCall()} `)
}

/** Matches only after punctuation or one of these words: in "Register hookbell with" it names the program. */
const COMMAND = /(^|[:,|] |\b(?:and|by|of|or|[Rr]un|see|then) )hookbell (?=[a-z])/gm

/** What npx was asked to run, as its cache folder records: a package name, or the path of a tarball. */
function npxPackage(root: string): string | undefined {
  if (!root.includes(`${sep}_npx${sep}`)) return undefined
  try {
    const { _npx } = JSON.parse(readFileSync(join(root, '../../package.json'), 'utf8'))
    const asked = String(_npx.packages[0])
    // npx would execute a file given by an absolute path, instead of installing it.
    return isAbsolute(asked) ? `file:${asked}` : asked
  } catch {
    return 'hookbell'
  }
}

/** Whether a shell would start this copy. Skips the folders that npm and npx prepend to the PATH. */
function isOnPath(root: string, path = ''): boolean {
  const first = firstWith('hookbell', path.split(delimiter))
  return first !== undefined && realPath(join(first, 'hookbell')) === programOf(root)
}

/** The same on Windows, where npm writes a batch file next to `node_modules` instead of a link. */
function isOnWindowsPath(root: string, path = ''): boolean {
  const first = firstWith('hookbell.cmd', path.split(';'))
  return first !== undefined && realPath(join(first, 'node_modules', 'hookbell')) === realPath(root)
}

function firstWith(program: string, folders: readonly string[]): string | undefined {
  return folders
    .filter((folder) => !folder.endsWith(LOCAL_PROGRAMS))
    .find((folder) => existsSync(join(folder, program)))
}

function programOf(root: string): string {
  return join(root, PROGRAM)
}

/** @param platform on Windows a backslash needs no quotes, and cmd.exe knows only double quotes */
export function quoteIfNeeded(word: string, platform = process.platform): string {
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word)
}
