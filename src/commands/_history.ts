import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from '../config/paths.ts'
import { fallbackFolders } from '../config/pinned.ts'
import { errorCode } from '../errors.ts'
import { journalFiles } from '../journal/files.ts'
import { EventHistory, type EventStatus } from '../journal/history.ts'
import { readJournal } from '../journal/read.ts'
import { isInUse, spoolIn } from '../spool/layout.ts'
import { parseName } from '../spool/names.ts'

/** The state folder, and those that the front door falls back to where they were ever used. */
export function stateFolders(): string[] {
  const state = stateDir()
  return [state, ...fallbackFolders(state).filter(isInUse)]
}

/** Told of a folder that cannot be looked into. @throws what is to end the command */
type OnUnreadable = (folder: string, error: unknown) => void

/** Every event that is known, oldest first: from the journal, and those that no worker has seen yet. */
export async function readHistory(
  state: string,
  onUnreadable?: OnUnreadable,
): Promise<EventStatus[]> {
  // The worker does without what it cannot read; a person must not be told that there is nothing.
  for (const path of journalFiles(state)) if (existsSync(path)) accessSync(path, constants.R_OK)
  const accounts = new EventHistory()
  for await (const entry of readJournal(state)) accounts.add(entry)
  const spool = spoolIn(state)
  const owners = list(spool.cur, onUnreadable).map((owner) => join(spool.cur, owner))
  for (const folder of [spool.new, ...owners]) {
    for (const name of list(folder, onUnreadable)) {
      const parsed = parseName(name)
      if (parsed && !parsed.isDelivery) accounts.expect(parsed.id)
    }
  }
  // A retry that was cut short after its record.
  for (const name of list(spool.dead, onUnreadable)) {
    const account = accounts.byId.get(name)
    if (account) account.outcome = 'dead'
  }
  return [...accounts.byId.values()].sort((a, b) => a.acceptedAt - b.acceptedAt)
}

export function list(folder: string, onUnreadable: OnUnreadable = rethrow): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Foreign files are the worker's to set aside.
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) onUnreadable(folder, error)
    return []
  }
}

function rethrow(_: string, error: unknown) {
  throw error
}
