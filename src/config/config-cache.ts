import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import { isTrusted, isTrustedIfPresent, strangerOf } from '../fs/ownership.ts'
import { readQuietly } from '../fs/read.ts'
import { isObject } from '../is-object.ts'
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

/** Placeholder for a value that is in the configuration itself. */
const AS_WRITTEN = '<as written>'

/**
 * The result of validating a configuration, cached so that the schemas are not needed again. It contains only what the
 * schemas added, and no text of the configuration, so that it cannot contain a secret.
 */
export interface Checked {
  outline: unknown
  /** Names of the options that are secret, by type of channel. */
  secretOptions: SecretOptions
  warnings: readonly string[]
}

export type SecretOptions = Readonly<Record<string, readonly string[]>>

/**
 * The result of validation, with `<as written>` in place of everything that the configuration already had.
 * @returns undefined if validation changed a value, which an outline cannot express
 */
export function outlineOf(written: unknown, result: unknown): unknown {
  // Compared as JSON, because the order of keys counts: people see it.
  if (JSON.stringify(written) === JSON.stringify(result)) return AS_WRITTEN
  if (written === undefined) return result
  if (Array.isArray(written) && Array.isArray(result) && written.length === result.length) {
    return allOf(result.map((one, index) => outlineOf(written[index], one)))
  }
  if (!isObject(written) || !isObject(result)) return undefined
  if (
    !Object.keys(written).every((key) => Object.hasOwn(result, key) || written[key] === undefined)
  )
    return undefined
  const entries = Object.entries(result).map(([key, one]) => [key, outlineOf(written[key], one)])
  return allOf(entries.map(([, one]) => one)) && Object.fromEntries(entries)
}

/** Restores the result of validation from its outline. */
export function fillOutline(outline: unknown, written: unknown): unknown {
  if (outline === AS_WRITTEN) return written
  if (Array.isArray(outline)) {
    return outline.map((one, index) => fillOutline(one, Object(written)[index]))
  }
  if (!isObject(outline)) return outline
  const entries = Object.entries(outline)
  return Object.fromEntries(
    entries.map(([key, one]) => [key, fillOutline(one, Object(written)[key])]),
  )
}

function allOf(parts: unknown[]): unknown[] | undefined {
  return parts.includes(undefined) ? undefined : parts
}
