import { lstatSync, type Stats, statSync } from 'node:fs'

/**
 * Whether nobody but this user and root can have changed what is at a path, so that it may be run or obeyed.
 * As ssh asks of its keys: owner, and no write permission for group or others.
 */
export function isTrusted(path: string): boolean {
  // The link itself can be exchanged by its owner only, or by the owner of its folder.
  return isOurs(lstat(path)) && isClosed(stat(path))
}

/** What need not be there is trusted where it is not. */
export function isTrustedIfPresent(path: string): boolean {
  return lstat(path) === undefined || isTrusted(path)
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

function quietly(look: () => Stats | undefined): Stats | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
