import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import { isTrusted, isTrustedIfPresent, strangerOf } from '../fs/ownership.ts'
import { readQuietly } from '../fs/read.ts'
import { packageVersion } from '../version.ts'
import { configPath, secretsPath } from './paths.ts'
import { lastChange } from './stamp.ts'

// A cache in the state folder for what is derived from the configuration, valid until one of its files changes. Loading
// the configuration takes as long as starting Node.js. Nothing secret is cached, and nothing from an invalid file.

/** The age at which a file counts as unchanged: a later change is sure to get another timestamp. */
const SETTLED_AFTER_MS = 2000

// Inserted by scripts/build.ts. It changes with the configuration's schema.
declare const BUILT_SCHEMA: string | undefined

/** @param files the stamp of the files; read it before the files themselves */
export function cacheStamp(configDir: string, files: string): string {
  const schema = typeof BUILT_SCHEMA === 'string' ? BUILT_SCHEMA : 'source'
  return `${packageVersion()} ${schema} ${configDir} ${files}`
}

/** Reads a cached value; undefined if it is from other files, or if another user may have written it. */
export function readCached(stateDir: string, name: string, stamp: string): unknown {
  const path = cachePath(stateDir, name)
  const text = readQuietly(path)
  if (text === undefined || ![stateDir, dirname(path), path].every(isTrusted)) return undefined
  try {
    const kept = JSON.parse(text)
    return kept.stamp === stamp ? kept.value : undefined
  } catch {
    return undefined
  }
}

/**
 * Best effort: if it fails, the configuration is loaded again next time. Root leaves nothing in the folder of another
 * user, who could neither read nor replace it.
 */
export function writeCached(stateDir: string, name: string, { stamp, value }: Kept) {
  if (!existsSync(stateDir) || strangerOf(stateDir) !== undefined) return
  const path = cachePath(stateDir, name)
  try {
    makeFolders(dirname(path), 0o700)
    replaceFile(path, JSON.stringify({ stamp, value }))
  } catch {}
}

interface Kept {
  stamp: string
  value: unknown
}

/** Whether the stamp reveals every later change. Not for group-writable files: it does not cover group members. */
export function mayBeCached(configDir: string, now: number): boolean {
  const isSettled = now - lastChange(configDir) > SETTLED_AFTER_MS
  return isSettled && [configPath(configDir), secretsPath(configDir)].every(isTrustedIfPresent)
}

function cachePath(stateDir: string, name: string): string {
  return join(stateDir, 'cache', `${name}.json`)
}
