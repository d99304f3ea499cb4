import { readFileSync } from 'node:fs'
import { type Env, homeDir } from '../fs/home.ts'
import { configDir } from './paths.ts'
import { readPinned } from './pinned.ts'

/** Not the session's PATH, in which a folder of the project could choose the programs. Same list: bin/hookbell-hook. */
const SYSTEM_PATH = '/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin'
const POWERSHELL = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0'

/** The user's language and time zone. */
const LOCALE = ['LANG', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'LC_TIME', 'TZ']
/** A name such as `de_DE.UTF-8` or `Europe/Berlin`, and no absolute path. Node.js crashes if the language is longer. */
const LOCALE_VALUE = /^[A-Za-z][A-Za-z0-9]{0,10}(?:[_.@/+-][A-Za-z0-9_.@/+-]{0,51})?$/

/** Without these, programs do not start on Windows, or do not find their own files. */
const WINDOWS = [
  ...['SystemRoot', 'SystemDrive', 'windir', 'PATH', 'PATHEXT', 'ComSpec', 'TEMP', 'TMP'],
  ...['LOCALAPPDATA', 'APPDATA'],
]

/**
 * The whole environment of a worker. It serves all sessions, so no session may decide what it runs, whom it trusts, where
 * it sends or what time it is there: what `init` pinned comes first, and only paths are inherited where it pinned none.
 */
export function workerEnvironment(
  stateDir: string,
  env: Env,
  platform = process.platform,
): Record<string, string> {
  const pinned = readPinned(stateDir)
  const home = pinned?.home ?? homeDir(env, platform)
  const fallback = pinned?.fallbackDir ?? env.HOOKBELL_FALLBACK_DIR
  const isWindows = platform === 'win32'
  return {
    ...(isWindows ? (pinned?.system ?? windowsSystem(env)) : { PATH: searchPath() }),
    // Without these: the time zone of the machine, and English.
    ...pinnedLocale(stateDir),
    HOME: home,
    ...(isWindows && { USERPROFILE: home }),
    HOOKBELL_STATE_DIR: stateDir,
    HOOKBELL_CONFIG_DIR: pinned?.configDir ?? configDir(env),
    ...(fallback ? { HOOKBELL_FALLBACK_DIR: fallback } : pick(env, ['XDG_RUNTIME_DIR'])),
  }
}

/** The language and the time zone of a worker: those of the shell in which `init` ran, if it set any. */
export function pinnedLocale(stateDir: string): Record<string, string> {
  return localeOf(readPinned(stateDir)?.locale ?? {})
}

/** Variables of the language and the time zone, as far as they have names as their values. */
export function localeOf(env: Env): Record<string, string> {
  return pick(env, LOCALE, (value) => LOCALE_VALUE.test(value))
}

/** What programs need on Windows. There programs have no common folders, so the PATH is that of the user. */
export function windowsSystem(env: Env): Record<string, string> {
  return pick(env, WINDOWS)
}

/** On WSL the desktop is that of Windows and is reached through PowerShell. */
function searchPath(): string {
  return isWsl() ? `${SYSTEM_PATH}:${POWERSHELL}` : SYSTEM_PATH
}

function isWsl(): boolean {
  try {
    return /microsoft/i.test(readFileSync('/proc/sys/kernel/osrelease', 'utf8'))
  } catch {
    return false
  }
}

function pick(env: Env, names: readonly string[], isRight = (value: string) => value !== '') {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = env[name]
    if (value !== undefined && isRight(value)) picked[name] = value
  }
  return picked
}
