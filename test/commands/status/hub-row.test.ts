import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readEvents } from '../../../src/commands/_events.ts'
import { hubRow } from '../../../src/commands/status/hub-row.ts'
import { handedOverAs } from '../../../src/hub/handed-over.ts'
import type { JournalEntry } from '../../../src/journal/entry.ts'
import { acceptEvent } from '../../../src/spool/event-file.ts'
import { makeFolder } from '../../support/folder.ts'

const at = Date.now()

function accepted(id: string, to: string[]): JournalEntry {
  return {
    ...{ at, id, type: 'accepted', acceptedAt: at, event: 'Stop', kind: 'done', client: 'claude' },
    ...{ sessionId: 's', project: 'shop', title: 'shop: done', to },
  }
}

it('counts every event that waits for the hub, and no other', async () => {
  const stateDir = await makeFolder()
  acceptEvent(stateDir, { client: 'claude', env: {} }, Buffer.from('{}'))
  const failed = { type: 'deferred', attempt: 1, reason: 'no hub', until: at } as const
  const held = { type: 'held', reason: 'quiet hours', until: at } as const
  const done = { type: 'delivered', attempt: 1, ms: 1, answer: handedOverAs('1') } as const
  const entries: JournalEntry[] = [
    ...Array.from({ length: 700 }, (_, index) => `event-${index}`).flatMap((id) => [
      accepted(id, ['hub']),
      { at, id, channel: 'hub', ...failed },
    ]),
    accepted('queued', ['hub', 'desk']),
    accepted('held', ['hub']),
    { at, id: 'held', channel: 'hub', ...held },
    accepted('handed-over', ['hub', 'desk']),
    { at: at + 1, id: 'handed-over', channel: 'hub', ...done },
    accepted('elsewhere', ['desk']),
  ]
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`)
  writeFileSync(join(stateDir, 'journal.jsonl'), lines.join(''))
  const row = hubRow(readEvents([stateDir]), ['hub'], 'reachable')
  // 703 includes the event that no worker has routed yet, because it may be for the hub.
  expect(row).toEqual({ reach: 'reachable', waiting: 703, lastHandedOver: at + 1 })
})
