import { lstatSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { isTrusted } from '../fs/trust.ts'
import { fallbackStateDir } from './paths.ts'

/** What `init` found in the shell of the user, and what no session changes afterwards. */
export interface Pinned {
  configDir: string
  fallbackDir: string
  home: string
  node: string
}

type Env = Readonly<Record<string, string | undefined>>

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
 * Whether something is pinned that must not be believed. Then nothing is to be started: what a session says would be
 * used instead.
 */
export function isPinRefused(stateDir: string): boolean {
  try {
    const isThere = lstatSync(pinnedPath(stateDir), { throwIfNoEntry: false }) !== undefined
    return isThere && readPinned(stateDir) === undefined
  } catch {
    // There is something, and another user keeps it closed.
    return true
  }
}

/**
 * Where the front door stores what this state folder did not take, and where older versions did so for all state
 * folders of a user.
 */
export function fallbackFolders(stateDir: string, env: Env = process.env): string[] {
  const told = env.HOOKBELL_FALLBACK_DIR
  const pinned = readPinned(stateDir)?.fallbackDir
  const own = pinned ?? (told && isAbsolute(told) ? told : fallbackStateDir(stateDir, env))
  return [own, join(dirname(own), 'hookbell')].filter((folder) => folder !== stateDir)
}
