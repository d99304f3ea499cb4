import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runtimeDir, stateDir } from '../config/paths.ts'
import { Accounts, type EventAccount } from '../journal/account.ts'
import { readJournal } from '../journal/read.ts'
import { parseName } from '../spool/claim.ts'
import { spoolIn } from '../spool/layout.ts'

/** The state folder, and the one that the front door falls back to where it was ever used. */
export function stateFolders(): string[] {
  const fallback = join(runtimeDir(), 'hookbell')
  return [stateDir(), ...(existsSync(join(fallback, 'spool')) ? [fallback] : [])]
}

/** Every event that is known, oldest first: from the journal, and those that no worker has seen yet. */
export async function readAccounts(state: string): Promise<EventAccount[]> {
  const accounts = new Accounts()
  for await (const entry of readJournal(state)) accounts.add(entry)
  const spool = spoolIn(state)
  for (const folder of [spool.new, ...list(spool.cur).map((owner) => join(spool.cur, owner))]) {
    for (const name of list(folder)) {
      const id = parseName(name)?.id
      if (id) accounts.expect(id)
    }
  }
  return [...accounts.byId.values()].sort((a, b) => a.acceptedAt - b.acceptedAt)
}

export function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
