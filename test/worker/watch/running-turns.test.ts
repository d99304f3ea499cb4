import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseEvent } from '../../../src/event/parse.ts'
import { RunningTurns } from '../../../src/worker/watch/running-turns.ts'
import { makeWorld } from '../_world.ts'

type Line = [type: string, payload: object]

const error = 'You have hit your usage limit. Try again at 6:30 PM.'
const asked: Line = [
  'event_msg',
  { type: 'item_completed', item: { type: 'UserMessage', content: [{ text: 'Fix it' }] } },
]
const ended = (more: object): Line => ['event_msg', { type: 'task_complete', ...more }]
const failed = ended({ error: { message: error, codex_error_info: 'usage_limit_exceeded' } })
const review: Line = ['session_meta', { id: 'r1', source: { subagent: 'review' } }]
const oneShot: Line = ['session_meta', { id: 's1', source: 'exec' }]

/** A session of Codex with its transcript, and the turns that a worker watches, with a clock. */
function makeTurns() {
  const world = makeWorld()
  vi.stubEnv('CODEX_HOME', join(world.folder, '.codex'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const path = join(world.folder, '.codex/sessions/rollout-s1.jsonl')
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, '')
  const clock = { now: Date.now() }
  const accepted: object[] = []
  const disk = { isFull: false }
  const acceptOwn = (header: object, body: Buffer) => {
    if (disk.isFull) throw new Error('ENOSPC')
    accepted.push({ ...header, ...JSON.parse(`${body}`) })
    return { id: `${accepted.length}` } as never
  }
  const turns = new RunningTurns({ store: { acceptOwn }, now: () => clock.now })
  const payload = (name: string) => ({
    ...{ hook_event_name: name, session_id: 's1', turn_id: 'u1', transcript_path: path },
    ...{ cwd: '/srv/shop', prompt: 'Fix it' },
  })
  return {
    ...{ world, path, clock, disk, turns, accepted, payload },
    note: (name = 'UserPromptSubmit', client = 'codex') => {
      const header = { client, env: { TERM: 'xterm' } }
      const body = Buffer.from(JSON.stringify(payload(name)))
      turns.note(parseEvent({ id: name, at: clock.now, header, body, truncated: false }, []))
    },
    write: (...lines: Line[]) => {
      const timestamp = new Date(clock.now).toISOString()
      for (const [type, about] of lines)
        appendFileSync(path, `${JSON.stringify({ timestamp, type, payload: about })}\n`)
    },
    /** Lets time pass, and looks for turns that have ended. @returns the number of events accepted so far */
    after: async (ms: number) => {
      clock.now += ms
      await turns.takeEnded()
      return accepted.length
    },
  }
}

describe('a running turn of a client that fires no hook for a failure', () => {
  it('that failed becomes an event with the words of its transcript', async () => {
    const { accepted, after, note, path, turns, write } = makeTurns()
    note()
    expect(turns.nextLookInMs()).toBe(1000)
    write(asked)
    expect(await after(1000)).toBe(0)
    write(failed)
    expect(await after(500)).toBe(0)
    expect(await after(500)).toBe(1)
    expect(accepted).toEqual([
      {
        ...{ client: 'codex', env: { TERM: 'xterm' }, hook_event_name: 'StopFailure' },
        ...{ session_id: 's1', turn_id: 'u1', cwd: '/srv/shop', transcript_path: path },
        error_details: error,
      },
    ])
    expect(turns.nextLookInMs()).toBeUndefined()
  })

  it.each([
    ['ended well', [asked, ended({ error: null })]],
    [
      'is a review that was stopped',
      [review, asked, ['event_msg', { type: 'turn_aborted', reason: 'interrupted' }]],
    ],
    ['was stopped', [asked, ['event_msg', { type: 'turn_aborted', reason: 'interrupted' }]]],
    ['is a one-shot run, whose end reports the failure', [oneShot, asked, failed]],
  ] as [string, Line[]][])('that %s becomes no event', async (_, lines) => {
    const { after, note, turns, write } = makeTurns()
    note()
    write(...lines)
    expect(await after(1000)).toBe(0)
    expect(turns.nextLookInMs()).toBeUndefined()
  })

  it('that was a review becomes an event, since no hook runs at its end', async () => {
    const { accepted, after, note, path, write } = makeTurns()
    note()
    write(review, asked)
    expect(await after(1000)).toBe(0)
    write(ended({ error: null }))
    expect(await after(1000)).toBe(1)
    expect(accepted).toEqual([
      {
        ...{ client: 'codex', env: { TERM: 'xterm' }, hook_event_name: 'Stop' },
        ...{ session_id: 's1', turn_id: 'u1', cwd: '/srv/shop', transcript_path: path },
      },
    ])
  })

  it('that failed while the disk was full is reported later', async () => {
    const { after, disk, note, write } = makeTurns()
    note()
    write(asked, failed)
    disk.isFull = true
    expect(await after(1000)).toBe(0)
    disk.isFull = false
    expect(await after(1000)).toBe(1)
    expect(await after(30_000)).toBe(1)
  })

  it.each(['PreToolUse', 'PermissionRequest', 'SubagentStop'])(
    'is watched after %s',
    async (name) => {
      const { after, note, write } = makeTurns()
      note()
      note(name)
      write(asked, failed)
      expect(await after(1000)).toBe(1)
    },
  )

  it.each(['Stop', 'Interrupt', 'SessionEnd'])('is not watched after %s', async (name) => {
    const { after, note, write } = makeTurns()
    note()
    note(name)
    write(asked, failed)
    expect(await after(1000)).toBe(0)
  })

  it('does not count as failed because the turn before it failed', async () => {
    const { after, note, write } = makeTurns()
    write(asked, failed)
    expect(await after(5000)).toBe(0)
    note()
    expect(await after(1000)).toBe(0)
    write(asked)
    expect(await after(1000)).toBe(0)
    write(failed)
    expect(await after(1000)).toBe(1)
  })

  it('is not watched if its transcript is missing, or has not grown for an hour', async () => {
    const { after, note, path, turns, write } = makeTurns()
    note()
    write(asked)
    await after(1000)
    await after(3600_000)
    expect(turns.nextLookInMs()).toBe(30_000)
    await after(30_000)
    expect(turns.nextLookInMs()).toBeUndefined()
    note()
    rmSync(path)
    await after(1000)
    expect(turns.nextLookInMs()).toBeUndefined()
  })

  it('is reported by a worker, which runs as long as the turn', async () => {
    const { clock, payload, world, write } = makeTurns()
    world.accept(payload('UserPromptSubmit'), { client: 'codex' })
    const running = world.untilIdle()
    await expect.poll(() => world.lines().length).toBe(1)
    clock.now = Date.now()
    write(asked, failed)
    await running
    const [, told] = world.lines()
    expect(told).toMatchObject({ title: expect.stringMatching(/: limit reached$/) })
    expect(told?.body).toContain(error)
  })
})

it('a turn of a client that fires a hook for a failure is not watched', () => {
  const { note, turns } = makeTurns()
  note('UserPromptSubmit', 'claude')
  expect(turns.nextLookInMs()).toBeUndefined()
})
