import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Folders in which programs under test could leave files, and the names there that would be ours. */
const watched: readonly [folder: string, ours: RegExp][] = [
  [`/run/user/${process.getuid?.() ?? 0}`, /^hookbell/],
  [join(homedir(), '.config'), /^hookbell/],
  [join(homedir(), '.local/state'), /^hookbell/],
  [join(homedir(), '.cache'), /^hookbell/],
  [join(root, 'node_modules/.cache'), /^hookbell/],
  [join(root, 'test/examples'), /^\.snippets/],
]

/** Made by this file, or caches of tools that the tests start. */
const EXPECTED = /^(bin|tsx-\d+|node-compile-cache|npm)$/

/** Gives all tests one temporary folder, and fails the run when something is left there or in a folder of the user. */
export default function leaveNothing() {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-run-'))
  // Writable for all, as /tmp is, because some tests run programs as other users.
  chmodSync(folder, 0o1777)
  const before = { folder: process.env.TMPDIR, path: process.env.PATH, left: leftovers() }
  process.env.TMPDIR = folder
  // Inside node_modules, so that the programs that are built there can import packages.
  const programs = join(root, 'node_modules/.cache', `hookbell-programs-${process.pid}`)
  process.env.HOOKBELL_TEST_PROGRAMS = programs
  // npm writes its logs there.
  process.env.npm_config_cache = join(folder, 'npm')
  // `hookbell` is on the PATH, as after `npm link`, so that messages call it by that name.
  mkdirSync(join(folder, 'bin'))
  symlinkSync(join(root, 'bin/hookbell'), join(folder, 'bin/hookbell'))
  process.env.PATH = [join(folder, 'bin'), before.path].join(delimiter)
  return () => {
    process.env.PATH = before.path
    rmSync(programs, { recursive: true, force: true })
    if (before.folder === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before.folder
    const inFolder = readdirSync(folder).filter((name) => !EXPECTED.test(name))
    const left = [...inFolder, ...leftovers().filter((path) => !before.left.includes(path))]
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    if (left.length > 0) fail(`The tests left behind: ${left.join(', ')}`)
  }
}

/** Sets the exit code itself, because Vitest reports an error in a teardown but exits 0. */
function fail(message: string) {
  process.on('exit', () => {
    console.error(`\n${message}`)
    process.exitCode = 1
  })
}

function leftovers(): string[] {
  return watched.flatMap(([folder, ours]) =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => ours.test(name))
      .map((name) => join(folder, name)),
  )
}
