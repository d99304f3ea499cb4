import type { Stats } from 'node:fs'
import { HookbellError, usageError } from '../../errors.ts'
import { makeFolders, replaceFile } from '../../fs/durable.ts'
import { targetOf } from '../../fs/links.ts'
import { checkFolder } from '../../fs/ownership.ts'
import { readRegular } from '../../fs/read.ts'
import { withLock } from '../../fs/with-lock.ts'
import { secretsPath } from '../paths.ts'
import { checkPrivate, MAX_BYTES, nameIn, parseSecrets } from './secrets.ts'

/**
 * Writes one secret into `secrets.env`. Lines of other secrets and comments stay as they are.
 * @throws HookbellError E_CONFIG if others own or can read the file, E_USAGE for a value that does not fit on a line
 */
export function writeSecret(configDir: string, name: string, value: string): void {
  const line = `${name}=${quoted(value)}`
  edit(configDir, (lines) => {
    const at = lines.findLastIndex((one) => nameIn(one) === name)
    if (at < 0) return [...withoutEnd(lines), line, '']
    // Earlier lines of this name had no effect; keeping them would leave copies of an old secret.
    const kept = lines.map((one, index) => (index === at ? prefixOf(one) + line : one))
    return kept.filter((one, index) => index === at || nameIn(one) !== name)
  })
}

/** @returns whether it was there */
export function removeSecret(configDir: string, name: string): boolean {
  let wasThere = false
  edit(configDir, (lines) => {
    const kept = lines.filter((one) => nameIn(one) !== name)
    wasThere = kept.length < lines.length
    return kept
  })
  return wasThere
}

function edit(configDir: string, change: (lines: string[]) => string[]) {
  checkFolder(configDir)
  makeFolders(configDir, 0o700)
  const path = targetOf(secretsPath(configDir))
  // Locked from reading to writing: of two simultaneous edits, one would be lost.
  withLock(path, () => {
    const before = readRegular(path, { maxBytes: MAX_BYTES, check: checkMine }) ?? ''
    const end = before.includes('\r\n') ? '\r\n' : '\n'
    const after = change(before.split(/\r?\n/)).join(end)
    if (after !== before) replaceFile(path, after)
  })
}

/** A file of root may be read, but not replaced. */
function checkMine(path: string, stat: Stats) {
  checkPrivate(path, stat)
  const me = process.getuid?.()
  if (me === undefined || stat.uid === me) return
  throw new HookbellError('E_CONFIG', `${path}: belongs to another user (uid ${stat.uid})`)
}

function quoted(value: string): string {
  for (const text of [value, `"${value}"`]) {
    const line = `NAME=${text}`
    if (!/[\r\n\0]/.test(value) && parseSecrets(line).values.get('NAME') === value) return text
  }
  throw usageError(
    'the value has more than one line',
    'Such a secret can come from a command: see secrets in the configuration',
  )
}

function prefixOf(line: string): string {
  return /^\s*(?:export\s+)?/.exec(line)?.[0] ?? ''
}

function withoutEnd(lines: string[]): string[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
