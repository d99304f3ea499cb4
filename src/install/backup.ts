import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { HookbellError } from '../errors.ts'
import { isOwnFolder, privateFolder, writeDurable } from '../fs/durable.ts'
import { realPath } from '../fs/links.ts'
import { sha256 } from '../text/sha256.ts'
import type { Span } from './edit/splice.ts'
import type { SettingsOnDisk } from './file.ts'

const KEEP = 3

/** What `uninstall` needs to restore a settings file byte for byte. */
export interface BackupRecord {
  version: 1
  /** Path of the settings file, with symbolic links resolved. */
  path: string
  /** The state folder, likewise: if both were moved together, the home was renamed. Early versions did not note it. */
  state?: string
  writtenAt: string
  /** SHA-256 before our first edit, null where there was no file. */
  before: string | null
  /** SHA-256 after our last edit. */
  after: string
  /** Name of the file beside this record that holds the original bytes; null where there was no file. */
  backup: string | null
  /** The topmost folder that was created for the file. */
  folder?: string
  /** The spans of each edit, oldest edit first. Offsets count UTF-16 units of the text. */
  edits: Span[][]
}

export interface Backup {
  /** Path of the copy of the original bytes; undefined where there was no file. */
  path: string | undefined
  /** Called after the edit: removes the backups that are no longer needed. */
  settle(): void
  /** Called if the edit failed: removes this backup again. */
  discard(): void
}

/**
 * Saves the text that an edit is about to replace, in a private folder of the state directory.
 * If the file is unchanged since our last edit, the copy from before that edit is kept and no other is made.
 */
export function saveBackup(
  stateDir: string,
  old: SettingsOnDisk,
  edit: { text: string; spans: Span[] },
  now: Date,
  madeFolder?: string,
): Backup {
  const folder = backupFolder(stateDir, old.realPath)
  for (const one of [dirname(folder), folder]) makePrivate(one)
  const last = readBackups(stateDir, old.realPath).at(-1)
  const base = last?.record.after === old.hash ? last : undefined
  const number = nextNumber(folder)
  const made = base?.record.folder ?? madeFolder
  const copy = base || old.hash === undefined ? undefined : `${number}.bak`
  const record: BackupRecord = {
    version: 1,
    path: old.realPath,
    state: realPath(stateDir),
    writtenAt: now.toISOString(),
    before: base ? base.record.before : (old.hash ?? null),
    after: sha256(edit.text),
    backup: base ? base.record.backup : (copy ?? null),
    ...(made !== undefined && { folder: made }),
    edits: [...(base?.record.edits ?? []), edit.spans],
  }
  if (copy) save(folder, copy, old.text)
  save(folder, `${number}.json`, `${JSON.stringify(record, null, 2)}\n`)
  return {
    path: record.backup === null ? undefined : join(folder, record.backup),
    settle: () => prune(stateDir, record.path, base?.name),
    discard: () => remove(folder, [`${number}.json`, copy]),
  }
}

function makePrivate(folder: string) {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat || isOwnFolder(stat)) return privateFolder(folder)
  throw new HookbellError('E_SETTINGS', `${folder}: not a folder of this user`, {
    hint: 'Move it away: the copy of the old settings goes there. The file is as it was',
  })
}

/** The records of one settings file, oldest first. Records that cannot be read are left out. */
export function readBackups(
  stateDir: string,
  path: string,
): { name: string; record: BackupRecord }[] {
  const folder = backupFolder(stateDir, path)
  return list(folder, '.json').flatMap((name) => {
    const record = readRecord(join(folder, name))
    return record ? [{ name, record: relocated(record, path) }] : []
  })
}

/** The text before our oldest recorded edit; '' where there was no file, undefined where it is lost. */
export function originalText(stateDir: string, path: string): string | undefined {
  const [first] = readBackups(stateDir, path)
  if (!first) return undefined
  const { before, backup } = first.record
  if (before === null) return ''
  try {
    const text = readFileSync(join(backupFolder(stateDir, path), basename(backup ?? '')), 'utf8')
    return sha256(text) === before ? text : undefined
  } catch {
    return undefined
  }
}

/** Removes the backups of a file that is back in its original state. */
export function forgetBackups(stateDir: string, path: string): void {
  rmSync(backupFolder(stateDir, path), { recursive: true, force: true })
}

/** The folder with the backups of a settings file. If the home was renamed, its name is made from the old path. */
export function backupFolder(stateDir: string, path: string): string {
  const all = join(stateDir, 'backups')
  const own = join(all, `${basename(path)}-${sha256(path).slice(0, 12)}`)
  if (existsSync(own)) return own
  const state = realPath(stateDir)
  const moved = list(all, '').find((name) => {
    const last = name.startsWith(`${basename(path)}-`) && list(join(all, name), '.json').at(-1)
    const record = last ? readRecord(join(all, name, last)) : undefined
    return record !== undefined && isMoved(record, path, state)
  })
  return moved === undefined ? own : join(all, moved)
}

/** Whether a file is the one of a record: it was in a folder that was renamed, together with the state folder. */
function isMoved(record: BackupRecord, path: string, state: string): boolean {
  if (record.path === path) return true
  if (existsSync(record.path)) return false
  const [from, to] = renamedFolder(record.path, path)
  return state.startsWith(to + sep) && record.state === from + state.slice(to.length)
}

/** The old and the new name of the folder in which two paths are the same file. */
function renamedFolder(old: string, path: string): [from: string, to: string] {
  const [before, after] = [old.split(sep), path.split(sep)]
  while (before.length > 1 && before.at(-1) === after.at(-1)) {
    before.pop()
    after.pop()
  }
  return [before.join(sep), after.join(sep)]
}

function relocated(record: BackupRecord, path: string): BackupRecord {
  const [from, to] = renamedFolder(record.path, path)
  const { folder } = record
  if (folder === undefined || !folder.startsWith(from + sep)) return { ...record, path }
  return { ...record, path, folder: to + folder.slice(from.length) }
}

function readRecord(path: string): BackupRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8'))
    return record?.version === 1 ? record : undefined
  } catch {
    return undefined
  }
}

/** Keeps the newest three records and the copies that they name. */
function prune(stateDir: string, path: string, superseded: string | undefined): void {
  const folder = backupFolder(stateDir, path)
  remove(folder, [superseded, ...list(folder, '.json').slice(0, -KEEP)])
  const named = new Set(readBackups(stateDir, path).map(({ record }) => record.backup))
  remove(
    folder,
    list(folder, '.bak').filter((name) => !named.has(name)),
  )
}

function nextNumber(folder: string): string {
  const numbers = list(folder, '').map((name) => Number.parseInt(name, 10) || 0)
  return String(Math.max(0, ...numbers) + 1).padStart(4, '0')
}

function list(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
}

function save(folder: string, name: string, text: string): void {
  writeDurable(join(folder, name), [text], join(folder, `${name}.tmp`))
}

function remove(folder: string, names: readonly (string | undefined)[]): void {
  for (const name of names) if (name) rmSync(join(folder, name), { force: true })
}
