import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { errorCode, HookbellError, pathFault, REPAIR_LINK } from '../errors.ts'
import { deadLinkIn } from '../fs/links.ts'
import { howToRead } from '../fs/ownership.ts'
import { sha256 } from '../text/sha256.ts'

/** No client's settings are larger. A repository can contain a file that would take gigabytes of memory to parse. */
export const MAX_SETTINGS_BYTES = 1024 * 1024
/** The character that a decoder puts in the place of bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD'

/** A settings file as it was read. */
export interface SettingsOnDisk {
  /** Path of the file, with symbolic links resolved, also those to its folder where there is no file. */
  realPath: string
  /** Includes the byte order mark, if there is one. Empty where there is no file. */
  text: string
  /** SHA-256 of the bytes, undefined where there is no file. */
  hash: string | undefined
  /** Changes whenever the file is replaced, and nearly always when it is written to. */
  version: string
  mode: number
  uid: number
  gid: number
  links: number
}

/** Such a file is often made by another program, from one that the person keeps elsewhere. */
const ELSEWHERE = 'If you keep it elsewhere, add the hooks there: see hookbell init --print'

const NO_FILE = { text: '', hash: undefined, version: '', mode: 0, uid: -1, gid: -1, links: 0 }

/**
 * Reads a settings file, or finds that there is none.
 * @throws HookbellError `E_SETTINGS` for anything but a readable, writable UTF-8 file of this user
 */
export function readSettings(path: string): SettingsOnDisk {
  refuseUnreadableName(path)
  const realPath = resolveLinks(path)
  if (realPath === undefined) return { realPath: whereIs(path), ...NO_FILE }
  // Checked before the file is opened: opening may start a device, or wait for the other end of a pipe.
  refuseUnusual(path, lstatSync(realPath))
  try {
    return readOpened(path, realPath)
  } catch (error) {
    const code = errorCode(error)
    if (error instanceof HookbellError || code === undefined) throw error
    return refuse(path, `the file cannot be read (${code})`, 'Look at its disk', error)
  }
}

function readOpened(path: string, realPath: string): SettingsOnDisk {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants
  const file = openSync(realPath, O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0))
  try {
    const stat = fstatSync(file)
    refuseUnusual(path, stat)
    const { mode, uid, gid, nlink: links } = stat
    const version = versionOf(fstatSync(file, { bigint: true }))
    const bytes = readFileSync(file)
    return {
      realPath,
      text: decode(path, bytes),
      // Computed on demand, because most callers do not need it.
      get hash() {
        return sha256(bytes)
      },
      version,
      mode,
      uid,
      gid,
      links,
    }
  } finally {
    closeSync(file)
  }
}

/** Refuses a text above the size limit: `uninstall` could not read the file to remove the hooks. */
export function refuseTooLarge(path: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_SETTINGS_BYTES)
    refuse(path, 'with the hooks the file would be larger than 1 MiB', 'Remove something from it')
}

/** Where a file is, or would be made: behind every symbolic link. */
export function whereIs(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(whereIs(folder), basename(path))
  }
}

/** True if the bytes at `path` are still the ones that were read. */
export function isUnchanged(path: string, { hash, realPath }: SettingsOnDisk): boolean {
  try {
    const now = readSettings(path)
    if (now.hash !== hash || now.realPath !== realPath) return false
    if (hash === undefined) return true
    // Reading took a while. This second check makes the unobserved time before a rename ten times shorter.
    return versionOf(lstatSync(realPath, { bigint: true })) === now.version
  } catch {
    return false
  }
}

function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(':')
}

/** Node.js decodes names as UTF-8. If a name is not UTF-8, the decoded one leads nowhere or to another file. */
function refuseUnreadableName(path: string) {
  const at = path.lastIndexOf(REPLACEMENT)
  if (at < 0) return
  const end = path.indexOf(sep, at)
  const known = end < 0 ? path : path.slice(0, end)
  if (!lstatSync(known, { throwIfNoEntry: false }))
    refuse(path, 'a folder of this path has a name that is not UTF-8', 'Rename that folder')
}

function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ENOENT')
      refuse(
        path,
        `the file cannot be reached: ${pathFault(error)?.what ?? code}`,
        pathFault(error)?.hint ?? (code === 'EACCES' ? howToRead(path) : 'Check that path'),
        error,
      )
    const link = deadLinkIn(path)
    if (link === undefined) return undefined
    const what = link === path ? 'the file' : link
    return refuse(
      path,
      `${what} is a symbolic link to nothing that can be found`,
      REPAIR_LINK,
      error,
    )
  }
}

function refuseUnusual(path: string, stat: Stats): void {
  if (!stat.isFile()) refuse(path, 'this is not a regular file', 'Put a regular file in its place')
  const me = process.getuid?.()
  if (me !== undefined && stat.uid !== me)
    refuse(path, 'the file belongs to another user', ELSEWHERE)
  if (stat.size > MAX_SETTINGS_BYTES) refuse(path, 'the file is larger than 1 MiB', ELSEWHERE)
  // A rename would work all the same, but a read-only file says that it should not be changed.
  if ((stat.mode & 0o200) === 0)
    refuse(path, 'the file is read-only', `Make it writable. ${ELSEWHERE}`)
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    return refuse(path, 'the file is not UTF-8 text', 'Save it as UTF-8', error)
  }
}

function refuse(path: string, what: string, hint: string, cause?: unknown): never {
  throw new HookbellError('E_SETTINGS', `${path}: ${what}`, {
    hint: `${hint}. Nothing was written`,
    cause,
  })
}
