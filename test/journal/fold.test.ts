import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JournalEntry, type Note, parseEntry } from '../../src/journal/entry.ts'
import { journalFiles, KEPT_FILES } from '../../src/journal/files.ts'
import { Fold, LATEST, Notes, Outcomes, writeNote } from '../../src/journal/fold.ts'
import { EventHistory } from '../../src/journal/history.ts'
import { rotateJournal } from '../../src/journal/journal.ts'
import { LONGEST_LINE, readBack, readJournal, readWhole } from '../../src/journal/read.ts'
import { newId } from '../../src/spool/layout.ts'
import { hasProc } from '../../src/spool/lock/owner.ts'
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

const note = fc.record({
  ...{ at: time, type: fc.constant('note'), value: channel },
  subject: fc.constantFrom('configuration', 'dead channel', 'digest'),
})

const whole = fc.oneof(
  { weight: 6, arbitrary: entry.map((one) => JSON.stringify(one)) },
  { weight: 1, arbitrary: note.map((one) => JSON.stringify(one)) },
)
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

const retried = { at: 1, type: 'retried' }
const journalOf = (stateDir: string) => join(stateDir, 'journal.jsonl')
const checkpointOf = (stateDir: string) => join(stateDir, 'checkpoint.json')

function newFold(stateDir: string) {
  return new Fold(stateDir, (saved) => ({
    outcomes: new Outcomes(saved.outcomes),
    notes: new Notes(saved.notes),
  }))
}

/** What a process finds that starts now. */
function found(stateDir: string): Outcomes {
  return newFold(stateDir).now().outcomes
}

/** Reads the journal to its end and writes the checkpoint, as a worker does. */
function save(stateDir: string) {
  const fold = newFold(stateDir)
  fold.now()
  fold.save()
}

/** The entries of all files, one after the other, without a line that is still being written. */
function entriesOf(stateDir: string): JournalEntry[] {
  const files = journalFiles(stateDir).filter((path) => existsSync(path))
  return files
    .flatMap((path, index) => {
      const lines = readFileSync(path, 'utf8').split('\n')
      return index === files.length - 1 ? lines.slice(0, -1) : lines
    })
    .flatMap((one) => parseEntry(one) ?? [])
}

/** The status of each event according to the complete journal. */
function fullFold(stateDir: string): EventHistory {
  const history = new EventHistory()
  const after = ['answered', 'unanswered', 'withdrawn']
  for (const one of entriesOf(stateDir)) {
    // These say nothing of an event whose acceptance is lost.
    if (history.byId.has(one.id) || !after.includes(one.type)) history.add(one)
  }
  return history
}

const withoutTexts = { text: '', problems: [], trace: [], file: expect.any(Number) }

function expectComplete(stateDir: string) {
  const all = [...fullFold(stateDir).byId.values()]
  const { events, channels } = found(stateDir)
  expect([...events.values()]).toEqual(all.map((one) => ({ ...one, ...withoutTexts })))
  const names = all.flatMap((one) => Object.keys(one.channels))
  expect([...channels.keys()]).toEqual(expect.arrayContaining(names))
}

const damages: { [name: string]: (path: string) => void } = {
  gone: (path) => rmSync(path),
  cut: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  empty: (path) => truncateSync(path, 0),
  'of another version': (path) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace('checkpoint 1', 'checkpoint 9')),
  'without a state': (path) => writeFileSync(path, '{"format":"hookbell-checkpoint 1","state":7}'),
  'with another state': (path) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace('"events":[', '"events":[7,')),
  'of another file': (path) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"inode":\d+/, '"inode":1')),
  'ahead of the journal': (path) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"offset":\d+/, '"offset":999999')),
}

const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ lines: fc.array(line, { maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.constant({ rotate: true }) },
  { weight: 1, arbitrary: fc.record({ damage: fc.constantFrom(...Object.keys(damages)) }) },
  { weight: 1, arbitrary: fc.record({ unfinished: line }) },
  { weight: 1, arbitrary: fc.constant({ replace: true }) },
  { weight: 3, arbitrary: fc.constant({ save: true }) },
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
  if ('save' in one) save(stateDir)
  if ('damage' in one && existsSync(checkpointOf(stateDir)))
    damages[String(one.damage)]?.(checkpointOf(stateDir))
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

/** The entries of events that are delivered at once. */
function settledEvents(from: number, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const [id, at] = [`e${from + index}`, from + index]
    const delivery = { type: 'delivered', channel: 'team', attempt: 1, ms: 1, answer: 'ok' }
    return [
      { ...question, id, at, acceptedAt: at, title: 'x', to: ['team'] },
      { at, id, ...delivery },
    ]
  })
  return lines
    .flat()
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('')
}

describe('the fold of the journal', () => {
  it('is the same from any checkpoint, after any appends, rotations or damage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        const stateDir = await makeFolder()
        const running = newFold(stateDir)
        for (const one of actions) {
          await act(stateDir, one)
          expectComplete(stateDir)
          // A worker follows the journal from the start.
          const { outcomes, notes } = running.now()
          expect([...outcomes.events]).toEqual([...found(stateDir).events])
          expect(newFold(stateDir).now().notes.state).toEqual(notes.state)
        }
      }),
      { numRuns: isFull ? 1000 : 40, examples: [[[{ lines: acceptedAgainForNobody }]]] },
    )
  })

  it('counts events that are settled for long, whenever it was saved', async () => {
    const [often, never] = [await makeFolder(), await makeFolder()]
    for (let from = 0; from < 3000; from += 300) {
      for (const stateDir of [often, never]) {
        appendFileSync(journalOf(stateDir), settledEvents(from, 300))
        if (from % 900 === 0) await rotateJournal(stateDir, () => new Set(), 1)
      }
      save(often)
    }
    expect(found(often).state).toEqual(found(never).state)
    const { events, counted } = found(often)
    expect(events.size + counted.delivered).toBe(3000)
    expect(events.size).toBeLessThan(1000)
    expect([...events.keys()].slice(-LATEST)[0]).toBe('e2500')
  })

  it('knows of each channel the status that its last event has there', async () => {
    const stateDir = await makeFolder()
    const on = (one: string, at: number, type: string, channelOfIt: string) =>
      JSON.stringify({
        at,
        id: one,
        type,
        channel: channelOfIt,
        attempt: 1,
        reason: type,
        until: 99,
      })
    const lines = [
      ...['first', 'second'].map((one, at) =>
        JSON.stringify({ ...question, id: one, at, acceptedAt: at }),
      ),
      ...[on('second', 3, 'deferred', 'team'), on('first', 4, 'exhausted', 'team')],
      ...[on('first', 5, 'deferred', 'mail'), on('first', 6, 'exhausted', 'mail')],
    ]
    writeFileSync(journalOf(stateDir), `${lines.join('\n')}\n`)
    const known = [...found(stateDir).channels].map(([name, { id: of, state }]) => [
      name,
      of,
      state,
    ])
    expect(known).toEqual([
      ['team', 'second', 'deferred'],
      ['mail', 'first', 'exhausted'],
    ])
  })

  it('forgets what goes with the oldest file, but nothing that is open', async () => {
    const stateDir = await makeFolder()
    const waiting = ['open', 'lost'].map((one) => JSON.stringify({ ...question, id: one }))
    appendFileSync(journalOf(stateDir), `${waiting.join('\n')}\n${settledEvents(0, 2000)}`)
    const fold = newFold(stateDir)
    const open = new Set(['open'])
    for (let round = 1; round <= KEPT_FILES + 2; round += 1) {
      await rotateJournal(stateDir, () => open, 1)
      appendFileSync(journalOf(stateDir), settledEvents(2000 + round, 1))
      fold.now().outcomes.forgetGone(open)
    }
    const { events, counted } = fold.now().outcomes
    expect([...events.keys()].slice(0, 2)).toEqual(['open', 'e2002'])
    expect(counted.delivered).toBe(0)
    expect([...events.keys()]).toEqual([...found(stateDir).events.keys()])
  })

  it('knows what was noted last, and the channels by which nothing came through since they were dead', async () => {
    const stateDir = await makeFolder()
    // A crash cut the line before the note.
    writeFileSync(journalOf(stateDir), `${settledEvents(0, 1)}{"at":1`)
    const notes = () => newFold(stateDir).now().notes
    const write = (subject: Note['subject'], value: string) =>
      writeNote(stateDir, { at: 1, type: 'note', subject, value })
    write('digest', '1')
    write('dead channel', 'team')
    write('dead channel', 'mail')
    save(stateDir)
    write('digest', '2')
    expect([notes().latest('digest'), notes().deadChannels]).toEqual(['2', ['team', 'mail']])
    appendFileSync(journalOf(stateDir), settledEvents(1, 1))
    expect(notes().deadChannels).toEqual(['mail'])
    expect(readFileSync(journalOf(stateDir), 'utf8')).not.toContain('\n\n')
    // They are about no event.
    expect([...found(stateDir).events.keys()]).toEqual(['e0', 'e1'])
    expect([...readWhole(stateDir, () => true).byId.keys()]).toEqual(['e0', 'e1'])
  })

  it('reads only the entries that were added since it was saved', async () => {
    const stateDir = await makeFolder()
    writeFileSync(journalOf(stateDir), settledEvents(0, 3))
    save(stateDir)
    const path = checkpointOf(stateDir)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    // What is saved is trusted, so a change in it is visible in the result.
    writeFileSync(path, readFileSync(path, 'utf8').replace('"id":"e2"', '"id":"x"'))
    appendFileSync(journalOf(stateDir), settledEvents(3, 1))
    expect([...found(stateDir).events.keys()]).toEqual(['e0', 'e1', 'x', 'e3'])
  })

  it('is saved by an idle worker only if much was added', async () => {
    const stateDir = await makeFolder()
    const fold = newFold(stateDir)
    const saveAfter = (count: number) => {
      appendFileSync(journalOf(stateDir), settledEvents(0, count))
      fold.now()
      rmSync(checkpointOf(stateDir), { force: true })
      fold.save({ isWorth: true })
      return existsSync(checkpointOf(stateDir))
    }
    expect([100, 2000, 100, 2000].map(saveAfter)).toEqual([false, true, false, true])
  })

  it('leaves nothing behind if it cannot be saved', async () => {
    const stateDir = await makeFolder()
    writeFileSync(journalOf(stateDir), settledEvents(0, 1))
    const fold = newFold(stateDir)
    fold.now()
    rmSync(stateDir, { recursive: true })
    fold.save()
    expect(existsSync(stateDir)).toBe(false)
  })

  it('closes the files that it has read', async () => {
    const stateDir = await makeFolder()
    writeFileSync(journalOf(stateDir), settledEvents(0, 1))
    found(stateDir)
    expect(hasProc() ? openPaths().filter((name) => name.startsWith(stateDir)) : []).toEqual([])
  })

  it('includes entries behind blocks that a disk has lost', async () => {
    const stateDir = await makeFolder()
    const path = journalOf(stateDir)
    writeFileSync(path, settledEvents(0, 1))
    truncateSync(path, 3 * LONGEST_LINE)
    appendFileSync(path, `\n${settledEvents(1, 1)}`)
    expect([...found(stateDir).events.keys()]).toEqual(['e0', 'e1'])
  })

  it.skipIf(process.platform === 'win32').each(['mkdir', 'mkfifo'])(
    'throws if a journal file cannot be read: %s',
    async (command) => {
      const stateDir = await makeFolder()
      spawnSync(command, [journalOf(stateDir)])
      expect(() => found(stateDir)).toThrow('is not a regular file')
      await expect(readJournal(stateDir).next()).rejects.toThrow('is not a regular file')
    },
  )
})

describe('events with their texts', () => {
  it('are found from the end of the journal, as in the whole of it', async () => {
    const stateDir = await makeFolder()
    const early = { at: 0, id: 'early', type: 'deferred', channel: 'team', attempt: 1 }
    const first = JSON.stringify({ ...early, reason: 'no', until: 9 })
    const accepted = JSON.stringify({ ...question, id: 'early', title: 'x', text: 'long' })
    // The first attempt was recorded before the acceptance, and in another file.
    writeFileSync(journalOf(stateDir), `${settledEvents(0, 10)}${first}\n`)
    await rotateJournal(stateDir, () => new Set(), 1)
    writeFileSync(journalOf(stateDir), `${accepted}\n${settledEvents(10, 5000)}`)
    const all = [...found(stateDir).events.values()]
    for (const chosen of [all, all.slice(-3), all.filter(({ id: one }) => one === 'early')]) {
      const ids = new Set(chosen.map((one) => one.id))
      const back = readBack(stateDir, chosen)
      expect(back.byId).toEqual(readWhole(stateDir, (one) => ids.has(one)).byId)
      expect([...back.byId.keys()]).toHaveLength(chosen.length)
    }
  })
})

function openPaths(): string[] {
  return readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return ''
    }
  })
}
