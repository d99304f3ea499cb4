import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative, sep } from 'node:path'
import { packageRoot } from '../package-root.ts'
import { quoteWord } from '../text/shell.ts'

const LOCAL_PROGRAMS = join('node_modules', '.bin')

interface Around {
  /** Of the package that runs. */
  root?: string
  cwd?: string
  path?: string | undefined
}

/** What to type for `hookbell` where this program was started: by npx, installed, or from a clone. */
export function howToCall({
  root = packageRoot(),
  cwd = process.cwd(),
  path = process.env.PATH,
}: Around = {}): string {
  const installedBy = npxPackage(root)
  if (installedBy !== undefined) return `npx ${quoteIfNeeded(installedBy)}`
  if (isOnPath(root, path)) return 'hookbell'
  if (root === join(cwd, 'node_modules', 'hookbell')) return 'npx hookbell'
  return `node ${quoteIfNeeded(root === cwd ? relative(cwd, programOf(root)) : programOf(root))}`
}

/** A text of ours with the commands in it as they work here. */
export function asTyped(text: string): string {
  return text.replace(COMMAND, (_, before: string) => `${before}${howToCall()} `)
}

/** After a colon or such a word: "Register hookbell with" names the program, not a command. */
const COMMAND = /(^|[:,] |\b(?:and|by|of|or|[Rr]un|see|then) )hookbell (?=[a-z])/gm

/** What npx was asked to run: a name, or the path of a packed file. Its folder says so. */
function npxPackage(root: string): string | undefined {
  if (!root.includes(`${sep}_npx${sep}`)) return undefined
  try {
    const { _npx } = JSON.parse(readFileSync(join(root, '../../package.json'), 'utf8'))
    const asked = String(_npx.packages[0])
    // npx would start a file that is named by its whole path, instead of installing it.
    return isAbsolute(asked) ? `file:${asked}` : asked
  } catch {
    return 'hookbell'
  }
}

/** The first one is what a shell starts. npm and npx put folders in front that a terminal does not look into. */
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

/** @param platform cmd.exe and PowerShell take a backslash as it is, and cmd.exe no single quotes */
export function quoteIfNeeded(word: string, platform = process.platform): string {
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word)
}
