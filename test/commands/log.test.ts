import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sinceTime } from '../../src/commands/_since.ts'
import type { AcceptedEntry, JournalEntry } from '../../src/journal/entry.ts'
import { appendEntry } from '../../src/journal/journal.ts'
import { displayWidth } from '../../src/text/width.ts'
import { type Home, makeHome, root } from '../support/home.ts'

const HOUR = 3600_000

/** Writes that an event was accepted. */
async function accept(home: Home, id: string, fields: Partial<AcceptedEntry> = {}) {
  const at = fields.acceptedAt ?? Date.now()
  const accepted: AcceptedEntry = {
    ...{ at, id, type: 'accepted', acceptedAt: at, event: 'Stop', kind: 'done', client: 'claude' },
    ...{ sessionId: 'session-1', project: 'shop', title: `shop: done ${id}`, to: ['desk'] },
    ...fields,
  }
  await appendEntry(home.state, accepted)
}

async function deliver(home: Home, id: string, at = Date.now()) {
  const delivered: JournalEntry = {
    ...{ at, id, type: 'delivered', channel: 'desk', attempt: 1, ms: 1, answer: 'ok' },
  }
  await appendEntry(home.state, delivered)
}

/** Writes the journal entries of a delivered event. */
async function record(home: Home, id: string, fields: Partial<AcceptedEntry> = {}) {
  await accept(home, id, fields)
  await deliver(home, id, fields.acceptedAt)
}

/** Writes the journal entries of an event that nobody is told of. */
async function leave(home: Home, id: string, event: string) {
  await accept(home, id, { kind: 'other', to: [], event })
  const suppressed: JournalEntry = { at: Date.now(), id, type: 'suppressed', reason: 'no route' }
  await appendEntry(home.state, suppressed)
}

async function makeLogHome() {
  const home = await makeHome()
  mkdirSync(home.state)
  const now = Date.now()
  await record(home, 'event-old', { acceptedAt: now - 50 * HOUR })
  await record(home, 'event-asks', {
    acceptedAt: now - HOUR,
    ...{ kind: 'permission', sessionId: 'session-2', title: 'shop: permission needed' },
    text: 'May I run\n  npm test?',
  })
  await record(home, 'event-new', { text: 'All green.\nTwo files changed.' })
  const shownIds = async (...words: string[]) => {
    const { stdout } = await home.run('log', ...words, '--json')
    return JSON.parse(stdout).map(({ id }: { id: string }) => id)
  }
  return { home, shownIds }
}

/** Runs `hookbell log --follow` and collects the printed lines. Killed at the end of the test. */
function startFollowing(home: Home, ...words: string[]) {
  const program = [join(root, 'bin/hookbell'), 'log', '--follow', ...words]
  const child = execa(process.execPath, program, {
    ...{ env: home.env, extendEnv: false, reject: false, buffer: false },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data
  })
  return { child, lines: () => text.split('\n').filter(Boolean) }
}

/** Rotates the journal as a worker does. */
function rotate(home: Home) {
  for (const age of [3, 2, 1]) {
    const from = join(home.state, `journal.${age}.jsonl`)
    if (statSync(from, { throwIfNoEntry: false }))
      renameSync(from, join(home.state, `journal.${age + 1}.jsonl`))
  }
  renameSync(join(home.state, 'journal.jsonl'), join(home.state, 'journal.1.jsonl'))
}

describe('hookbell log', () => {
  it('shows the text of each event on one line, and in full for a single event', async () => {
    const { home } = await makeLogHome()
    const { stdout } = await home.run('log')
    const lines = stdout.split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(
      / claude session- {2}shop: permission needed · May I run npm test\? +desk$/,
    )
    const one = await home.run('log', 'event-asks')
    expect(one.stdout).toContain('\n  May I run\n    npm test?')
  })

  it('leaves out what nobody asks about, unless that is wanted', async () => {
    const { home } = await makeLogHome()
    await leave(home, 'prompt-1', 'UserPromptSubmit')
    await leave(home, 'canary-1', 'HookbellCanary')
    await record(home, 'other-told', { kind: 'other', event: 'Odd', title: 'shop: Odd' })
    const idsOf = (text: string) => text.match(/(event|prompt|canary|other)-\w/g)
    const shown = async (...words: string[]) => idsOf((await home.run('log', ...words)).stdout)
    const wanted = ['event-o', 'event-a', 'event-n', 'other-t']
    expect(await shown()).toEqual(expect.arrayContaining(wanted))
    expect((await home.run('log')).stdout.split('\n')).toHaveLength(4)
    expect((await home.run('log', '--limit', '2')).stdout.split('\n')).toHaveLength(2)
    expect((await home.run('log', '--since', '2h')).stdout.split('\n')).toHaveLength(3)
    for (const words of [['--all'], ['--all', '--since', '7d']])
      expect((await home.run('log', ...words)).stdout.split('\n')).toHaveLength(6)
    expect((await home.run('log', '--kind', 'other')).stdout.split('\n')).toHaveLength(3)
    expect(JSON.parse((await home.run('log', '--json')).stdout)).toHaveLength(6)
    expect((await home.run('log', 'last')).stdout).toContain('id       other-told')
    await leave(home, 'canary-2', 'HookbellCanary')
    expect((await home.run('log', 'last', '--all')).stdout).toContain('id       canary-2')
  })

  it('says so if there is nothing else', async () => {
    const home = await makeHome()
    mkdirSync(home.state)
    await leave(home, 'prompt-1', 'UserPromptSubmit')
    expect((await home.run('log')).stdout).toMatch(/^Nothing but prompts.* log --all shows them$/)
  })

  it('has at most 120 columns for a program, whatever is in it', async () => {
    const { home } = await makeLogHome()
    const title = `Claude · ${'long-project-'.repeat(5)}: done`
    await accept(home, 'event-long', {
      title,
      text: '長い '.repeat(90),
      to: ['a-rather-long-channel'.repeat(5)],
    })
    const { stdout } = await home.run('log')
    for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(120)
    // The title says who; the session is told by the start of its id.
    expect(stdout).toMatch(/ session- +Claude · long-project-/)
  })

  it('filters by time, session and kind', async () => {
    const { shownIds } = await makeLogHome()
    expect(await shownIds('--since', '2h')).toEqual(['event-asks', 'event-new'])
    expect(await shownIds('--since', '7d', '--limit', '1')).toEqual(['event-new'])
    expect(await shownIds('--session', 'session-1')).toEqual(['event-old', 'event-new'])
    expect(await shownIds('--kind', 'permission')).toEqual(['event-asks'])
    expect(await shownIds('--kind', 'permission', '--session', 'session-1')).toEqual([])
    // The session has only older events.
    expect(await shownIds('--session', 'session-2', '--since', '10m')).toEqual([])
  })

  it.each([
    [['--kind', 'permision'], 'no kind is called "permision"', 'Did you mean "permission"?'],
    [['--session', 'sesion-1'], 'no event of a session "sesion-1"', 'Did you mean "session-"?'],
    [['--since', 'soon'], '--since takes a duration or a date, not "soon"', 'Such as: --since 2h'],
    [['--since', '2026-02-30'], '--since takes a duration or a date', '--since 7d'],
    [['--since', '2999-01-01'], '--since takes a time that is over', ''],
    [['event-new', '--kind', 'done'], 'one event is shown whole', 'Leave out its id'],
    [['--folow'], 'unknown option "--folow"', 'Did you mean "--follow"?'],
  ])('%j exits with 64 and a hint', async (words, message, hint) => {
    const { home } = await makeLogHome()
    const { exitCode, stderr } = await home.run('log', ...words)
    expect(exitCode).toBe(64)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })
})

describe('hookbell log --follow', () => {
  it('prints each new event, also after the journal was rotated, and exits on Ctrl+C', async () => {
    const { home } = await makeLogHome()
    const { child, lines } = startFollowing(home, '--limit', '1')
    await expect.poll(lines).toHaveLength(1)
    await record(home, 'event-4')
    await expect.poll(lines).toHaveLength(2)
    rotate(home)
    await record(home, 'event-5')
    await expect.poll(lines).toHaveLength(3)
    rotate(home)
    await record(home, 'event-6')
    rotate(home)
    await record(home, 'event-7')
    await expect.poll(lines).toHaveLength(5)
    expect(lines().map((line) => /done (event-\w+)/.exec(line)?.[1])).toEqual(
      ['new', 4, 5, 6, 7].map((name) => `event-${name}`),
    )
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 0 })
  })

  it('prints one line of JSON per event that matches the filter', async () => {
    const { home } = await makeLogHome()
    const { lines } = startFollowing(home, '--kind', 'failed', '--json')
    await record(home, 'event-4')
    await record(home, 'event-5', { kind: 'failed' })
    await expect.poll(lines).toHaveLength(1)
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ id: 'event-5', outcome: 'delivered' })
  })

  it('prints a change of an event that was accepted before it started, even one beyond --limit', async () => {
    const { home } = await makeLogHome()
    await accept(home, 'waits-asks', { kind: 'permission', title: 'shop: permission needed' })
    await accept(home, 'waits-done')
    await record(home, 'event-4', { kind: 'other', title: 'shop: idle' })
    const filters = [[], ['--kind', 'permission'], ['--kind', 'other']]
    const followers = filters.map((words) =>
      startFollowing(home, '--limit', '1', '--json', ...words),
    )
    const said = () =>
      followers.map(({ lines }) =>
        lines().map((line) => {
          const { client, title } = JSON.parse(line)
          return `${client} ${title}`
        }),
      )
    const [idle, asks] = ['claude shop: idle', 'claude shop: permission needed']
    await expect.poll(said).toEqual([[idle], [asks], [idle]])
    await deliver(home, 'waits-asks')
    await deliver(home, 'waits-done')
    // An entry that does not change the line of an event prints nothing.
    const withdrawn = { type: 'withdrawn', channel: 'desk', reason: 'answered' } as const
    await appendEntry(home.state, { at: Date.now(), id: 'event-old', ...withdrawn })
    await record(home, 'event-5', { kind: 'other', title: 'shop: idle' })
    const done = 'claude shop: done waits-done'
    await expect.poll(said).toEqual([
      [idle, asks, done, idle],
      [asks, asks],
      [idle, idle],
    ])
  })

  it('prints no event that was accepted before --since', async () => {
    const { home } = await makeLogHome()
    await accept(home, 'waits-long', { acceptedAt: Date.now() - 3 * HOUR })
    const { lines } = startFollowing(home, '--since', '2h')
    await expect.poll(lines).toHaveLength(2)
    await deliver(home, 'waits-long')
    await record(home, 'event-4')
    await expect.poll(lines).toHaveLength(3)
    expect(lines()[2]).toContain('event-4')
  })

  it('waits for the first event when there is no journal yet', async () => {
    const home = await makeHome()
    const { child, lines } = startFollowing(home)
    mkdirSync(home.state)
    await record(home, 'event-1')
    await expect.poll(lines).toHaveLength(1)
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 0 })
  })

  it('exits silently when the reader closes the pipe', async () => {
    const { home } = await makeLogHome()
    const { child, lines } = startFollowing(home)
    await expect.poll(lines).toHaveLength(3)
    child.stdout.destroy()
    await record(home, 'event-4')
    expect(await child).toMatchObject({ exitCode: 0 })
  })
})

describe('the option --since', () => {
  const now = new Date(2026, 10, 20, 12, 0).getTime()

  it.each([
    ['90m', now - 1.5 * HOUR],
    ['7d', now - 7 * 24 * HOUR],
    ['2026-11-20', new Date(2026, 10, 20).getTime()],
    ['2026-11-19 18:30', new Date(2026, 10, 19, 18, 30).getTime()],
    ['2026-11-19T18:30:05Z', Date.UTC(2026, 10, 19, 18, 30, 5)],
  ])('accepts %s', (text, at) => {
    expect(sinceTime(text, 'log', now)).toBe(at)
  })

  it.each(['', '7', '-7d', '0h', '7w', '2026-13-01', '2026-02-29', '2026-11-19 25:00'])(
    'rejects %j',
    (text) => expect(() => sinceTime(text, 'log', now)).toThrow('--since takes a duration'),
  )
})
