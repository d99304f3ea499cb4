import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'

/**
 * The PATH in which programs are looked up. Not our own: that of a worker has fewer folders, and a command such as
 * `hookbell test` may run in an agent, where a repository can put one of its own folders first.
 */
export const SYSTEM_PATH = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/run/current-system/sw/bin',
  '/snap/bin',
].join(':')

/** From the system's user database, not from HOME, which a repository may have changed. */
export function ownUser(): { homedir: string; username?: string } {
  try {
    return userInfo()
  } catch {
    // The user has no entry there, as in some containers.
    return { homedir: homedir() }
  }
}

/** The variables that a program of the user's gets. None of them comes from an agent's session. */
export function basicEnv(): Record<string, string> {
  if (process.platform === 'win32') return windowsEnv()
  const runtime = `/run/user/${process.getuid?.()}`
  const { homedir: home, username: name } = ownUser()
  return {
    PATH: SYSTEM_PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    ...(name && { USER: name, LOGNAME: name }),
    // Programs find the sound server and the session bus here.
    ...(existsSync(runtime) && { XDG_RUNTIME_DIR: runtime }),
  }
}

/** On Windows most programs need these variables, and their folders have no fixed paths. */
function windowsEnv(): Record<string, string> {
  const names = ['APPDATA', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'SYSTEMROOT', 'TEMP', 'USERPROFILE']
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']))
}
