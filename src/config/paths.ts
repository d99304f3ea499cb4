import { isAbsolute, join, win32 } from 'node:path'
import { sha256 } from '../text/sha256.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where the user's `config.json`, `secrets.env` and own templates are. */
export function configDir(env: Env = process.env): string {
  return pick(env, 'HOOKBELL_CONFIG_DIR', 'XDG_CONFIG_HOME', 'APPDATA', '.config')
}

export function configPath(configDir: string): string {
  return join(configDir, 'config.json')
}

export function secretsPath(configDir: string): string {
  return join(configDir, 'secrets.env')
}

/** Where the spool, the journal, the lock and the installed front door are. */
export function stateDir(env: Env = process.env): string {
  return pick(env, 'HOOKBELL_STATE_DIR', 'XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state')
}

/** Relative paths in the environment are ignored, as the XDG specification asks. */
function pick(env: Env, own: string, xdg: string, windows: string, home: string): string {
  const exact = absolute(env[own])
  if (exact) return exact
  const base = absolute(process.platform === 'win32' ? env[windows] : env[xdg])
  return base ? join(base, 'hookbell') : join(homeDir(env), home, 'hookbell')
}

/**
 * Where the front door stores events when it cannot write to this state folder. Each state folder has its own, so that
 * no worker delivers events of another configuration. bin/hookbell-hook derives the same name.
 */
export function fallbackStateDir(state: string, env: Env = process.env): string {
  const hash = sha256(state.replace(/\/+/g, '/')).slice(0, 12)
  return join(runtimeDir(env), `hookbell-${hash}`)
}

/** The home directory, also where HOME is unset, empty or relative. */
export function homeDir(env: Env = process.env): string {
  const home = absolute(env.HOME) ?? absolute(env.USERPROFILE)
  if (home) return home
  try {
    // Loaded only here: the front door does not need it if HOME is set.
    const { homedir, userInfo } = process.getBuiltinModule('node:os')
    return absolute(userInfo().homedir) ?? homedir()
  } catch {
    // A user id without a passwd entry, as in some containers.
    return runtimeDir(env)
  }
}

/** A private directory of this user that is not under the state folder. */
export function runtimeDir(env: Env = process.env, platform = process.platform): string {
  if (platform === 'win32') return windowsRuntimeDir(env)
  return absolute(env.XDG_RUNTIME_DIR) ?? `/run/user/${process.getuid?.() ?? 0}`
}

/** Not readable by other users, unlike C:\\Windows\\Temp. */
function windowsRuntimeDir(env: Env): string {
  const local = env.LOCALAPPDATA || (env.USERPROFILE && `${env.USERPROFILE}\\AppData\\Local`)
  if (local && win32.isAbsolute(local)) return win32.join(local, 'Temp')
  return win32.join(process.getBuiltinModule('node:os').homedir(), 'AppData', 'Local', 'Temp')
}

function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined
}

/** The file that a registered command starts: an sh script, or on Windows, which has no sh, the copied code. */
export function frontDoorIn(stateDir: string, platform = process.platform): string {
  return join(stateDir, platform === 'win32' ? 'runtime/dist/hook.cjs' : 'hookbell-hook')
}
