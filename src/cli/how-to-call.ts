import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative, sep } from 'node:path'
import { packageRoot } from '../package-root.ts'
import { quoteWord } from '../text/shell.ts'

const LOCAL_PROGRAMS = join('node_modules', '.bin')

interface CallContext {
  /** Root folder of the running package. */
  root?: string
  cwd?: string
  path?: string | undefined
}

/** What a user types for `hookbell`, depending on how this program was started: by npx, installed, or from a clone. */
export function howToCall({
  root = packageRoot(),
  cwd = process.cwd(),
  path = process.env.PATH,
}: CallContext = {}): string {
  const installedBy = npxPackage(root)
  if (installedBy !== undefined) return `npx ${quoteIfNeeded(installedBy)}`
  if (isOnPath(root, path)) return 'hookbell'
  if (root === join(cwd, 'node_modules', 'hookbell')) return 'npx hookbell'
  return `node ${quoteIfNeeded(root === cwd ? relative(cwd, programOf(root)) : programOf(root))}`
}

/** Replaces `hookbell` in the commands of a message with what works on this machine. */
export function asTyped(text: string): string {
  return text.replace(COMMAND, (_, before: string) => `${before}${howToCall()} `)
}

/** Matches only after punctuation or one of these words: in "Register hookbell with" it names the program. */
const COMMAND = /(^|[:,] |\b(?:and|by|of|or|[Rr]un|see|then) )hookbell (?=[a-z])/gm

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
  const folders = path.split(delimiter).filter((folder) => !folder.endsWith(LOCAL_PROGRAMS))
  const first = folders.map((folder) => join(folder, 'hookbell')).find((path) => existsSync(path))
  return first !== undefined && realPath(first) === programOf(root)
}

function programOf(root: string): string {
  return join(root, 'bin', 'hookbell')
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** @param platform on Windows a backslash needs no quotes, and cmd.exe knows only double quotes */
export function quoteIfNeeded(word: string, platform = process.platform): string {
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word)
}
