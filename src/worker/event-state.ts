import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { Accounts } from '../journal/account.ts'
import { readJournal } from '../journal/read.ts'
import { writeDurable } from '../spool/durable.ts'
import type { Spool } from '../spool/layout.ts'

/** How far an event has come, per channel. Kept beside a deferred or dead event. */
const eventStateSchema = z.object({
  acceptedAt: z.number(),
  nextAt: z.number(),
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

/** @returns undefined where there is none or it is damaged: then every channel is tried from the start */
export function readEventState(folder: string, id: string): EventState | undefined {
  try {
    return eventStateSchema.safeParse(JSON.parse(readFileSync(statePath(folder, id), 'utf8'))).data
  } catch {
    return undefined
  }
}

export function writeEventState(
  spool: Spool,
  folder: 'deferred' | 'dead',
  id: string,
  state: EventState,
) {
  const waiting = join(spool.tmp, `${id}.json`)
  rmSync(waiting, { force: true })
  writeDurable(statePath(spool[folder], id), [JSON.stringify(state)], waiting)
}

/** What the journal knows of events whose worker died, so that a settled channel is not told again. */
export async function stateFromJournal(
  state: string,
  ids: readonly string[],
): Promise<Map<string, EventState>> {
  const wanted = new Set(ids)
  const accounts = new Accounts()
  for await (const entry of readJournal(state)) if (wanted.has(entry.id)) accounts.add(entry)
  return new Map(
    [...accounts.byId].map(([id, { acceptedAt, channels }]) => [
      id,
      {
        acceptedAt,
        nextAt: 0,
        channels: Object.fromEntries(
          Object.entries(channels).map(([name, { state, attempts }]) => [
            name,
            { state, attempts },
          ]),
        ),
      },
    ]),
  )
}
