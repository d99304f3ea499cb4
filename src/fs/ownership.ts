import { accessSync, constants, lstatSync, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ErrorCode, errorCode, HookbellError } from '../errors.ts'
import { quoteWord } from '../text/shell.ts'
import { followLink, realPath } from './links.ts'

const { R_OK, X_OK } = constants

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020
const MOVE = 'Move it away'
const NOT_SUDO = 'Run hookbell as that user, without sudo'

/**
 * Refuses a file or folder that another user could change, as ssh does: its content decides what we do and where
 * messages go. @throws HookbellError with the command that fixes it
 */
export function checkOwnership(path: string, stat: Stats, code: ErrorCode = 'E_CONFIG'): void {
  const me = process.getuid?.()
  // Windows has neither owner ids nor modes.
  if (me === undefined) return
  if (stat.uid !== me && stat.uid !== 0) throw stranger(path, stat.uid, code)
  const isShared = (stat.mode & GROUP_WRITES) !== 0 && !isPrivateGroup(stat.gid, me)
  if ((stat.mode & OTHERS_WRITE) === 0 && !isShared) return
  throw new HookbellError(code, `${path}: other users can change it (mode ${modeOf(stat)})`, {
    hint: `Run: chmod go-w ${quoteWord(path)}`,
  })
}

/** The same for a folder; one that does not exist is accepted. */
export function checkFolder(path: string, code: ErrorCode = 'E_CONFIG'): void {
  const stat = followLink(path, code)
  if (!stat) return
  if (!stat.isDirectory()) throw notFolder(path, code)
  checkOwnership(path, stat, code)
  // Whoever owns a link decides where it leads.
  const { uid } = lstatSync(path)
  const me = process.getuid?.() ?? uid
  if (![me, 0].includes(uid))
    throw new HookbellError(code, `${path}: a link of another user (uid ${uid})`, { hint: MOVE })
}

/**
 * The same, returned instead of thrown. Undefined also if the folder cannot be accessed: its users report that
 * themselves.
 */
export function folderFault(path: string, code?: ErrorCode): HookbellError | undefined {
  try {
    checkFolder(path, code)
    return undefined
  } catch (error) {
    return error instanceof HookbellError ? error : undefined
  }
}

/** Refuses what belongs to anybody else, also to root. What does not exist is accepted. @throws HookbellError */
export function refuseStranger(path: string, code: ErrorCode): void {
  const uid = followLink(path, code)?.uid
  if (uid !== undefined && uid !== (process.getuid?.() ?? uid)) throw stranger(path, uid, code)
}

/** Refuses a folder that this user cannot read, with the command that repairs it. @throws HookbellError */
export function refuseUnreadable(folder: string, code: ErrorCode): void {
  try {
    accessSync(folder, R_OK | X_OK)
  } catch (error) {
    if (errorCode(error) !== 'EACCES') return
    refuseStranger(folder, code)
    const stat = statSync(folder)
    if (!stat.isDirectory()) throw notFolder(folder, code)
    const what = `${folder}: you cannot read it (mode ${modeOf(stat)})`
    throw new HookbellError(code, what, { hint: `Run: chmod u+rwx ${quoteWord(folder)}` })
  }
}

function notFolder(path: string, code: ErrorCode): HookbellError {
  return new HookbellError(code, `${path}: not a folder`, { hint: MOVE })
}

function stranger(
  path: string,
  uid: number,
  code: ErrorCode,
  hint = howToOwn(path),
): HookbellError {
  return new HookbellError(code, `${path}: belongs to another user (uid ${uid})`, { hint })
}

/**
 * The command that gives a file, or a folder with all that is in it, to this user. Not under sudo: its owner could not
 * use it any more.
 */
function howToOwn(path: string): string {
  if (isSudo()) return NOT_SUDO
  // With -R, chown follows no link.
  return `If it is yours, run: sudo chown -R ${process.getuid?.()} ${quoteWord(realPath(path))}`
}

/** The command that lets this user read a file whose mode or owner, or that of its folder, prevents it. */
export function howToRead(path: string): string {
  const closed = isReachable(path) ? path : dirname(path)
  if (!isReachable(closed) || statSync(closed).uid !== process.getuid?.()) return howToOwn(closed)
  return `Run: chmod u+rwX ${quoteWord(closed)}`
}

function isReachable(path: string): boolean {
  try {
    return statSync(path) !== undefined
  } catch {
    return false
  }
}

/**
 * Refuses to make files of root in the home directory of a user, which sudo keeps on some systems.
 * @throws HookbellError E_SETTINGS
 */
export function refuseSudoIn(home: string): void {
  const uid = isSudo() ? statSync(home, { throwIfNoEntry: false })?.uid : 0
  if (uid === undefined || uid === 0) return
  throw stranger(home, uid, 'E_SETTINGS', `${NOT_SUDO}. Nothing was written`)
}

function isSudo(): boolean {
  return process.getuid?.() === 0 && Boolean(process.env.SUDO_UID)
}

/** The permissions of a file as four octal digits, such as 0644. */
export function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}

/**
 * Whether a group has no member but this user. Systems with one group per user make files group-writable, which is
 * safe then (ssh of Debian and Ubuntu accepts that, too). In doubt the group is not private.
 */
export function isPrivateGroup(gid: number, me: number): boolean {
  if (me === 0 || gid !== me || gid !== process.getgid?.()) return false
  try {
    return isGroupOfOne(readFileSync('/etc/passwd', 'utf8'), readFileSync('/etc/group', 'utf8'), me)
  } catch {
    return false
  }
}

/** Whether the user and the group with this number have no other names, and the group no other members. */
export function isGroupOfOne(passwd: string, group: string, id: number): boolean {
  const users = rowsOf(passwd).filter((row) => row[2] === `${id}` || row[3] === `${id}`)
  const [own, ...more] = rowsOf(group).filter((row) => row[2] === `${id}`)
  const [user] = users
  const members = (own?.[3] ?? '').split(',').filter((name) => name !== '')
  const isAlone = users.length === 1 && own !== undefined && more.length === 0
  return isAlone && members.every((name) => name === user?.[0])
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.split(':'))
}

/**
 * The id of another user who owns a folder. If the folder is missing: undefined, but for root, who could make it inside a
 * folder of another user. That user could not use it, so then the owner of the nearest folder above counts.
 */
export function strangerOf(folder: string): number | undefined {
  const me = process.getuid?.()
  // Windows has no user ids.
  if (me === undefined) return undefined
  const owner = ownerOf(folder)
  const above = dirname(folder)
  if (owner === undefined && above !== folder && isRoot(me)) return strangerOf(above)
  return owner === me ? undefined : owner
}

/**
 * Whether this user is the real root. In a sandbox one may only be called root, and folders of the real root are
 * another user's.
 */
function isRoot(me: number): boolean {
  return me === 0 && ownerOf('/') === me
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}

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
