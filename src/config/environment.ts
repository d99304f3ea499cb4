import { join } from 'node:path'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import { readQuietly } from '../fs/read.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Agents set these for everything they run, also for a command that a person lets them run. */
const SESSION_VARIABLES = [
  'CLAUDECODE',
  'CLAUDE_PROJECT_DIR',
  'FACTORY_PROJECT_DIR',
  'DROID_PROJECT_DIR',
]

/**
 * The environment, if it is that of a person's shell. Empty in an agent's session, where a repository can set
 * variables: it must not be able to redirect messages that way.
 */
export function shellEnvironment(env: Env): Env {
  return SESSION_VARIABLES.some((name) => env[name]) ? {} : env
}

/** The values that were stored for the background worker, which never reads the environment it was started in. */
export function readStoredEnvironment(stateDir: string): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(readQuietly(environmentFile(stateDir)) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    const entries = Object.entries(stored).filter(([, value]) => typeof value === 'string')
    return Object.fromEntries(entries) as Record<string, string>
  } catch {
    return {}
  }
}

/** Stores the variables that the configuration names, from `shell` or as stored before. All others are removed. */
export function storeEnvironment(stateDir: string, names: readonly string[], shell: Env): void {
  const before = readStoredEnvironment(stateDir)
  const after: Record<string, string> = {}
  for (const name of [...names].sort()) {
    const value = (Object.hasOwn(shell, name) && shell[name]) || before[name]
    if (value) after[name] = value
  }
  if (JSON.stringify(after) === JSON.stringify(before)) return
  makeFolders(stateDir, 0o700)
  replaceFile(environmentFile(stateDir), `${JSON.stringify(after)}\n`)
}

export function environmentFile(stateDir: string): string {
  return join(stateDir, 'environment.json')
}
