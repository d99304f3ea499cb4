import { readFileSync, type Stats, statSync } from 'node:fs'
import { type ErrorCode, HookbellError } from '../errors.ts'
import { quoteWord } from '../text/shell.ts'

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020

/**
 * Refuses what somebody else could change: it would decide what we do and where messages go. As ssh does.
 * @throws HookbellError with the command that repairs it
 */
export function checkOwnership(path: string, stat: Stats, code: ErrorCode = 'E_CONFIG'): void {
  const me = process.getuid?.()
  // Windows has neither.
  if (me === undefined) return
  if (stat.uid !== me && stat.uid !== 0) {
    throw new HookbellError(code, `${path}: belongs to another user (uid ${stat.uid})`, {
      hint: `If it is yours, run: sudo chown ${me} ${quoteWord(path)}`,
    })
  }
  const isShared = (stat.mode & GROUP_WRITES) !== 0 && !isPrivateGroup(stat.gid, me)
  if ((stat.mode & OTHERS_WRITE) === 0 && !isShared) return
  throw new HookbellError(code, `${path}: other users can change it (mode ${modeOf(stat)})`, {
    hint: `Run: chmod go-w ${quoteWord(path)}`,
  })
}

/** The same for a folder; one that is not there is no danger. */
export function checkFolder(path: string, code: ErrorCode = 'E_CONFIG'): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat) checkOwnership(path, stat, code)
}

/** What is wrong with such a folder. One that cannot be looked at at all is named by whoever needs it. */
export function folderFault(path: string, code?: ErrorCode): HookbellError | undefined {
  try {
    checkFolder(path, code)
    return undefined
  } catch (error) {
    return error instanceof HookbellError ? error : undefined
  }
}

export function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}

/**
 * Whether nobody but this user is in a group. Where each user has a group of their own, files are made writable
 * for it, and that is no danger (ssh of Debian and Ubuntu takes it so, too). In doubt it is not private.
 */
function isPrivateGroup(gid: number, me: number): boolean {
  if (me === 0 || gid !== me || gid !== process.getgid?.()) return false
  try {
    const rows = (file: string) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
    const users = rows('/etc/passwd').filter(
      (row) => row[2] === String(me) || row[3] === String(gid),
    )
    const [group, ...more] = rows('/etc/group').filter((row) => row[2] === String(gid))
    const [user] = users
    const members = (group?.[3] ?? '').split(',').filter((name) => name !== '')
    const isAlone = users.length === 1 && group !== undefined && more.length === 0
    return isAlone && members.every((name) => name === user?.[0])
  } catch {
    return false
  }
}
