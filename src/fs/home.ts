import { isAbsolute, join, win32 } from 'node:path'

export type Env = Readonly<Record<string, string | undefined>>

/** The home directory, also where HOME is unset, empty or relative. On Windows agents do not read HOME. */
export function homeDir(env: Env = process.env, platform = process.platform): string {
  const names = platform === 'win32' ? ['USERPROFILE', 'HOME'] : ['HOME', 'USERPROFILE']
  const home = names.map((name) => absolute(env[name])).find(Boolean)
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

export function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined
}

/**
 * Expands a path that may begin with `~/`.
 * @returns undefined if the result is relative
 */
export function expandHome(path: string, env: Env = process.env): string | undefined {
  return absolute(/^~(?=$|[/\\])/.test(path) ? join(homeDir(env), path.slice(1)) : path)
}
