import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { fallbackStateDir, stateDir } from '../../src/config/paths.ts'

const root = join(import.meta.dirname, '../..')

/** The fallback folder of the person who runs the tests. It is not watched, because their own agents may use it. */
const theirs = basename(fallbackStateDir(stateDir()))

/** Folders in which programs under test could leave files, and the pattern for the names of such files. */
const watched = (home: string): readonly (readonly [folder: string, ours: RegExp])[] => [
  [join(home, '.run'), /^hookbell/],
  [join(home, '.config'), /^hookbell/],
  [join(home, '.local/state'), /^hookbell/],
  [join(home, '.cache'), /^hookbell/],
  // Used by programs that are started without XDG_RUNTIME_DIR.
  [`/run/user/${process.getuid?.() ?? 0}`, new RegExp(`^hookbell-(?!${theirs.slice(9)}$)`)],
  [join(root, 'test/examples'), /^\.snippets/],
]

/** The folders that this file makes, and caches of tools that the tests start. */
const EXPECTED = /^(bin|home|tsx-\d+|node-compile-cache|npm)$/

/**
 * Gives all tests one temporary folder with a separate home, so that they neither read nor change the hookbell files of
 * the person who runs them. Fails the run if files are left there.
 */
export default function leaveNothing() {
  // With another umask, the files of tests could be private from the start, or writable for the group.
  process.umask(0o022)
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-run-'))
  // Writable for all, as /tmp is, because some tests run programs as other users.
  chmodSync(folder, 0o1777)
  spreadFolders(folder)
  const home = join(folder, 'home')
  for (const path of [home, join(home, '.run')]) mkdirSync(path, { mode: 0o700 })
  const leftovers = () => watched(home).flatMap(listOurs)
  const before = leftovers()
  // Inside node_modules, so that the programs that are built there can import packages.
  const programs = join(root, 'node_modules/.cache', `hookbell-programs-${process.pid}`)
  const restore = setVariables({
    TMPDIR: folder,
    HOME: home,
    XDG_RUNTIME_DIR: join(home, '.run'),
    XDG_CONFIG_HOME: undefined,
    XDG_STATE_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    HOOKBELL_STATE_DIR: undefined,
    HOOKBELL_CONFIG_DIR: undefined,
    HOOKBELL_TEST_PROGRAMS: programs,
    // npm writes its logs there.
    npm_config_cache: join(folder, 'npm'),
    // The npm configuration of the person may name a registry or a proxy.
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
    // Each Node.js process would read all these certificates at its start, which takes longer than the start itself.
    NODE_EXTRA_CA_CERTS: undefined,
    HOOKBELL_TEST_CA_FILE: process.env.NODE_EXTRA_CA_CERTS,
    // The same value as in scripts/build.ts.
    GOGC: '400',
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
  })
  // `hookbell` is on the PATH, as after `npm link`, so that messages call it by that name.
  mkdirSync(join(folder, 'bin'))
  symlinkSync(join(root, 'bin/hookbell'), join(folder, 'bin/hookbell'))
  return () => {
    restore()
    rmSync(programs, { recursive: true, force: true })
    const inFolder = readdirSync(folder).filter((name) => !EXPECTED.test(name))
    const inside = (name: string) => [name, ...filesIn(join(folder, name))].join(' with ')
    const others = leftovers().filter((path) => !before.includes(path))
    const left = [...inFolder.map(inside), ...others]
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    if (left.length > 0) fail(`The tests left behind: ${left.join(', ')}`)
  }
}

/**
 * Tells ext4 to spread the subfolders over the disk. Otherwise they share a group of inodes, and each new file has to
 * skip all inodes that were freed in the last minutes, which takes a tenth of the run. No effect on other file systems.
 */
function spreadFolders(folder: string) {
  spawnSync('chattr', ['+T', folder], { stdio: 'ignore' })
}

/** Sets environment variables; undefined removes one. @returns a function that restores all of them */
function setVariables(variables: Readonly<Record<string, string | undefined>>): () => void {
  const before = { ...process.env }
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  return () => {
    for (const name of Object.keys(variables)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** Sets the exit code itself, because Vitest reports an error in a teardown but exits 0. */
function fail(message: string) {
  process.on('exit', () => {
    console.error(`\n${message}`)
    process.exitCode = 1
  })
}

/** The first names in a folder that was left behind: they show which test left it. */
function filesIn(folder: string): string[] {
  const all = statSync(folder).isDirectory() ? readdirSync(folder, { recursive: true }) : []
  return all.slice(0, 10).map(String)
}

function listOurs([folder, ours]: readonly [string, RegExp]): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.filter((name) => ours.test(name)).map((name) => join(folder, name))
}
