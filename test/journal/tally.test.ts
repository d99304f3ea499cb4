import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listQuietly } from '../../src/fs/list.ts'
import { type JournalEntry, parseEntry } from '../../src/journal/entry.ts'
import { EventHistory, outcomes } from '../../src/journal/history.ts'
import { TallyKeeper } from '../../src/journal/keep-tally.ts'
import { OpenJournal } from '../../src/journal/open.ts'
import { type Outline, outlineEntry, outlineLine } from '../../src/journal/outline.ts'
import { readJournal } from '../../src/journal/read.ts'
import type { SaveAfter } from '../../src/journal/saved-tally.ts'
import { LONGEST_LINE } from '../../src/journal/stretches.ts'
import type { TalliedEvent } from '../../src/journal/tally.ts'
import { rotateJournal } from '../../src/journal/write.ts'
import { hasProc } from '../../src/spool/lock/process.ts'
import { newId } from '../../src/spool/new-id.ts'
import { anyCharacter } from '../support/any-character.ts'
import { makeFolder } from '../support/folder.ts'
import { isFull } from '../support/runs.ts'

const words = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom('"}', '}', '"]}', '"}]}', '\\', ',"to":["x"]', '{"', 'ü\u2028', ',', '[', ':'),
)
const id = fc.constantFrom('a', 'b-1', 'c.2', 'd', 'e')
const channel = fc.constantFrom('team', 'mail', 'log.file')
const time = fc.nat(50)
const step = fc.record({ by: words, channel, verdict: fc.constant('send'), because: words })
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
/** The fields are in the order of our own writer, which the fast path expects. */
const delivery = (type: string) => ({
  ...{ at: time, id, type: fc.constant(type), channel, attempt: fc.nat(3) },
})

const accepted = fc
  .record({
    ...{ at: time, id, type: fc.constant('accepted'), acceptedAt: time },
    ...{ event: words, kind: words, client: words, sessionId: words, project: words, title: words },
    text: optional(words),
    facts: optional(fc.record({ cwd: words, durationMs: time })),
    to: optional(fc.uniqueArray(channel)),
    people: optional(fc.uniqueArray(channel)),
    trace: optional(fc.array(step, { maxLength: 2 })),
    problems: optional(fc.array(words, { maxLength: 2 })),
    fingerprint: optional(fc.constant('0af3')),
    shared: optional(fc.constant(true)),
  })
  // `people` is a part of `to`, so it never occurs without it.
  .map((entry) => (entry.to?.length ? entry : { ...entry, people: undefined }))
  .map((entry) => entry as JournalEntry)
const others = fc.oneof(
  ...[
    { ...delivery('delivered'), ms: fc.nat(), answer: words },
    ...['deferred', 'held'].map((type) => ({ ...delivery(type), reason: words, until: time })),
    ...['exhausted', 'unavailable'].map((type) => ({ ...delivery(type), reason: words })),
    { at: time, id, type: fc.constant('suppressed'), reason: words, channel: optional(channel) },
    { at: time, id, type: fc.constant('unusable'), reason: words },
    { at: time, id, type: fc.constant('undelivered'), reason: words },
    { at: time, id, type: fc.constant('withdrawn'), reason: words, channel },
    {
      ...{ at: time, id, type: fc.constant('answered'), client: words, sessionId: words },
      ...{ how: fc.constant('reply'), answeredAt: time },
    },
    { at: time, id, type: fc.constant('unanswered'), client: words, sessionId: words },
    ...['retried', 'dropped'].map((type) => ({ at: time, id, type: fc.constant(type) })),
  ].map((shape) => fc.record(shape).map((entry) => entry as unknown as JournalEntry)),
)
const entry = fc.oneof(accepted, others)

const whole = entry.map((one) => JSON.stringify(one))
const cut = whole.chain((one) => fc.nat(one.length).map((end) => one.slice(0, end)))
/** Complete lines, lines truncated by a crash, and lines of other writers. */
const line = fc.oneof(
  { weight: 8, arbitrary: whole },
  { weight: 3, arbitrary: cut },
  { weight: 1, arbitrary: fc.tuple(cut, whole).map((both) => both.join('')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{}', 'null', '\0\0\0', '{"at":1,"id":"a","type":"later"}'),
  },
)

function outlineOfLine(one: string): Outline | undefined {
  const bytes = `before\n${Buffer.from(one).toString('latin1')}\nafter`
  return outlineLine(bytes, 7, bytes.length - 6)
}

describe('the outline of a journal line', () => {
  it('agrees with the parser, even if a crash truncated the line', () => {
    fc.assert(
      fc.property(line, (one) => {
        const parsed = parseEntry(one)
        expect(outlineOfLine(one)).toEqual(parsed && outlineEntry(parsed))
      }),
      { numRuns: isFull ? 20_000 : 400 },
    )
  })

  it('agrees with the parser for each length to which a line can be truncated', () => {
    fc.assert(
      fc.property(entry, (one) => {
        const text = JSON.stringify(one)
        for (let end = 0; end <= text.length; end += 1) {
          const start = text.slice(0, end)
          const parsed = parseEntry(start)
          expect(outlineOfLine(start)).toEqual(parsed && outlineEntry(parsed))
        }
      }),
      { numRuns: isFull ? 1000 : 30 },
    )
  })
})

interface Counted {
  id: string
  acceptedAt: number
  outcome: string
  channels: string[]
  to: readonly string[]
}

/** The outcome of each event according to the complete journal. */
async function fullFold(stateDir: string): Promise<Counted[]> {
  const history = new EventHistory()
  for await (const one of readJournal(stateDir)) history.add(one)
  return [...history.byId.values()]
    .sort((a, b) => a.acceptedAt - b.acceptedAt)
    .map(({ id, acceptedAt, outcome, channels, to }) => {
      return { id, acceptedAt, outcome, channels: Object.keys(channels), to }
    })
}

const always: SaveAfter = () => 0

function tallied(stateDir: string, saveAfter?: SaveAfter): Counted[] {
  const journal = new OpenJournal(stateDir, saveAfter)
  try {
    return journal
      .tally()
      .events()
      .map(({ id, acceptedAt, outcome, channels, to }) => {
        return { id, acceptedAt, outcome, channels: Object.keys(channels), to }
      })
  } finally {
    journal.close()
  }
}

function openPaths(): string[] {
  return readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return ''
    }
  })
}

const retried = { at: 1, type: 'retried' }
const journalOf = (stateDir: string) => join(stateDir, 'journal.jsonl')

const damages: { [name: string]: (path: string) => void } = {
  none: () => {},
  cut: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  empty: (path) => truncateSync(path, 0),
  'of other numbers': (path) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"path":"[^"]*"/, '"path":"YwAAAA=="')),
  'of a later version': (path) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace('tally 3', 'tally 9')),
}

const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ lines: fc.array(line, { maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.constant({ rotate: true }) },
  { weight: 1, arbitrary: fc.record({ damage: fc.constantFrom(...Object.keys(damages)) }) },
  { weight: 1, arbitrary: fc.record({ unfinished: line }) },
  { weight: 1, arbitrary: fc.constant({ replace: true }) },
  { weight: 2, arbitrary: fc.constant({ keep: true }) },
)

async function act(stateDir: string, one: object) {
  const path = journalOf(stateDir)
  if ('lines' in one) for (const each of one.lines as string[]) appendFileSync(path, `${each}\n`)
  if ('unfinished' in one) appendFileSync(path, `\n${one.unfinished}`)
  if ('replace' in one) {
    // A new file, which may get the inode number of the old one.
    rmSync(path, { force: true })
    const lines = Array.from({ length: 9 }, () => JSON.stringify({ ...retried, id: newId() }))
    writeFileSync(path, `${lines.join('\n')}\n`)
  }
  if ('rotate' in one) {
    appendFileSync(path, '')
    await rotateJournal(stateDir, () => new Set(['a', 'b-1']), 1)
  }
  if ('keep' in one) await new TallyKeeper(stateDir, always).keep()
  if ('damage' in one) {
    for (const name of readdirSync(join(stateDir, 'cache')).slice(0, 1)) {
      damages[String(one.damage)]?.(join(stateDir, 'cache', name))
    }
  }
}

const question = {
  ...{ at: 0, id: 'e', type: 'accepted', acceptedAt: 0, event: '', kind: '', client: '' },
  ...{ sessionId: '', project: '', title: '', to: ['team', 'log.file'] },
}
/** The later entry of the question names no people, and the only channel for people fails. */
const acceptedAgainForNobody = [
  { ...question, people: ['log.file'] },
  { ...question, people: [] },
  { at: 0, id: 'e', type: 'exhausted', channel: 'log.file', attempt: 0, reason: '' },
].map((one) => JSON.stringify(one))

/** Compares the aggregate values of the tally with those of all events. */
function expectSums(stateDir: string, all: readonly Counted[]) {
  const journal = new OpenJournal(stateDir, always)
  const tally = journal.tally()
  journal.close()
  const outline = (event: TalliedEvent | undefined) =>
    event && { ...event, channels: Object.keys(event.channels) }
  const count = (outcome: string) => all.filter((event) => event.outcome === outcome).length
  expect(tally.count()).toEqual(
    Object.fromEntries(outcomes.map((outcome) => [outcome, count(outcome)])),
  )
  expect(tally.latest(3).map(outline)).toEqual(all.slice(-3))
  expect(outline(tally.oldest('waiting'))).toEqual(all.find(({ outcome }) => outcome === 'waiting'))
  const latest = tally.latestByChannel()
  for (const name of ['team', 'mail', 'log.file']) {
    expect(outline(latest.get(name))).toEqual(
      all.findLast(({ channels }) => channels.includes(name)),
    )
  }
}

describe('the tally of the journal', () => {
  it('agrees with the complete journal after any appends, rotations, truncations or damage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        const stateDir = await makeFolder()
        mkdirSync(join(stateDir, 'cache'))
        for (const one of actions) {
          await act(stateDir, one)
          const all = tallied(stateDir, always)
          expect(all).toEqual(await fullFold(stateDir))
          expectSums(stateDir, all)
        }
      }),
      { numRuns: isFull ? 1000 : 40, examples: [[[{ lines: acceptedAgainForNobody }]]] },
    )
  })

  it('reads only the entries that were added since it was saved', async () => {
    const stateDir = await makeFolder()
    const one = { at: 1, id: 'a', type: 'delivered', channel: 'team', attempt: 1, ms: 1 }
    const write = (id: string) =>
      appendFileSync(journalOf(stateDir), `${JSON.stringify({ ...one, id, answer: 'ok' })}\n`)
    for (const name of ['a', 'b', 'c']) write(name)
    tallied(stateDir, always)
    const [name = ''] = readdirSync(join(stateDir, 'cache'))
    const path = join(stateDir, 'cache', name)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    // Saved data is trusted, so a change in it is visible in the result.
    writeFileSync(path, readFileSync(path, 'utf8').replace('a/b/c', 'a/b/x'))
    write('d')
    expect(tallied(stateDir, always).map(({ id: known }) => known)).toEqual(['a', 'b', 'x', 'd'])
    // The folder existed before, and only its owner may read it.
    expect(readFileSync(path, 'utf8')).toContain('"ids":"d"')
    expect(statSync(join(stateDir, 'cache')).mode & 0o777).toBe(0o700)
  })

  const numbers = (...all: number[]) => Buffer.from(Uint32Array.from(all).buffer).toString('base64')
  it.each([
    ['is of another version', { format: 'hookbell-tally 2 little' }, { ids: 'x/y/z' }],
    ['lacks a column', {}, { at: '' }],
    ['names an unknown sequence of entries', {}, { path: numbers(9, 9, 9) }],
  ])('counts the journal itself if the saved data %s', async (_, file, segment) => {
    const stateDir = await makeFolder()
    const lines = ['a', 'b', 'c'].map((one) => JSON.stringify({ at: 1, id: one, type: 'retried' }))
    writeFileSync(journalOf(stateDir), `${lines.join('\n')}\n`)
    const before = tallied(stateDir, always)
    const [name = ''] = readdirSync(join(stateDir, 'cache'))
    const path = join(stateDir, 'cache', name)
    const saved = JSON.parse(readFileSync(path, 'utf8'))
    const segments = [{ ...saved.segments[0], ...segment }]
    writeFileSync(path, JSON.stringify({ ...saved, ...file, segments }))
    expect(tallied(stateDir, always)).toEqual(before)
    expect(before.map(({ id: known }) => known)).toEqual(['a', 'b', 'c'])
  })

  it('leaves no half-written data when it cannot be saved', async () => {
    const stateDir = await makeFolder()
    writeFileSync(journalOf(stateDir), '{}\n')
    const { ino } = statSync(journalOf(stateDir))
    const name = `journal-tally-${ino}.json`
    mkdirSync(join(stateDir, 'cache', name), { recursive: true })
    await new TallyKeeper(stateDir, always).keep()
    expect(readdirSync(join(stateDir, 'cache'))).toEqual([name])
  })

  it('also counts events that only the spool knows, and those that are dead there', async () => {
    const stateDir = await makeFolder()
    const line = { at: 5, id: 'a', type: 'delivered', channel: 'team', attempt: 1, ms: 1 }
    writeFileSync(journalOf(stateDir), `${JSON.stringify({ ...line, answer: 'ok' })}\n`)
    const journal = new OpenJournal(stateDir)
    onTestFinished(() => journal.close())
    const tally = journal.tally()
    const all = () => tally.events().map((one) => `${one.id} ${one.outcome} ${one.acceptedAt}`)
    expect(all()).toEqual(['a delivered 5'])
    for (const [id, at] of [
      ['a', 1],
      ['new', 9],
      ['new', 9],
      ['old', 3],
    ] as const)
      tally.expect(id, at)
    expect(all()).toEqual(['old waiting 3', 'a delivered 5', 'new waiting 9'])
    expect(tally.oldest('waiting')?.id).toBe('old')
    for (const id of ['a', 'old', 'unknown']) tally.markDead(id)
    expect(tally.count()).toMatchObject({ delivered: 0, dead: 2, waiting: 1 })
    expect(tally.latest(2).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'a dead',
      'new waiting',
    ])
    expect(['a', 'new', 'unknown'].map((id) => tally.has(id))).toEqual([true, true, false])
  })

  it('reads the counts that a worker saved, and finds events in the journal', async () => {
    const stateDir = await makeFolder()
    const lineOf = (id: string, answer: string) =>
      JSON.stringify({ at: 1, id, type: 'delivered', channel: 'team', attempt: 1, ms: 1, answer })
    const long = 'x'.repeat(1000)
    const ids = Array.from({ length: 4000 }, (_, index) => `e${index}`)
    const lines = ids.map((one) => `${lineOf(one, long)}\n`)
    writeFileSync(journalOf(stateDir), lines.join(''))
    await new TallyKeeper(stateDir).keep()
    expect(readdirSync(join(stateDir, 'cache'))).toHaveLength(1)
    // One complete line, and one without its line break.
    appendFileSync(journalOf(stateDir), `${lineOf('e1', 'later')}\n${lineOf('new', 'ok')}`)
    const journal = new OpenJournal(stateDir)
    onTestFinished(() => journal.close())
    expect(journal.tally().count().delivered).toBe(4001)
    const { byId } = journal.read(new Set(['e1', 'e3999', 'new']))
    expect([...byId].map(([one, { channels }]) => [one, channels.team?.detail])).toEqual([
      ['e1', 'later'],
      ['e3999', long],
      ['new', 'ok'],
    ])
  })

  it('is saved without a line that is still being written, and closes the files that it has read', async () => {
    const stateDir = await makeFolder()
    const path = journalOf(stateDir)
    const lineOf = (id: string) => `${JSON.stringify({ ...retried, id })}\n`
    const [half, rest] = [lineOf('b').slice(0, 10), lineOf('b').slice(10)]
    const openFiles = () => (hasProc() ? openPaths().filter((name) => name === path) : [])
    writeFileSync(path, `${lineOf('a')}${half}`)
    await new TallyKeeper(stateDir, always).keep()
    expect(openFiles()).toEqual([])
    appendFileSync(path, rest)
    expect(tallied(stateDir, always).map(({ id: known }) => known)).toEqual(['a', 'b'])
  })

  it('includes entries behind blocks that a disk has lost', async () => {
    const stateDir = await makeFolder()
    const path = journalOf(stateDir)
    const line = { at: 5, id: 'a', type: 'delivered', channel: 'team', attempt: 1, ms: 1 }
    writeFileSync(path, `${JSON.stringify({ ...line, answer: 'before' })}\n`)
    truncateSync(path, 3 * LONGEST_LINE)
    appendFileSync(path, `\n${JSON.stringify({ ...line, id: 'b', answer: 'behind' })}\n`)
    await new TallyKeeper(stateDir, always).keep()
    // An event is read from its first counted line on, so this earlier line must not be found.
    const fd = openSync(path, 'r+')
    writeSync(
      fd,
      `\n${JSON.stringify({ ...line, id: 'b', channel: 'not-read', answer: '' })}\n`,
      LONGEST_LINE,
    )
    closeSync(fd)
    const journal = new OpenJournal(stateDir)
    onTestFinished(() => journal.close())
    expect(journal.tally().count().delivered).toBe(2)
    const { byId } = journal.read(new Set(['b']))
    expect(byId.get('b')?.channels).toEqual({ team: expect.objectContaining({ detail: 'behind' }) })
  })

  it('is saved early for a small journal, and seldom for a large one', async () => {
    const stateDir = await makeFolder()
    const path = journalOf(stateDir)
    let count = 0
    const add = (bytes: number) => {
      const long = 'x'.repeat(960)
      const lineOf = () => `${JSON.stringify({ ...retried, long, id: `e${count++}` })}\n`
      const lines = Array.from({ length: Math.ceil(bytes / lineOf().length) }, lineOf)
      appendFileSync(path, lines.join(''))
    }
    const keeper = new TallyKeeper(stateDir)
    const savedAfter = async (bytes: number) => {
      const folder = join(stateDir, 'cache')
      const inode = () => listQuietly(folder).map((name) => statSync(join(folder, name)).ino)
      const before = inode()
      add(bytes)
      await keeper.keep()
      const after = inode()
      expect(tallied(stateDir)).toHaveLength(
        new Set(readFileSync(path, 'utf8').split('\n')).size - 1,
      )
      return `${after}` !== `${before}`
    }
    const kib = 1024
    expect(await savedAfter(4 * kib)).toBe(false)
    expect(await savedAfter(8 * kib)).toBe(true)
    expect(await savedAfter(4 * kib)).toBe(false)
    expect(await savedAfter(1024 * kib)).toBe(true)
    expect(await savedAfter(64 * kib)).toBe(false)
    expect(await savedAfter(128 * kib)).toBe(true)
    expect(await savedAfter(8192 * kib)).toBe(true)
    expect(await savedAfter(448 * kib)).toBe(false)
    expect(await savedAfter(128 * kib)).toBe(true)
  })

  it('is saved in steps, between which other work runs', async () => {
    const stateDir = await makeFolder()
    const lines = Array.from({ length: 50_000 }, (_, index) => ({ ...retried, id: `${index}` }))
    writeFileSync(journalOf(stateDir), lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
    let [turns, isKept] = [0, false]
    const count = () => {
      turns += 1
      if (!isKept) setImmediate(count)
    }
    setImmediate(count)
    await new TallyKeeper(stateDir).keep()
    isKept = true
    expect(turns).toBeGreaterThan(1)
  })

  it('does not recreate a state folder that was removed', async () => {
    const stateDir = await makeFolder()
    appendFileSync(journalOf(stateDir), '{}\n')
    const journal = new OpenJournal(stateDir, always)
    rmSync(stateDir, { recursive: true })
    journal.tally()
    journal.close()
    expect(existsSync(stateDir)).toBe(false)
  })

  it('is not saved for a small journal', async () => {
    const stateDir = await makeFolder()
    appendFileSync(journalOf(stateDir), '{}\n')
    tallied(stateDir)
    expect(readdirSync(stateDir)).toEqual(['journal.jsonl'])
  })

  it('removes what it saved about journal files that are gone', async () => {
    const stateDir = await makeFolder()
    mkdirSync(join(stateDir, 'cache'))
    for (const name of ['journal-tally-1.json', 'other.json'])
      writeFileSync(join(stateDir, 'cache', name), '')
    for (let round = 0; round < 8; round += 1) {
      appendFileSync(journalOf(stateDir), '{}\n')
      tallied(stateDir, always)
      await rotateJournal(stateDir, () => new Set(), 1)
    }
    tallied(stateDir, always)
    const left = () => readdirSync(join(stateDir, 'cache'))
    expect(left().length).toBeLessThanOrEqual(6)
    expect(left()).toContain('other.json')
    expect(left()).not.toContain('journal-1.json')
    // The worker removes it, too.
    appendFileSync(journalOf(stateDir), '{}\n')
    writeFileSync(join(stateDir, 'cache/journal-tally-1.json'), '')
    await new TallyKeeper(stateDir, always).keep()
    expect(left()).not.toContain('journal-tally-1.json')
  })

  it.skipIf(process.platform === 'win32').each(['mkdir', 'mkfifo'])(
    'throws if a journal file cannot be read: %s',
    async (command) => {
      const stateDir = await makeFolder()
      spawnSync(command, [journalOf(stateDir)])
      expect(() => tallied(stateDir)).toThrow('is not a regular file')
      await expect(readJournal(stateDir).next()).rejects.toThrow('is not a regular file')
    },
  )
})
