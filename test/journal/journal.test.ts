import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { KEPT_FILES } from '../../src/journal/files.ts'
import { EventHistory, type EventStatus } from '../../src/journal/history.ts'
import { appendEntry, Journal, rotateJournal } from '../../src/journal/journal.ts'
import { LONGEST_LINE, readJournal, readLines } from '../../src/journal/read.ts'
import { makeWorld } from '../worker/_world.ts'

const accepted = (id: string, to: string[] = ['a']): JournalEntry => ({
  at: 1,
  id,
  type: 'accepted',
  acceptedAt: 1,
  event: 'Stop',
  kind: 'done',
  client: 'droid',
  sessionId: '',
  project: '',
  title: `title of ${id}`,
  to,
})
const delivered = (id: string, channel = 'a'): JournalEntry => ({
  at: 2,
  id,
  type: 'delivered',
  channel,
  attempt: 1,
  ms: 1,
  answer: 'ok',
})
const failed = (id: string, type: 'exhausted' | 'unavailable', channel = 'a'): JournalEntry => ({
  at: 2,
  id,
  type,
  channel,
  attempt: 1,
  reason: 'no',
})
const deferred = (id: string, channel = 'a'): JournalEntry => ({
  at: 2,
  id,
  type: 'deferred',
  channel,
  attempt: 1,
  reason: 'later',
  until: 9,
})

const dropped = (id: string, channel?: string): JournalEntry => ({
  ...{ at: 3, id, type: 'dropped', reason: 'dropped by hand' },
  ...(channel !== undefined && { channel }),
})

async function readAll(state: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for await (const entry of readJournal(state)) entries.push(entry)
  return entries
}

function statusOf(...entries: JournalEntry[]): EventStatus | undefined {
  const history = new EventHistory()
  for (const entry of entries) history.add(entry)
  return history.byId.get('e')
}

describe('the history of an event', () => {
  const e = 'e'
  it.each<[string, JournalEntry[], string | undefined]>([
    ['accepted', [accepted(e)], 'waiting'],
    ['delivered', [accepted(e), delivered(e)], 'delivered'],
    [
      'suppressed',
      [accepted(e, []), { at: 1, id: e, type: 'suppressed', reason: 'x' }],
      'suppressed',
    ],
    ['unavailable', [accepted(e), failed(e, 'unavailable')], 'suppressed'],
    ['deferred', [accepted(e), deferred(e)], 'waiting'],
    ['deferred, then delivered', [accepted(e), deferred(e), delivered(e)], 'delivered'],
    ['given up', [accepted(e), failed(e, 'exhausted')], 'dead'],
    ['unusable', [{ at: 1, id: e, type: 'unusable', reason: 'x' }], 'dead'],
    [
      'delivered on one channel, in progress on another',
      [accepted(e, ['a', 'b']), delivered(e)],
      'waiting',
    ],
    [
      'delivered on one channel, deferred on another',
      [accepted(e, ['a', 'b']), delivered(e), deferred(e, 'b')],
      'waiting',
    ],
    [
      'delivered on one channel, dead on another',
      [accepted(e, ['a', 'b']), delivered(e), failed(e, 'exhausted', 'b')],
      'dead',
    ],
    [
      'retried',
      [accepted(e), failed(e, 'exhausted'), { at: 3, id: e, type: 'retried' }],
      'waiting',
    ],
    [
      'delivered, set aside after crashes, and retried',
      [
        accepted(e),
        delivered(e),
        { at: 2, id: e, type: 'unusable', reason: 'x' },
        { at: 3, id: e, type: 'retried' },
      ],
      'delivered',
    ],
    ['dropped', [accepted(e), failed(e, 'exhausted'), dropped(e, 'a')], 'suppressed'],
    [
      'dropped by an earlier version',
      [accepted(e), failed(e, 'exhausted'), dropped(e)],
      'suppressed',
    ],
    [
      'dropped as a whole, while a channel was open',
      [accepted(e), { at: 1, id: e, type: 'unusable', reason: 'x' }, dropped(e)],
      'suppressed',
    ],
    [
      'dropped on one channel, delivered on another',
      [accepted(e, ['a', 'b']), delivered(e), failed(e, 'exhausted', 'b'), dropped(e, 'b')],
      'delivered',
    ],
    [
      'dropped on one channel, in progress on another',
      [accepted(e, ['a', 'b']), failed(e, 'exhausted', 'b'), dropped(e, 'b')],
      'waiting',
    ],
  ])('(%s) gives the right outcome', (_, entries, outcome) => {
    expect(statusOf(...entries)?.outcome).toBe(outcome)
    // A crash during a rotation can leave two copies of an entry.
    expect(statusOf(...entries, ...entries)?.outcome).toBe(outcome)
  })
})

describe('the journal', () => {
  it('returns its entries in order from a private file', async () => {
    const { stateDir } = makeWorld()
    const entries = [accepted('e'), deferred('e'), delivered('e')]
    for (const entry of entries) await appendEntry(stateDir, entry)
    expect(await readAll(stateDir)).toEqual(entries)
    expect(statSync(join(stateDir, 'journal.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('keeps an entry in one piece if its text has line separators', async () => {
    const { stateDir } = makeWorld()
    const entry = { ...accepted('e'), title: 'a\u2028b\u2029c\rd\u0085e' } as JournalEntry
    await appendEntry(stateDir, entry)
    expect(await readAll(stateDir)).toEqual([entry])
  })

  it('waits until all entries are on the disk, but not for a disk that fails', async () => {
    const { stateDir } = makeWorld()
    const journal = new Journal({ stateDir, secrets: () => [] })
    for (const id of ['one', 'two']) void journal.append(accepted(id))
    await journal.written()
    expect(journal.pending).toBe(0)
    const path = join(stateDir, 'journal.jsonl')
    expect(readFileSync(path, 'utf8')).toContain('"two"')
    renameSync(path, `${path}.kept`)
    mkdirSync(path)
    const third = journal.append(accepted('three'))
    await journal.written()
    expect(journal.pending).toBe(1)
    rmdirSync(path)
    await third
  })

  it('keeps no secret, neither in what a receiver answered nor in why it failed', async () => {
    const { stateDir } = makeWorld()
    const secret = 'correct-horse-battery'
    const journal = new Journal({ stateDir, secrets: () => [secret] })
    await Promise.all([
      journal.append({ ...deferred('e'), reason: `refused ${secret}` } as JournalEntry),
      journal.append({ ...delivered('e'), answer: `hello ${secret}` } as JournalEntry),
    ])
    const text = readFileSync(join(stateDir, 'journal.jsonl'), 'utf8')
    expect(text).toMatch(/refused .*hello /s)
    expect(text).not.toContain(secret)
  })

  it('does not recreate a state folder that was removed', async () => {
    const { stateDir } = makeWorld()
    rmSync(stateDir, { recursive: true })
    await expect(appendEntry(stateDir, accepted('late'))).rejects.toThrow('ENOENT')
    expect(existsSync(stateDir)).toBe(false)
  })

  it('skips lines that a crash truncated, and unknown entries', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, accepted('e'))
    appendFileSync(join(stateDir, 'journal.jsonl'), '{"at":1,"id":"e","type":"deliv')
    await appendEntry(stateDir, delivered('e'))
    appendFileSync(join(stateDir, 'journal.jsonl'), '{"at":1,"id":"e","type":"future"}\n[]\n\0\0\n')
    expect(await readAll(stateDir)).toEqual([accepted('e'), delivered('e')])
  })

  it('is read without the blocks that a disk has lost, however many they are', async () => {
    const world = await makeWorld()
    await appendEntry(world.stateDir, accepted('a'))
    const path = join(world.stateDir, 'journal.jsonl')
    truncateSync(path, statSync(path).size + 5 * LONGEST_LINE)
    await appendEntry(world.stateDir, delivered('a'))
    expect(await readAll(world.stateDir)).toEqual([accepted('a'), delivered('a')])
    const lengths: number[] = []
    for await (const line of readLines([path])) lengths.push(line.length)
    expect(Math.max(...lengths)).toBeLessThan(LONGEST_LINE)
  })

  it.each([
    { ...accepted('e'), at: 1e300 },
    { ...accepted('e'), acceptedAt: -1e300 },
    { ...accepted('e'), acceptedAt: 9_000_000_000_000_000 },
    { ...deferred('e'), until: 1e16 },
  ])('skips a line with a time that no calendar has: %j', async (damaged) => {
    const { stateDir } = makeWorld()
    for (const entry of [accepted('e'), damaged]) await appendEntry(stateDir, entry as JournalEntry)
    expect(await readAll(stateDir)).toEqual([accepted('e')])
  })

  it('is read in its state at the start of the read, even during a rotation', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, accepted('e'))
    const reading = readJournal(stateDir)
    const first = await reading.next()
    await rotateJournal(stateDir, () => new Set(), 1)
    await appendEntry(stateDir, delivered('e'))
    expect([first.value, (await reading.next()).done]).toEqual([accepted('e'), true])
  })
})

describe('a rotation', () => {
  it('waits until the file is large', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, accepted('e'))
    await rotateJournal(stateDir, () => new Set())
    expect(existsSync(join(stateDir, 'journal.1.jsonl'))).toBe(false)
  })

  it('drops finished events after several rounds, but never open or dead ones', async () => {
    const { stateDir } = makeWorld()
    const open = new Set(['open', 'dead'])
    await appendEntry(stateDir, accepted('open'))
    await appendEntry(stateDir, deferred('open'))
    await appendEntry(stateDir, accepted('dead'))
    await appendEntry(stateDir, failed('dead', 'exhausted'))
    await appendEntry(stateDir, accepted('settled'))
    await appendEntry(stateDir, delivered('settled'))
    for (let round = 0; round < 2 * KEPT_FILES; round += 1) {
      await rotateJournal(stateDir, () => open, 1)
      await appendEntry(stateDir, accepted(`round ${round}`))
    }
    const history = new EventHistory()
    for (const entry of await readAll(stateDir)) history.add(entry)
    const outcomes = [...history.byId].map(([id, { outcome }]) => `${id} ${outcome}`)
    expect(outcomes.slice(0, 2)).toEqual(['open waiting', 'dead dead'])
    expect(outcomes).not.toContain('settled delivered')
    expect(outcomes.at(-1)).toBe(`round ${2 * KEPT_FILES - 1} waiting`)
    expect(history.byId.get('open')?.channels.a?.detail).toBe('later')
    open.clear()
    await rotateJournal(stateDir, () => open, 1)
    expect(readFileSync(join(stateDir, 'journal.open.jsonl'), 'utf8')).toBe('')
  })

  it('by a worker keeps the entries of open events', async () => {
    const world = makeWorld({
      channels: { team: { type: 'slack', url: '${NOT_SET_ANYWHERE}' } },
      // A long delay: after a short one, each run would be another attempt, until the delivery is given up.
      retry: { firstDelaySeconds: 3600, maxDelaySeconds: 3600 },
    })
    const id = world.accept({ message: 'waits' })
    await world.once()
    // Long lines, because only the size matters and few lines are read faster.
    const long = { ...delivered('x'), answer: 'x'.repeat(16 * 1024) }
    const filler = `${JSON.stringify(long)}\n`.repeat(300)
    for (let round = 0; round < KEPT_FILES + 2; round += 1) {
      const path = join(world.stateDir, 'journal.jsonl')
      writeFileSync(path, (existsSync(path) ? readFileSync(path, 'utf8') : '') + filler)
      await world.once()
    }
    expect(readFileSync(join(world.stateDir, 'journal.open.jsonl'), 'utf8')).toContain(id)
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'waiting',
      title: expect.any(String),
    })
  })
})
