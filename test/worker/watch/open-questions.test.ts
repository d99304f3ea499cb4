import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JournalEntry } from '../../../src/journal/entry.ts'
import { Journal } from '../../../src/journal/journal.ts'
import { readJournal } from '../../../src/journal/read.ts'
import { WorkerMemory } from '../../../src/worker/memory.ts'
import { OpenQuestions } from '../../../src/worker/watch/open-questions.ts'
import { builtWorker } from '../../support/program.ts'
import { startReceiver } from '../../support/receiver.ts'
import { exited, makeWorld, startProgram, type World } from '../_world.ts'

/** One line of a transcript of Claude Code. */
function line(type: string, content: object, at: number): string {
  const message = { role: type, content: [content] }
  return `${JSON.stringify({ type, timestamp: new Date(at).toISOString(), message })}\n`
}

/** A transcript of Claude Code in which a command waits for permission. */
function makeTranscript({ folder }: World, at: number) {
  const path = join(folder, '.claude/projects/-srv-app/s1.jsonl')
  mkdirSync(join(path, '..'), { recursive: true })
  vi.stubEnv('HOME', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  writeFileSync(path, line('assistant', { type: 'tool_use', id: 't1', name: 'Bash' }, at - 1))
  const goOn = (when: number) =>
    appendFileSync(path, line('user', { type: 'tool_result', tool_use_id: 't1' }, when))
  return { path, goOn }
}

/** In whole seconds, which the time of a file keeps exactly. */
function minuteAgo(): number {
  return (Math.floor(Date.now() / 1000) - 60) * 1000
}

async function journalOf({ stateDir }: World): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for await (const entry of readJournal(stateDir)) entries.push(entry)
  return entries
}

async function endsIn(world: World) {
  const ends = ['answered', 'unanswered']
  return (await journalOf(world)).filter(({ type }) => ends.includes(type))
}

/** The open questions of a worker with its own clock. `ask` folds a question into its memory. */
async function makeQuestions() {
  const world = makeWorld()
  const clock = { now: Date.now() }
  const memory = new WorkerMemory(world.stateDir)
  const known = await memory.get()
  const journal = new Journal({ stateDir: world.stateDir, secrets: () => [] })
  const answered: string[] = []
  const now = () => clock.now
  const onAnswer = (_: object, id: string) => void answered.push(id)
  const questions = new OpenQuestions({ journal, memory, onAnswer, now })
  const ask = (id: string, transcriptPath: string) => {
    const of = { client: 'claude', sessionId: 's1', project: '', title: '' }
    known.fold({
      ...{ at: clock.now, id, type: 'accepted', acceptedAt: clock.now, ...of },
      ...{ event: 'PermissionRequest', kind: 'permission' },
      facts: { means: 'PermissionRequest', toolUseId: 't1', transcriptPath },
    })
  }
  return { answered, ask, clock, journal, questions, world }
}

describe('the transcript of an open question', () => {
  it('is read at growing intervals of up to half a minute, for at most a day', async () => {
    const { ask, clock, questions, world } = await makeQuestions()
    const startedAt = clock.now
    const { path } = makeTranscript(world, startedAt)
    // What earlier workers left is read at once.
    ask('q0', path)
    expect(await questions.look()).toHaveLength(1)
    expect(await questions.look()).toEqual([])
    ask('q1', path)
    expect(questions.nextLookInMs()).toBe(1000)
    clock.now += 999
    expect(await questions.look()).toEqual([])
    const intervals: (number | undefined)[] = []
    for (const seconds of [1, 100, 1000, 40_000]) {
      clock.now = startedAt + seconds * 1000
      const one = { client: 'claude', sessionId: 's1' }
      expect(await questions.look()).toMatchObject([one, one])
      intervals.push(questions.nextLookInMs())
    }
    expect(intervals).toEqual([1000, 10_000, 30_000, 30_000])
    // The clock was set back.
    clock.now -= 30_000_000
    expect(questions.nextLookInMs()).toBe(0)
    clock.now = startedAt + 24 * 3600_000
    expect(questions.nextLookInMs()).toBe(0)
    clock.now += 1
    expect(questions.nextLookInMs()).toBeUndefined()
    clock.now = startedAt - 24 * 3600_000 - 1
    expect(questions.nextLookInMs()).toBeUndefined()
  })

  it('keeps no worker if it is not known or cannot be read, and is read as soon as it can be', async () => {
    const { answered, ask, clock, questions, world } = await makeQuestions()
    const { path, goOn } = makeTranscript(world, clock.now)
    ask('q1', '')
    expect(questions.nextLookInMs()).toBeUndefined()
    rmSync(path)
    ask('q2', path)
    clock.now += 1000
    await questions.look()
    expect(questions.nextLookInMs()).toBeUndefined()
    goOn(clock.now)
    await expect
      .poll(async () => {
        clock.now += 1000
        await questions.look()
        return answered
      })
      .toEqual(['q2'])
  })

  it('shows when it was answered, which is recorded once', async () => {
    const { answered, ask, clock, journal, questions, world } = await makeQuestions()
    const { path, goOn } = makeTranscript(world, clock.now)
    ask('q1', path)
    const at = clock.now + 400
    goOn(at)
    clock.now += 20_000
    await expect
      .poll(async () => {
        clock.now += 1000
        await questions.look()
        return answered
      })
      .toEqual(['q1'])
    await questions.lookAt(['q1'])
    await questions.record()
    await journal.written()
    const of = { id: 'q1', client: 'claude', sessionId: 's1' }
    const answer = { ...of, type: 'answered', how: 'transcript', answeredAt: at }
    expect(await endsIn(world)).toMatchObject([answer])
    expect(questions.nextLookInMs()).toBeUndefined()
  })
})

describe('the answer to a question', () => {
  const session = { session_id: 's1', hook_event_name: 'PermissionRequest' }
  const ask = { ...session, tool_name: 'Bash', tool_input: { command: 'make' } }
  const asOpencode = { client: 'opencode' }
  const asked = {
    ...{ hook_event_name: 'permission.asked', sessionID: 's1', id: 'r1', permission: 'bash' },
    metadata: { command: 'make' },
  }
  const unreachable = { type: 'slack', url: 'http://127.0.0.1:9/x', allowPrivateNetwork: true }

  /** Stores an event as if it had come at that moment. */
  function acceptAt(world: World, at: number, event: object, more = {}) {
    const id = world.accept(event, more)
    utimesSync(join(world.spool.new, id), at / 1000, at / 1000)
    return id
  }

  describe.each<[string, object, string[]]>([
    ['shown nowhere', {}, []],
    ['kept by a channel that only records', {}, ['file']],
    ['sent to a channel that cannot withdraw', {}, ['hook']],
    ['undelivered', { dead: unreachable }, ['dead']],
  ])('that was %s', (_, more, to) => {
    async function makeTold() {
      const { url } = await startReceiver()
      const hook = { type: 'webhook', url, allowPrivateNetwork: true }
      const world = makeWorld({ channels: { hook, ...more } })
      const channels = { file: { type: 'file', path: world.outFile }, hook, ...more }
      const retry = { maxAttempts: 1 }
      const routes = to.length > 0 ? [{ on: ['permission'], to }] : []
      world.configure({ channels, routes, lingerSeconds: 0, retry })
      return world
    }

    it.each<[string, object, object]>([
      ['prompt', { hook_event_name: 'UserPromptSubmit', prompt: 'Go on' }, {}],
      ['interrupt', { hook_event_name: 'Interrupt' }, {}],
      ['went-on', { hook_event_name: 'Stop' }, {}],
    ])('is recorded once by %s', async (how, event, header) => {
      const world = await makeTold()
      const at = minuteAgo()
      const id = acceptAt(world, at, ask)
      await world.once()
      expect(await endsIn(world)).toEqual([])
      acceptAt(world, at + 30_000, { session_id: 's1', ...event }, header)
      await world.once()
      acceptAt(world, at + 40_000, { session_id: 's1', hook_event_name: 'Stop' })
      await world.once()
      expect(await endsIn(world)).toMatchObject([
        { id, type: 'answered', how, answeredAt: at + 30_000, client: 'claude', sessionId: 's1' },
      ])
      expect(await world.statusOf(id)).toMatchObject({ answer: { how, at: at + 30_000 } })
    })

    it("is recorded once by the client's own report", async () => {
      const world = await makeTold()
      const at = minuteAgo()
      const id = acceptAt(world, at, asked, asOpencode)
      const replied = { hook_event_name: 'permission.replied', sessionID: 's1', requestID: 'r1' }
      acceptAt(world, at + 30_000, replied, asOpencode)
      for (let count = 0; count < 2; count += 1) await world.once()
      expect(await endsIn(world)).toMatchObject([
        { id, type: 'answered', how: 'reply', answeredAt: at + 30_000 },
      ])
    })

    it('is recorded once, and as of that time, by the transcript at the end of the turn', async () => {
      const world = await makeTold()
      const at = minuteAgo()
      const { path, goOn } = makeTranscript(world, at)
      const id = acceptAt(world, at, { ...ask, transcript_path: path })
      await world.once()
      goOn(at + 20_000)
      // A turn of the same session that only ends.
      const stop = { session_id: 's1', hook_event_name: 'Stop', transcript_path: path }
      acceptAt(world, at + 50_000, stop)
      await world.once()
      expect(await endsIn(world)).toMatchObject([
        { id, type: 'answered', how: 'transcript', answeredAt: at + 20_000 },
      ])
    })

    it('is found in the transcript by a worker that stays for it', async () => {
      const world = await makeTold()
      const at = Date.now()
      const { path, goOn } = makeTranscript(world, at)
      const id = acceptAt(world, at, { ...ask, transcript_path: path })
      const env = { ...world.env, HOME: world.folder }
      const worker = startProgram(builtWorker, { ...world, env })
      await expect.poll(async () => (await world.statusOf(id))?.title).toBeTruthy()
      goOn(Date.now() + 1)
      expect(await exited(worker)).toBe(0)
      expect(await endsIn(world)).toMatchObject([{ id, type: 'answered', how: 'transcript' }])
    })

    it('is missing, as is recorded, if the session ended before', async () => {
      const world = await makeTold()
      const at = minuteAgo()
      const id = acceptAt(world, at, ask)
      acceptAt(world, at + 9000, {
        session_id: 's1',
        hook_event_name: 'SessionEnd',
        reason: 'exit',
      })
      for (let count = 0; count < 2; count += 1) await world.once()
      expect(await endsIn(world)).toMatchObject([{ id, type: 'unanswered' }])
      expect(await world.statusOf(id)).toMatchObject({ answer: { how: 'none' } })
    })
  })

  it('is looked for at the end of the turn, not only when the transcript is due', async () => {
    const world = makeWorld({ lingerSeconds: 60 })
    const at = minuteAgo()
    const { path, goOn } = makeTranscript(world, at)
    const id = acceptAt(world, at, { ...ask, transcript_path: path })
    const env = { ...world.env, HOME: world.folder }
    startProgram(builtWorker, { ...world, env })
    // The transcript was read at the start, and is due again only after six seconds.
    await expect.poll(() => world.lines()).toHaveLength(1)
    goOn(at + 20_000)
    const stop = { session_id: 's1', hook_event_name: 'Stop', transcript_path: path }
    acceptAt(world, at + 50_000, stop)
    await expect
      .poll(() => endsIn(world))
      .toMatchObject([{ id, how: 'transcript', answeredAt: at + 20_000 }])
  })

  it('is recorded by the next worker if the one that knew it was killed', async () => {
    const world = makeWorld()
    const at = minuteAgo()
    const id = acceptAt(world, at, ask)
    acceptAt(world, at + 9000, { session_id: 's1', hook_event_name: 'UserPromptSubmit' })
    await world.once()
    // As after a crash: neither the line nor what the worker remembered has reached the disk.
    const left = (await journalOf(world)).filter(({ type }) => type !== 'answered')
    const text = left.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    writeFileSync(join(world.stateDir, 'journal.jsonl'), text)
    rmSync(join(world.stateDir, 'checkpoint.json'))
    world.accept({ session_id: 's2', hook_event_name: 'Stop' })
    for (let count = 0; count < 2; count += 1) await world.once()
    expect(await endsIn(world)).toMatchObject([{ id, how: 'prompt', answeredAt: at + 9000 }])
  })

  it('is recorded once for a question that two events report', async () => {
    const world = makeWorld()
    const at = minuteAgo()
    const id = acceptAt(world, at, ask)
    const again = { hook_event_name: 'Notification', notification_type: 'permission_prompt' }
    acceptAt(world, at + 6000, { session_id: 's1', ...again, message: 'Claude needs permission' })
    acceptAt(world, at + 9000, { session_id: 's1', hook_event_name: 'UserPromptSubmit' })
    await world.once()
    expect(await endsIn(world)).toMatchObject([{ id, how: 'prompt' }])
  })

  it('to a sub-agent is recorded once that ends, not at the end of the turn', async () => {
    const world = makeWorld()
    const at = minuteAgo()
    const id = acceptAt(world, at, { ...ask, agent_id: 'a1' })
    const tasks = [{ id: 'a1', type: 'subagent', status: 'running' }]
    const stop = { session_id: 's1', hook_event_name: 'Stop', background_tasks: tasks }
    acceptAt(world, at + 5000, stop)
    await world.once()
    expect(await endsIn(world)).toEqual([])
    const end = { session_id: 's1', hook_event_name: 'SubagentStop', agent_id: 'a1' }
    acceptAt(world, at + 9000, { ...end, agent_type: 'Explore' })
    await world.once()
    expect(await endsIn(world)).toMatchObject([{ id, how: 'went-on', answeredAt: at + 9000 }])
  })
})
