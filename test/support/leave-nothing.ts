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

/** The fallback folder of the person who runs the tests: their own agents may use it meanwhile. */
const theirs = basename(fallbackStateDir(stateDir()))

/** Folders in which programs under test could leave files, and the names there that would be ours. */
const watched = (home: string): readonly (readonly [folder: string, ours: RegExp])[] => [
  [join(home, '.run'), /^hookbell/],
  [join(home, '.config'), /^hookbell/],
  [join(home, '.local/state'), /^hookbell/],
  [join(home, '.cache'), /^hookbell/],
  // Used by programs that are started without XDG_RUNTIME_DIR.
  [`/run/user/${process.getuid?.() ?? 0}`, new RegExp(`^hookbell-(?!${theirs.slice(9)}$)`)],
  [join(root, 'test/examples'), /^\.snippets/],
]

/** Made by this file, or caches of tools that the tests start. */
const EXPECTED = /^(bin|home|tsx-\d+|node-compile-cache|npm)$/

/**
 * Gives all tests one temporary folder, and in it a home of their own, so that they neither see nor disturb what the
 * person who runs them does with hookbell meanwhile. Fails the run when something is left there.
 */
export default function leaveNothing() {
  // With another one, files that tests make would be private already, or open to the group.
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
    // It may name a registry or a proxy.
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
    // Each Node.js process would read all these certificates at its start, which takes longer than the start itself.
    NODE_EXTRA_CA_CERTS: undefined,
    HOOKBELL_TEST_CA_FILE: process.env.NODE_EXTRA_CA_CERTS,
    // As in scripts/build.ts.
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
 * Tells ext4 to put the folders in it far apart. Near each other they share inodes, and each new file then searches past
 * all files that tests have removed in the last minutes, which takes a tenth of the time. Does nothing elsewhere.
 */
function spreadFolders(folder: string) {
  spawnSync('chattr', ['+T', folder], { stdio: 'ignore' })
}

/** Undefined removes a variable. @returns what restores all of them */
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

/** What is in a folder that was left behind tells which test did so. */
function filesIn(folder: string): string[] {
  const all = statSync(folder).isDirectory() ? readdirSync(folder, { recursive: true }) : []
  return all.slice(0, 10).map(String)
}

function listOurs([folder, ours]: readonly [string, RegExp]): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.filter((name) => ours.test(name)).map((name) => join(folder, name))
}
