import { join } from 'node:path'
import { absolute, type Env, homeDir, runtimeDir } from '../fs/home.ts'
import { sha256 } from '../text/sha256.ts'

/** Where the user's `config.json`, `secrets.env` and own templates are. */
export function configDir(env: Env = process.env): string {
  return pick(env, 'HOOKBELL_CONFIG_DIR', 'XDG_CONFIG_HOME', 'APPDATA', '.config')
}

export function configPath(configDir: string): string {
  return join(configDir, 'config.json')
}

/** `config.jsonc`, a common name for JSON with comments. It is not read, only reported. */
export function misnamedPath(path: string): string {
  return `${path}c`
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

/** The file that a registered command starts: an sh script, or on Windows, which has no sh, the copied code. */
export function frontDoorIn(stateDir: string, platform = process.platform): string {
  return join(stateDir, platform === 'win32' ? 'runtime/dist/hook.cjs' : 'hookbell-hook')
}
