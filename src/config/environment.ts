import { join } from 'node:path'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import type { Env } from '../fs/home.ts'
import { readQuietly } from '../fs/read.ts'

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
