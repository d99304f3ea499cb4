import { lstatSync, type Stats, statSync } from 'node:fs'

/**
 * Whether only this user and root can have changed what is at a path, so that it may be executed or followed.
 * The same conditions as ssh has for its keys: the owner, and no write permission for group or others.
 */
export function isTrusted(path: string): boolean {
  return isTrustedAs(lstat(path), path)
}

/** The same for an optional path: it is trusted if it does not exist. */
export function isTrustedIfPresent(path: string): boolean {
  const found = lstat(path)
  return found === undefined || isTrustedAs(found, path)
}

/** A link can be replaced only by its owner, or by the owner of its folder. */
function isTrustedAs(found: Stats | undefined, path: string): boolean {
  return isOurs(found) && isClosed(found?.isSymbolicLink() ? stat(path) : found)
}

function isClosed(stats: Stats | undefined): boolean {
  return isOurs(stats) && (process.platform === 'win32' || ((stats?.mode ?? 0) & 0o022) === 0)
}

function isOurs(stats: Stats | undefined): boolean {
  const uid = process.getuid?.()
  return stats !== undefined && (uid === undefined || stats.uid === uid || stats.uid === 0)
}

function lstat(path: string): Stats | undefined {
  return quietly(() => lstatSync(path, { throwIfNoEntry: false }))
}

function stat(path: string): Stats | undefined {
  return quietly(() => statSync(path, { throwIfNoEntry: false }))
}

function quietly(read: () => Stats | undefined): Stats | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
