import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { HookbellError } from '../errors.ts'
import { isOwnFolder, whyNoSpace } from '../fs/durable.ts'
import { folderFault, modeOf, refuseStranger } from '../fs/ownership.ts'
import { listQuietly } from '../fs/read.ts'
import { quoteWord } from '../text/shell.ts'
import { hasSpare } from './claim.ts'
import { folders, type Spool, spoolIn } from './layout.ts'
import { lockHolder } from './lock/lock.ts'

/**
 * Errors for spool folders that somebody else could change or that this user or a worker cannot use, each with what
 * repairs it. The other folders still work.
 */
export function spoolAtRisk(stateDir: string): HookbellError[] {
  // `foldersAtRisk` reports a state folder that others can change.
  const isSafe = folderFault(stateDir, 'E_SPOOL') === undefined
  const fault = (isSafe ? unusableState(stateDir) : undefined) ?? unusable(join(stateDir, 'spool'))
  if (fault) return [fault]
  const spool = spoolIn(stateDir)
  return [
    ...folders.map((folder) => folderFault(spool[folder], 'E_SPOOL') ?? unusable(spool[folder])),
    stuck(spool),
  ].filter((one) => one !== undefined)
}

/** Where a full disk allows no new folder and none is in reserve, a new worker cannot claim any event. */
function stuck(spool: Spool): HookbellError | undefined {
  const waiting = listQuietly(spool.new).length
  const reason = waiting > 0 && !hasSpare(spool) ? whyNoSpace(spool.new) : undefined
  if (!reason || lockHolder(spool.state)) return undefined
  const what = `${spool.cur}: no worker can make its folder there, because ${reason}`
  return new HookbellError('E_SPOOL', `${what}; events that wait: ${waiting}`, {
    hint: 'Make room',
  })
}

/** Moving the state folder away would take the front door with it. */
function unusableState(stateDir: string): HookbellError | undefined {
  try {
    refuseStranger(stateDir, 'E_SPOOL')
  } catch (error) {
    if (error instanceof HookbellError) return error
  }
  return unusable(stateDir)
}

/** A missing folder is not a fault: the next event creates it. */
function unusable(path: string): HookbellError | undefined {
  const stat = statOf(path)
  if (!stat) return undefined
  if (!isOwnFolder(stat))
    return new HookbellError('E_SPOOL', `${path}: not a folder of this user; events go elsewhere`, {
      hint: `Move it away: mv ${quoteWord(path)} ${quoteWord(`${path}.old`)}`,
    })
  if (process.platform === 'win32' || (stat.mode & 0o700) === 0o700) return undefined
  return new HookbellError('E_SPOOL', `${path}: you cannot write there (mode ${modeOf(stat)})`, {
    hint: `Run: chmod u+rwx ${quoteWord(path)}`,
  })
}

/** Undefined also for a folder inside one that cannot be entered, which has a fault of its own. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
