import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fallbackStateDir, stateDir } from '../config/paths.ts'
import { errorCode } from '../errors.ts'
import { journalFiles } from '../journal/files.ts'
import { EventHistory, type EventStatus } from '../journal/history.ts'
import { readJournal } from '../journal/read.ts'
import { isInUse, spoolIn } from '../spool/layout.ts'
import { parseName } from '../spool/names.ts'

/** The state folder, and the one that the front door falls back to where it was ever used. */
export function stateFolders(): string[] {
  const fallback = fallbackStateDir()
  return [stateDir(), ...(isInUse(fallback) ? [fallback] : [])]
}

/** Every event that is known, oldest first: from the journal, and those that no worker has seen yet. */
export async function readHistory(state: string): Promise<EventStatus[]> {
  // The worker does without what it cannot read; a person must not be told that there is nothing.
  for (const path of journalFiles(state)) if (existsSync(path)) accessSync(path, constants.R_OK)
  const accounts = new EventHistory()
  for await (const entry of readJournal(state)) accounts.add(entry)
  const spool = spoolIn(state)
  for (const folder of [spool.new, ...list(spool.cur).map((owner) => join(spool.cur, owner))]) {
    for (const name of list(folder)) {
      const parsed = parseName(name)
      if (parsed && !parsed.isDelivery) accounts.expect(parsed.id)
    }
  }
  // A retry that was cut short after its record.
  for (const name of list(spool.dead)) {
    const account = accounts.byId.get(name)
    if (account) account.outcome = 'dead'
  }
  return [...accounts.byId.values()].sort((a, b) => a.acceptedAt - b.acceptedAt)
}

export function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Foreign files are the worker's to set aside.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return []
    throw error
  }
}
