import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { EventHistory, type EventStatus } from '../journal/history.ts'
import { readJournalOf } from '../journal/read.ts'
import type { Spool } from '../spool/layout.ts'

/** How far an event has come, per channel. Kept beside a deferred or dead event. */
const eventStateSchema = z.object({
  acceptedAt: z.number(),
  nextAt: z.number(),
  /** When nextAt was set: a clock that is earlier than that was put back. */
  since: z.number().optional(),
  channels: z.record(
    z.string(),
    z.object({
      state: z.enum(['delivered', 'not-here', 'deferred', 'gave-up']),
      attempts: z.int().nonnegative(),
    }),
  ),
})

export type EventState = z.output<typeof eventStateSchema>

export function statePath(folder: string, id: string): string {
  return join(folder, `${id}.json`)
}

/** @returns undefined where there is none or it is damaged: then the journal has to tell */
export function readEventState(folder: string, id: string): EventState | undefined {
  try {
    return eventStateSchema.safeParse(JSON.parse(readFileSync(statePath(folder, id), 'utf8'))).data
  } catch {
    return undefined
  }
}

/** Whole or not at all, but without an fsync: the journal has the same on the disk by now. */
export function writeEventState(
  spool: Spool,
  folder: 'deferred' | 'dead',
  id: string,
  state: EventState,
) {
  const waiting = join(spool.tmp, `${id}.json.${process.pid}`)
  writeFileSync(waiting, JSON.stringify(state), { mode: 0o600 })
  renameSync(waiting, statePath(spool[folder], id))
}

/** What the journal knows of events whose worker died, so that a settled channel is not told again. */
export async function statesFromJournal(
  state: string,
  ids: readonly string[],
): Promise<Map<string, EventState>> {
  const accounts = new EventHistory()
  for await (const entry of readJournalOf(state, new Set(ids))) accounts.add(entry)
  return new Map([...accounts.byId].map(([id, account]) => [id, stateOf(account)]))
}

/** A channel that was chosen but never tried is as open as one that is to be tried again. */
function stateOf({ acceptedAt, channels, to }: EventStatus): EventState {
  const open = to.map((name) => [name, { state: 'deferred' as const, attempts: 0 }])
  const tried = Object.entries(channels).map(([name, { state, attempts }]) => [
    name,
    { state, attempts },
  ])
  return { acceptedAt, nextAt: 0, channels: Object.fromEntries([...open, ...tried]) }
}
