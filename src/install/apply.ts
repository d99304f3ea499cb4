import { linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode, HookbellError } from '../errors.ts'
import { makeFolders, syncFolder } from '../fs/durable.ts'
import { type Backup, saveBackup } from './backup.ts'
import type { Plan } from './edit/plan.ts'
import { isUnchanged, readSettings, type SettingsOnDisk } from './file.ts'
import { FileBeside } from './file-beside.ts'

const ATTEMPTS = 3

export interface Applied {
  changed: boolean
  /** True if there was no file before. */
  created: boolean
  /** Path of the copy of the old bytes; undefined if there was no file, or no change. */
  backup: string | undefined
}

export interface ApplyOptions {
  path: string
  /** Whether the file belongs to a project, where other people read it too. */
  isShared: boolean
  stateDir: string
  plan(text: string): Plan
  now?: Date
  /** Throws if the file to be written is no longer at the place that the user was shown. */
  guard?: ((realPath: string) => void) | undefined
  /** Replaces the file unless it changed meanwhile. Tests pass in their own to measure it. */
  commit?: typeof commitUnchanged
}

/**
 * Writes a plan to disk: the client sees the old file or the new one, never a part.
 * A file that changes meanwhile is read and planned again. Without a change nothing is touched.
 */
export function applyPlan(options: ApplyOptions): Applied {
  try {
    return applyOrGiveUp(options)
  } catch (error) {
    const code = errorCode(error)
    if (error instanceof HookbellError || code === undefined) throw error
    throw new HookbellError('E_SETTINGS', `${options.path}: the file cannot be changed (${code})`, {
      hint: hints[code] ?? 'Look at the permissions of the file and of its folder',
      cause: error,
    })
  }
}

const FULL = 'There is no room for it: make some, then run the command again. The file is as it was'
const hints: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: 'Its file system is read-only. The file is as it was',
}

function applyOrGiveUp(options: ApplyOptions): Applied {
  const beside = new FileBeside()
  try {
    return applyWith(beside, options)
  } finally {
    beside.remove()
  }
}

function applyWith(beside: FileBeside, options: ApplyOptions): Applied {
  const { path, plan, isShared } = options
  for (let attempt = 1, looks = 0; attempt <= ATTEMPTS && looks < 2 * ATTEMPTS; looks += 1) {
    const old = readSettings(path)
    const edit = plan(old.text)
    options.guard?.(old.realPath)
    if (!edit.changed) return { changed: false, created: false, backup: undefined }
    // The user's folder is private, as transcripts will be in it too; one in a project is for everybody who shares it.
    const made = makeFolders(dirname(old.realPath), isShared ? 0o777 : 0o700)
    // Checked again, because a folder that did not exist may be a link by now.
    options.guard?.(old.realPath)
    if (beside.prepare(old)) continue
    attempt += 1
    const backup = replace(old, edit, options, { beside, made })
    if (!backup) continue
    syncFolder(dirname(old.realPath))
    return { changed: true, created: old.hash === undefined, backup: backup.path }
  }
  throw new HookbellError('E_SETTINGS', `${path}: the file keeps changing`, {
    hint: 'Close running sessions of the agent, then run the command again. Nothing was written',
  })
}

/** Replaces the file unless it changed since it was read. The last check is directly before the rename. */
export function commitUnchanged(path: string, old: SettingsOnDisk, tmpPath: string): boolean {
  if (!isUnchanged(path, old)) return false
  if (old.hash === undefined) return createFrom(tmpPath, old.realPath)
  renameSync(tmpPath, old.realPath)
  return true
}

function replace(
  old: SettingsOnDisk,
  edit: Plan,
  options: ApplyOptions,
  { beside, made }: { beside: FileBeside; made: string | undefined },
): Backup | undefined {
  const { path, stateDir, now = new Date(), commit = commitUnchanged } = options
  const tmpPath = beside.write(old, edit.text)
  let backup: Backup | undefined
  let isDone = false
  try {
    backup = keepOld(stateDir, () => saveBackup(stateDir, old, edit, now, made))
    options.guard?.(old.realPath)
    isDone = commit(path, old, tmpPath)
    return isDone ? backup : undefined
  } finally {
    if (isDone) backup?.settle()
    else backup?.discard()
  }
}

/** An error here is about the disk of the state folder, not about that of the settings. */
function keepOld(stateDir: string, save: () => Backup): Backup {
  try {
    return save()
  } catch (error) {
    const code = errorCode(error)
    if (error instanceof HookbellError || code === undefined) throw error
    const message = `${stateDir}: no copy of the old settings can be kept there (${code})`
    throw new HookbellError('E_SETTINGS', message, {
      hint: hints[code] ?? 'Look at its permissions. The file is as it was',
      cause: error,
    })
  }
}

/** Creates the file with a link, because a rename would overwrite a file that appeared meanwhile. */
function createFrom(tmpPath: string, path: string): boolean {
  try {
    linkSync(tmpPath, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    // The file system has no hard links.
    renameSync(tmpPath, path)
    return true
  }
}
