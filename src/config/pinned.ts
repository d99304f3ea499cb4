import { lstatSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Env } from '../fs/home.ts'
import { isTrusted } from '../fs/ownership.ts'
import { fallbackStateDir } from './paths.ts'

/** What `init` found in the user's shell. No session can change it afterwards. */
export interface Pinned {
  configDir: string
  fallbackDir: string
  home: string
  node: string
  /** The variables that name the language and the time zone, as far as they are set. */
  locale?: Readonly<Record<string, string>>
  /** On Windows: the variables that programs need there. */
  system?: Readonly<Record<string, string>>
}

const names = ['configDir', 'fallbackDir', 'home', 'node'] as const

export function pinnedPath(stateDir: string): string {
  return join(stateDir, 'runtime', 'pinned.json')
}

/** @returns undefined where `init` never ran for this state folder, or where others may write the file */
export function readPinned(stateDir: string): Pinned | undefined {
  const path = pinnedPath(stateDir)
  try {
    if (![stateDir, dirname(path), path].every(isTrusted)) return undefined
    const values = JSON.parse(readFileSync(path, 'utf8'))
    const isWhole = names.every((name) => isAbsolute(String(values[name])))
    return isWhole ? values : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether there are pinned paths that must not be trusted. Then nothing may be started, because paths that the session
 * sets would be used instead.
 */
export function isPinRefused(stateDir: string): boolean {
  try {
    const isThere = lstatSync(pinnedPath(stateDir), { throwIfNoEntry: false }) !== undefined
    return isThere && readPinned(stateDir) === undefined
  } catch {
    // The folder exists, but another user denies access to it.
    return true
  }
}

/** The folders in which the front door stores events that this state folder did not take. */
export function fallbackFolders(stateDir: string, env: Env = process.env): string[] {
  const told = env.HOOKBELL_FALLBACK_DIR
  const pinned = readPinned(stateDir)?.fallbackDir
  const own = pinned ?? (told && isAbsolute(told) ? told : fallbackStateDir(stateDir, env))
  return [own].filter((folder) => folder !== stateDir)
}
