import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { builtInConfig, parseConfig } from '../../../src/config/load/load.ts'
import { findDestination, send } from '../../../src/deliver/attempt.ts'
import { summarize } from '../../../src/deliver/summary.ts'
import type { Delivery } from '../../../src/delivery.ts'
import { Journal } from '../../../src/journal/journal.ts'
import { readJournalOf } from '../../../src/journal/read.ts'
import { ntfy } from '../../../src/notifiers/ntfy.ts'
import { Store } from '../../../src/spool/store.ts'
import { WorkerMemory } from '../../../src/worker/memory.ts'
import { OpenQuestions } from '../../../src/worker/watch/open-questions.ts'
import { OpenMessages } from '../../../src/worker/watch/shown-messages.ts'
import { makeDelivery } from '../../support/delivery.ts'
import { missingDesktopPrograms, startDesktop } from '../../support/desktop.ts'
import { listShown } from '../../support/parked.ts'
import { builtWorker } from '../../support/program.ts'
import { type Received, type Step, startReceiver } from '../../support/receiver.ts'
import { runs } from '../../support/runs.ts'
import { exited, makeDue, makeWorld, startProgram, type World } from '../_world.ts'

const missing = missingDesktopPrograms()
const reason = missing.length > 0 ? ` (skipped: ${missing.join(', ')} not installed)` : ''

const ask = (command: string, more: object = {}) => ({
  hook_event_name: 'PermissionRequest',
  session_id: 's1',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: command,
  ...more,
})
const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'Go on' }

/** One line of a transcript of Claude Code. */
function transcriptLine(type: string, content: object, at = Date.now()): string {
  const message = { role: type, content: [content] }
  return `${JSON.stringify({ type, timestamp: new Date(at).toISOString(), message })}\n`
}

/** A transcript of Claude Code, and how its session goes on after a call of a tool. */
function makeTranscript({ folder }: World, at?: number) {
  const path = join(folder, '.claude/projects/-srv-app/s1.jsonl')
  mkdirSync(join(path, '..'), { recursive: true })
  vi.stubEnv('HOME', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  writeFileSync(path, '')
  const goOn = (call: string) =>
    appendFileSync(path, transcriptLine('user', { type: 'tool_result', tool_use_id: call }, at))
  return { path, goOn }
}

async function entriesOf(world: World, id: string, type: string) {
  const found: object[] = []
  for await (const entry of readJournalOf(world.stateDir, new Set([id]))) {
    if (entry.type === type) found.push(entry)
  }
  return found
}

function openStore({ stateDir }: Pick<World, 'stateDir'>): Store {
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  return store
}

/** Open messages of the ntfy channel `phone`, with a clock. */
async function makeOpen(script: Step[] = [{}]) {
  const phone = await startReceiver({ script })
  const world = makeWorld()
  const { stateDir } = world
  const secrets = { file: new Map(), env: {} }
  const channel = { type: 'ntfy', server: phone.url, topic: 'shop', replace: true }
  const text = JSON.stringify({ channels: { phone: channel, other: { ...channel, topic: 'x' } } })
  const loaded = parseConfig(text, { path: 'config.json', secrets })
  const memory = new WorkerMemory(stateDir)
  const known = await memory.get()
  const clock = { now: Date.now() }
  const journal = new Journal({ stateDir, secrets: () => [] })
  const now = () => clock.now
  const questions = new OpenQuestions({ journal, memory, now })
  const store = openStore(world)
  const deps = { store, journal, memory, questions, config: () => loaded, now }
  const open = new OpenMessages(deps)
  const question = (event: string, more: Partial<Delivery> = {}) => {
    const [kind, urgency] = ['permission', 'critical'] as const
    const asked = { id: event, at: clock.now, title: 'Bash', text: `make ${event}` }
    const made = makeDelivery(event, { channel: 'phone', session: 's', kind, urgency, ...more })
    return {
      ...made,
      message: { ...made.message, sessionId: 's1' },
      questions: [asked],
      ...{ acceptedAt: clock.now, ...more },
    }
  }
  const begin = (delivery: Delivery, options: object = {}) => {
    const all = ntfy.options.parse({ topic: 'shop', replace: true, ...options })
    return open.begin(delivery, { key: 'phone', notifier: ntfy, options: all })
  }
  const tell = async (handle: string | undefined, ...message: Parameters<typeof begin>) => {
    const begun = await begin(...message)
    await begun.delivered(handle)
  }
  /** Something that has happened in the session. */
  const happen = (
    id: string,
    means: string,
    facts: object = {},
    {
      client = 'claude',
      sessionId = 's1',
      to,
    }: { client?: string; sessionId?: string; to?: string[] } = {},
  ) => {
    const kind = means === 'PermissionRequest' ? 'permission' : 'other'
    const about = { client, sessionId, project: '', title: '', event: means, kind }
    const at = clock.now
    known.fold({
      ...{ at, id, type: 'accepted', acceptedAt: at },
      ...about,
      ...(to && { to }),
      facts: { means, ...facts },
    })
  }
  const shown = () => listShown(world.spool)
  const handles = () => shown().map(({ handle }) => handle)
  const look = async () => {
    const looks: Promise<void>[] = []
    await open.look((work) => looks.push(work))
    await Promise.all(looks)
    return looks.length
  }
  const ref = { client: 'claude', sessionId: 's1' }
  const parts = { begin, clock, deps, handles, happen, look, open, question, ref }
  return { ...parts, loaded, received: phone.received, shown, tell, world }
}

describe('a message that may be withdrawn', () => {
  it('is replaced by the next one of its session, with the questions that are still open', async () => {
    const { begin, happen, question, shown, tell } = await makeOpen()
    for (const id of ['e1', 'e2']) happen(id, 'PermissionRequest', { toolUseId: id })
    await tell('one', question('e1'))
    // A repeated message does not list its own question a second time.
    const again = await begin(question('e1'))
    expect([again.replaces, again.delivery.message.title]).toEqual(['one', 'title of e1'])
    await again.delivered('one')
    const next = await begin(question('e2'))
    expect([next.replaces, next.delivery.message.title]).toEqual(['one', 'title of e2 and 1 more'])
    await next.delivered('one')
    const ids = shown().map(({ questions }) => questions.map(({ id }) => id))
    expect(ids).toEqual([['e2', 'e1']])
    happen('reply', 'PermissionReplied', { toolUseId: 'e2' })
    const last = await begin(question('e3'))
    expect(last.delivery.message.title).toBe('title of e3 and 1 more')
    expect(last.delivery.message.body).toContain('make e1')
    expect(last.delivery.message.body).not.toContain('make e2')
  })

  it('is replaced by a reminder of its question, which lists that once', async () => {
    const { begin, happen, question, shown, tell } = await makeOpen()
    const asked = (id: string, toolUseId: string, text: string) => {
      happen(id, 'PermissionRequest', { toolUseId })
      const delivery = question(id)
      return { ...delivery, questions: delivery.questions.map((one) => ({ ...one, text })) }
    }
    await tell('one', asked('e1', 't1', 'Bash: make'))
    const reminder = await begin(asked('e2', 't1', 'your permission for Bash: make'))
    expect(reminder.delivery.message.title).toBe('title of e2')
    await reminder.delivered('one')
    // Without the call, its words show that it is the same; another call may have the same words.
    const again = await begin(asked('e3', '', 'your permission for Bash: make'))
    expect(again.delivery.message.title).toBe('title of e3')
    await again.delivered('one')
    await tell('one', asked('e4', 't4', 'Bash: make'))
    const next = await begin(asked('e5', 't5', 'Bash: make'))
    expect(next.delivery.message.title).toBe('title of e5 and 2 more')
    await next.delivered('one')
    expect(shown()[0]?.questions.map(({ id }) => id)).toEqual(['e5', 'e4', 'e3'])
  })

  it('may have arrived although its attempt failed', async () => {
    const { begin, handles, happen, open, question, received, ref, tell } = await makeOpen()
    happen('e1', 'PermissionRequest', { toolUseId: 'e1' })
    const failing = await begin(question('e1'), { replace: false })
    await failing.failed('one')
    expect(handles()).toEqual(['one'])
    await tell('one', question('e1'), { replace: false })
    expect(handles()).toEqual(['one'])
    happen('reply', 'PermissionReplied', { toolUseId: 'e1' })
    await open.review(ref)
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /shop/one'])
    expect(handles()).toEqual([])
  })

  it('is repeated by a summary that begins with another kind of message', async () => {
    const { begin, question, shown, tell } = await makeOpen()
    await tell('one', question('e1'))
    const failure = { ...question('e2', { kind: 'failed' }), questions: undefined }
    const begun = await begin(summarize([failure as Delivery, question('e3')]))
    expect(begun.replaces).toBe('one')
    expect(begun.delivery.message.body.split('\n')).toEqual([
      ...['title of e2 · body of e2', 'make e3', 'make e1'],
    ])
    await begun.delivered('one')
    expect(shown()[0]?.questions.map(({ id }) => id)).toEqual(['e3', 'e1'])
  })

  it('stays in the list if the next one fails, is not replaced by it, or cannot replace it', async () => {
    const { begin, handles, question, shown, tell } = await makeOpen()
    await tell('one', question('e1'))
    const failing = await begin(question('e2'))
    await failing.failed()
    expect(handles()).toEqual(['one'])
    await tell('three', question('e3'))
    expect(handles()).toEqual(['one', 'three'])
    // The new message repeats e1, although the first message may still show it.
    expect(shown()[1]?.questions.map(({ id }) => id)).toEqual(['e3', 'e1'])
    await tell(undefined, question('e4'))
    expect(handles()).toEqual(['one', 'three'])
    expect((await begin(question('e5'), { replace: false })).replaces).toBeUndefined()
    expect(handles()).toEqual(['one', 'three'])
    // The latest one is replaced.
    expect((await begin(question('e6'))).replaces).toBe('three')
  })

  it('is repeated by a question that comes while it is being sent', async () => {
    const { begin, question } = await makeOpen()
    const first = await begin(question('e1'))
    const both = [begin(question('e2')), begin(question('e3'))]
    await first.delivered('one')
    const [second, third] = await Promise.all(
      both.map(async (one) => {
        const begun = await one
        await begun.delivered('one')
        return begun
      }),
    )
    expect([second?.replaces, third?.replaces]).toEqual(['one', 'one'])
    const lines = third?.delivery.message.body.split('\n')
    expect(lines).toEqual(['body of e3', 'make e2', 'make e1'])
  })

  it('may be withdrawn by another worker if the one that was to replace it was killed', async () => {
    const { begin, clock, deps, happen, handles, question, received, ref, tell, world } =
      await makeOpen()
    await tell('one', question('e1'))
    await begin(question('e2'))
    const store = openStore(world)
    const other = new OpenMessages({ ...deps, store })
    clock.now += 1
    happen('prompt', 'UserPromptSubmit')
    await other.review(ref)
    expect([received, handles()]).toEqual([[], ['one']])
    // As the next worker does.
    const { cards, cur } = world.spool
    const [owner = ''] = readdirSync(cur)
    renameSync(join(cur, owner, 'e1.json'), join(cards, 'e1~1.json'))
    store.reclaimAbandoned()
    await other.review(ref)
    expect([received.length, handles()]).toEqual([1, []])
  })

  it('is replaced by one that is not urgent only once it is answered', async () => {
    const { begin, clock, handles, happen, question, tell } = await makeOpen()
    happen('e1', 'PermissionRequest', { toolUseId: 'e1' })
    const done = question('e2', { kind: 'done', urgency: 'normal', questions: [] })
    await tell('one', question('e1'))
    const early = await begin(done)
    expect(early.replaces).toBeUndefined()
    await early.delivered(undefined)
    clock.now += 1
    happen('prompt', 'UserPromptSubmit')
    const begun = await begin(done)
    expect(begun.replaces).toBe('one')
    // The new message disappears by itself, so it is not in the list.
    await begun.delivered('one')
    expect(handles()).toEqual([])
  })

  it('is taken by one worker only', async () => {
    const { begin, deps, question, tell, world } = await makeOpen()
    await tell('one', question('e1'))
    const other = new OpenMessages({ ...deps, store: openStore(world) })
    const options = ntfy.options.parse({ topic: 'shop', replace: true })
    const destination = { key: 'phone', notifier: ntfy, options }
    expect((await other.begin(question('e2'), destination)).replaces).toBe('one')
    expect((await begin(question('e3'))).replaces).toBeUndefined()
  })

  it('is withdrawn when all its questions are answered, in its own session only', async () => {
    const { clock, handles, happen, open, question, received, ref, tell } = await makeOpen()
    for (const id of ['e1', 'e2']) happen(id, 'PermissionRequest', { toolUseId: id })
    await tell('one', question('e1'))
    await tell('one', question('e2'))
    await tell('two', question('e1', { session: 'other', channel: 'other' }))
    happen('r1', 'PermissionReplied', { toolUseId: 'e1' })
    clock.now += 1
    // Another client may use the same id.
    happen('p1', 'UserPromptSubmit', {}, { client: 'codex' })
    await open.review({ ...ref, client: 'codex' })
    await open.review({ ...ref, sessionId: '' })
    expect(handles()).toEqual(['one', 'two'])
    await open.review(ref)
    expect(handles()).toEqual(['one'])
    happen('r2', 'PermissionReplied', { toolUseId: 'e2' })
    await Promise.all([open.review(ref), open.review(ref)])
    expect(handles()).toEqual([])
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /x/two',
      'DELETE /shop/one',
    ])
  })

  it.each([
    ['and that is not sent to its channel, it stays', true, [], 'Stop', false, true],
    ['and that asks nothing, it stays if it asks', true, ['phone'], 'Stop', false, true],
    ['and that asks something, it goes', true, ['phone'], 'Stop', true, false],
    [
      'after which the agent goes on, it stays if it asks',
      true,
      ['phone'],
      'StopQueued',
      true,
      true,
    ],
    ['and that asks nothing, it goes if it asks nothing', false, ['phone'], 'Stop', false, false],
  ])(
    'and tells of a turn: after a turn that the client began by itself %s',
    async (_, asks, to, means, asksToo, stays) => {
      const { clock, handles, happen, open, question, ref, tell } = await makeOpen()
      happen('p1', 'UserPromptSubmit')
      happen('e1', 'Stop', { asks })
      const about: Partial<Delivery> = { kind: 'done', urgency: asks ? 'normal' : 'critical' }
      const turn = question('e1', { ...about, questions: [] })
      await tell('one', { ...turn, message: { ...turn.message, ...about, asks } })
      for (const time of [1, 2]) {
        clock.now += 60_000
        happen(`own ${time}`, 'TurnStart')
        clock.now += 60_000
        happen(`end ${time}`, means, { asks: asksToo }, { to })
        await open.review(ref)
        expect(handles()).toEqual(stays ? ['one'] : [])
      }
      clock.now += 60_000
      happen('e2', 'SessionEnd')
      await open.review(ref)
      expect(handles()).toEqual([])
    },
  )

  it.each([
    ['stays in the list if the withdrawal failed for now', 503, ['one']],
    ['is forgotten if the withdrawal is rejected', 403, []],
  ])('and whose questions are answered %s', async (_, status, left) => {
    const { clock, handles, happen, open, question, ref, tell } = await makeOpen([{ status }])
    await tell('one', question('e1'))
    clock.now += 1
    happen('prompt', 'UserPromptSubmit')
    await open.review(ref)
    expect(handles()).toEqual(left)
  })

  it('is withdrawn later if that failed for now, at growing intervals for an hour', async () => {
    const { clock, handles, happen, look, open, question, received, ref, tell } = await makeOpen([
      { status: 503 },
      { status: 503 },
      {},
    ])
    await tell('one', question('e1'))
    clock.now += 1
    happen('prompt', 'UserPromptSubmit')
    await open.review(ref)
    expect([open.nextLookInMs(), await look(), received.length]).toEqual([1000, 0, 1])
    clock.now += 1000
    expect([await look(), handles()]).toEqual([1, ['one']])
    clock.now += 1000
    expect([await look(), handles(), open.nextLookInMs()]).toEqual([1, [], undefined])
    expect(received).toHaveLength(3)
  })

  it('is left to the next event if it could not be withdrawn for an hour, or if it is gone', async () => {
    const { clock, deps, handles, happen, look, open, question, ref, tell, world } = await makeOpen(
      [{ status: 503 }],
    )
    await tell('one', question('e1'))
    clock.now += 1
    happen('prompt', 'UserPromptSubmit')
    await open.review(ref)
    clock.now += 3600_001
    expect([await look(), handles(), open.nextLookInMs()]).toEqual([0, ['one'], undefined])
    await open.review(ref)
    rmSync(join(world.spool.cards, 'e1.json'))
    deps.store.reclaimAbandoned()
    clock.now += 1000
    expect([await look(), open.nextLookInMs()]).toEqual([0, undefined])
  })

  it('stays if nothing is known of its session', async () => {
    const { handles, open, question, ref, tell } = await makeOpen()
    await tell('one', question('e1'))
    await open.review(ref)
    expect(handles()).toEqual(['one'])
    expect(await open.whyOver(question('e1', { acceptedAt: 1 }))).toBeUndefined()
  })

  it('is forgotten after a day', async () => {
    const { clock, handles, look, question, tell } = await makeOpen()
    await tell('one', question('e1'))
    clock.now += 24 * 3600_000
    await look()
    expect(handles()).toEqual(['one'])
    clock.now += 1
    await look()
    expect(handles()).toEqual([])
  })
})

describe('what a phone shows of three sessions, in whatever order things happen,', () => {
  /** A phone, and what may happen in a session. Each message has its own text. */
  async function makePhone() {
    const screen = new Map<string, string>()
    const { happen, loaded, open, question, clock } = await makeOpen([
      ({ method, path, body }) => {
        if (method === 'DELETE') {
          screen.delete(path.split('/').at(-1) ?? '')
          return {}
        }
        const { sequence_id, message } = JSON.parse(body)
        screen.set(sequence_id, message)
        return { body: JSON.stringify({ id: 'x', event: 'message', sequence_id }) }
      },
    ])
    const destination = findDestination('phone', loaded)
    if ('error' in destination) throw destination.error
    const note = async (sessionId: string, id: string, means: string, facts: object = {}) => {
      clock.now += 1
      happen(id, means, facts, { sessionId })
      await open.review({ client: 'claude', sessionId })
    }
    const tell = async (session: string, id: string, more: Partial<Delivery>) => {
      const made = question(id, { session, ...more })
      const message = { ...made.message, sessionId: session, body: `make ${id}` }
      const begun = await open.begin({ ...made, message }, destination)
      const sent = await send(destination, begun.delivery, loaded, { now: Date.now }, begun)
      await begun.delivered(typeof sent === 'string' ? undefined : sent.handle)
    }
    return { note, tell, shows: () => [...screen.values()] }
  }

  const brief: Partial<Delivery> = { kind: 'subagent-done', urgency: 'low', questions: [] }
  const failed: Partial<Delivery> = { kind: 'failed', questions: [] }

  /** A session on the phone, and what a person should see of it: its open questions, a failure, the last brief message. */
  function makeSession(session: string, { note, tell }: Awaited<ReturnType<typeof makePhone>>) {
    const open = new Set<string>()
    const other = new Map<'failed' | 'brief', string>()
    const happen = {
      ask: async (id: string) => {
        await note(session, id, 'PermissionRequest', { toolUseId: id })
        await tell(session, id, {})
        other.delete('failed')
        // With the option `replace`, the question replaces the brief message, unless another question is open.
        if (open.size === 0) other.delete('brief')
        open.add(id)
      },
      answer: async (id: string) => {
        const [toolUseId = ''] = open
        await note(session, id, 'PermissionReplied', { toolUseId })
        open.delete(toolUseId)
      },
      prompt: async (id: string) => {
        await note(session, id, 'UserPromptSubmit')
        open.clear()
        other.delete('failed')
      },
      fail: async (id: string) => {
        await note(session, id, 'StopFailure')
        await tell(session, `F${id}`, failed)
        open.clear()
        other.delete('brief')
        other.set('failed', `F${id}`)
      },
      brief: async (id: string) => {
        await note(session, id, 'SubagentStop')
        await tell(session, `B${id}`, brief)
        other.set('brief', `B${id}`)
      },
    }
    return { happen, seen: () => [...open, ...other.values()] }
  }

  it('is each open question, each failure until the next prompt, and no question that is answered', async () => {
    const step = fc.record({
      in: fc.nat(2),
      what: fc.constantFrom('ask', 'ask', 'answer', 'prompt', 'fail', 'brief'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const phone = await makePhone()
        const sessions = ['s1', 's2', 's3'].map((name) => makeSession(name, phone))
        for (const [index, { what, in: number }] of steps.entries()) {
          await sessions[number]?.happen[what](`${index}.`)
          const seen = sessions.flatMap((one) => one.seen())
          const shown = phone.shows()
          for (const id of seen) expect(shown.join('\n')).toContain(`make ${id}`)
          // Messages on a phone are not updated, so one may also list questions that are answered.
          const isWorthIt = (text: string) =>
            text.includes('make B') || seen.some((id) => text.includes(`make ${id}`))
          expect(shown.filter((text) => !isWorthIt(text))).toEqual([])
        }
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('a question that is due', () => {
  it('is not sent if its answer is known', async () => {
    const { clock, happen, open, question } = await makeOpen()
    const asks = question('e1')
    expect(await open.whyOver(asks)).toBeUndefined()
    happen('e1', 'PermissionRequest', { toolUseId: 'e1' })
    expect(await open.whyOver(asks)).toBeUndefined()
    clock.now += 1
    happen('prompt', 'UserPromptSubmit')
    expect(await open.whyOver(asks)).toBe('answered before it was told')
  })

  it('is not sent if its session has ended, which is the recorded reason', async () => {
    const { clock, happen, open, question } = await makeOpen()
    happen('e1', 'PermissionRequest', { toolUseId: 'e1' })
    clock.now += 1
    happen('end', 'SessionEnd')
    const asks = question('e1')
    expect(await open.whyOver(asks)).toBe('the session ended before it was told')
    // Of several questions, one was answered.
    happen('e2', 'PermissionRequest', { toolUseId: 'e2' })
    happen('reply', 'PermissionReplied', { toolUseId: 'e2' })
    const both = { ...asks, questions: [...asks.questions, ...question('e2').questions] }
    expect(await open.whyOver(both)).toBe('answered before it was told')
  })

  it('is not sent if its transcript shows an answer, which is not looked for in the first second', async () => {
    const { clock, happen, open, question, ref, world } = await makeOpen()
    const { path, goOn } = makeTranscript(world, clock.now + 1)
    happen('e1', 'PermissionRequest', { toolUseId: 'e1', transcriptPath: path })
    const asks = question('e1')
    const ofSeveral = { ...asks, message: { ...asks.message, sessionId: '' } }
    goOn('e1')
    clock.now += 1
    expect(await open.whyOver(asks)).toBeUndefined()
    clock.now += 1000
    // A busy disk may take longer than the limit for a transcript, which is then read at a later look.
    await expect.poll(() => open.whyOver(asks)).toBe('answered before it was told')
    rmSync(path)
    expect(await open.whyOver(asks)).toBe('answered before it was told')
    // So is its message together with those of other sessions.
    expect(await open.whyOver(ofSeveral)).toBe('answered before it was told')
    // A summary that begins with another kind of message is still worth sending for that message.
    expect(await open.whyOver({ ...asks, kind: 'done' })).toBeUndefined()
    expect(ref.sessionId).toBe('s1')
  })
})

describe('a shown question', () => {
  it('is replaced only on its own channel and by its own session', async () => {
    const { stateDir } = makeWorld()
    const store = openStore({ stateDir })
    const journal = new Journal({ stateDir, secrets: () => [] })
    const parts = { journal, memory: new WorkerMemory(stateDir), now: Date.now }
    const questions = new OpenQuestions(parts)
    const open = new OpenMessages({ ...parts, store, questions, config: builtInConfig })
    const begin = (channel: string, session: string) => {
      const options = ntfy.options.parse({ topic: 'a-topic', replace: true })
      const more = { channel, session, urgency: 'critical', kind: 'permission' } as const
      return open.begin(makeDelivery('e1', more), { key: channel, notifier: ntfy, options })
    }
    const begun = await begin('desk', 's1')
    await begun.delivered('shown')
    expect((await begin('phone', 's1')).replaces).toBeUndefined()
    expect((await begin('desk', 's2')).replaces).toBeUndefined()
    expect((await begin('desk', 's1')).replaces).toBe('shown')
  })
})

describe.skipIf(reason)(`a question on the desktop${reason}`, () => {
  let screen: Awaited<ReturnType<typeof startDesktop>>

  beforeAll(async () => {
    screen = await startDesktop()
  })
  afterAll(async () => {
    await screen.close()
  })

  /** A world whose only channel is this desktop. Shown and closed messages are counted from this call on. */
  async function makeDesk(config: object = {}) {
    await screen.caughtUp()
    const [shownBefore, closedBefore] = [screen.notices.length, screen.closed.length]
    const world = makeWorld()
    world.configure({
      channels: { desk: { type: 'desktop', timeoutSeconds: 3600 } },
      routes: [{ on: ['permission', 'done', 'failed', 'waiting'], to: ['desk'] }],
      lingerSeconds: 0,
      ...config,
    })
    const accept = (event: object, client = 'claude') =>
      world.accept(event, { client, env: screen.env })
    const shown = async () => {
      await screen.caughtUp()
      return screen.notices.slice(shownBefore)
    }
    /** Messages closed by a call, which is reason 3 in the specification. */
    const withdrawn = async () => {
      await screen.caughtUp()
      return screen.closed.slice(closedBefore).filter(([, why]) => why === 3).length
    }
    return { world, accept, shown, withdrawn }
  }

  it('stays when one session of a summary goes on', async () => {
    const quietHours = [{ from: '00:00', to: '24:00', timeZone: 'UTC' }]
    const { world, accept, shown, withdrawn } = await makeDesk({ noise: { quietHours } })
    const failed = { hook_event_name: 'StopFailure', error: 'rate_limit' }
    for (const session_id of ['s1', 's2']) accept({ ...failed, session_id })
    await world.once()
    world.configure({
      channels: { desk: { type: 'desktop', timeoutSeconds: 3600 } },
      routes: [{ on: ['failed'], to: ['desk'] }],
      lingerSeconds: 0,
    })
    for (const name of world.parked()) makeDue(world, name)
    await world.once()
    const [summary, ...others] = await shown()
    expect(others).toEqual([])
    expect(summary?.title).toContain('and 1 more')
    accept(prompt)
    await world.once()
    expect(await withdrawn()).toBe(0)
    accept({ ...failed, session_id: 's1' })
    await world.once()
    const [, next] = await shown()
    expect(next?.replacesId).toBe(0)
  })

  /** A world with quiet hours. `endQuiet` ends them, so that everything held is sent. */
  async function makeQuietDesk() {
    const channels = { desk: { type: 'desktop', timeoutSeconds: 3600 } }
    const on = ['permission', 'done', 'failed', 'abnormal-end']
    const routes = [{ on, to: ['desk'] }]
    const quietHours = [{ from: '00:00', to: '24:00', timeZone: 'UTC' }]
    const desk = await makeDesk({ channels, routes, noise: { quietHours } })
    const { world } = desk
    const endQuiet = async () => {
      await world.once()
      world.configure({ channels, routes, lingerSeconds: 0 })
      for (const name of world.parked()) makeDue(world, name)
      await world.untilIdle()
    }
    return { ...desk, endQuiet }
  }

  it.each([
    ['failed again', { hook_event_name: 'StopFailure', error: 'overloaded' }, / and 1 more$/],
    ['ended', { hook_event_name: 'SessionEnd', reason: 'error' }, /limit reached$/],
  ])('stays when it is sent only after its session %s', async (_, next, title) => {
    const { world, accept, shown, withdrawn, endQuiet } = await makeQuietDesk()
    const id = accept({ hook_event_name: 'StopFailure', session_id: 's1', error: 'rate_limit' })
    const [file = ''] = world.list('new').filter((name) => name.includes(id))
    const minuteAgo = Date.now() / 1000 - 60
    utimesSync(join(world.spool.new, file), minuteAgo, minuteAgo)
    await world.once()
    accept({ ...next, session_id: 's1' })
    await endQuiet()
    expect(await shown()).toMatchObject([{ title: expect.stringMatching(title), expireMs: 0 }])
    expect(await withdrawn()).toBe(0)
    accept(prompt)
    await world.untilIdle()
    expect(await withdrawn()).toBe(1)
  })

  it('of a sub-agent is repeated by the message that replaces it, until it is answered', async () => {
    const on = ['permission', 'done']
    const routes = [{ on, to: ['desk'], urgency: 'critical' }]
    const { world, accept, shown, withdrawn } = await makeDesk({ routes })
    const background_tasks = [{ id: 'a1', type: 'subagent', status: 'running' }]
    const last_assistant_message = 'Shall I publish the package?'
    const stop = { hook_event_name: 'Stop', session_id: 's1', last_assistant_message }
    accept(ask('make', { agent_id: 'a1' }))
    await world.untilIdle()
    accept({ ...stop, background_tasks })
    await world.untilIdle()
    const [first, both] = await shown()
    expect(both?.replacesId).toBeGreaterThan(0)
    expect(both?.title).toMatch(/and 1 more$/)
    expect(both?.body).toMatch(/^Shall I .*\n.*task\nSub-agent · Bash: make\n—/)
    accept({ hook_event_name: 'SubagentStop', session_id: 's1', agent_id: 'a1' })
    await world.untilIdle()
    const [, , own, ...others] = await shown()
    expect(own).toMatchObject({ title: expect.not.stringContaining('more'), expireMs: 0 })
    expect(own?.body).toMatch(/^Shall I .*\n.*task\n—/)
    expect([first?.replacesId, others, await withdrawn()]).toEqual([0, [], 0])
    accept(prompt)
    await world.untilIdle()
    expect(await withdrawn()).toBe(1)
  })

  it.each([
    ['a prompt', prompt],
    ['the end of the turn', { hook_event_name: 'Stop', session_id: 's1' }],
    ['the end of the session', { hook_event_name: 'SessionEnd', session_id: 's1', reason: 'exit' }],
  ])('stays on the screen until %s answers it', async (_, answer) => {
    const { world, accept, shown, withdrawn } = await makeDesk({
      routes: [{ on: ['permission'], to: ['desk'] }],
    })
    const id = accept(ask('make'))
    await world.untilIdle()
    expect(await shown()).toMatchObject([{ expireMs: 0 }])
    // An event of another session does not answer this question.
    accept({ ...answer, session_id: 's2' })
    await world.untilIdle()
    expect(await withdrawn()).toBe(0)
    accept(answer)
    await world.untilIdle()
    expect(await withdrawn()).toBe(1)
    expect(await entriesOf(world, id, 'withdrawn')).toMatchObject([
      { channel: 'desk', reason: 'taken off the screen' },
    ])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })

  it('is replaced by the next message of its session', async () => {
    const { world, accept, shown, withdrawn } = await makeDesk()
    accept(ask('make'))
    await world.untilIdle()
    accept({ hook_event_name: 'StopFailure', session_id: 's1', error: 'overloaded' })
    await world.untilIdle()
    const [first, next] = await shown()
    expect(first?.replacesId).toBe(0)
    expect(next?.replacesId).toBeGreaterThan(0)
    expect(next).toMatchObject({ expireMs: 0, hints: { urgency: 2 } })
    accept(prompt)
    await world.untilIdle()
    expect(await withdrawn()).toBe(1)
  })

  it('is not replaced by a message that disappears by itself', async () => {
    const { world, accept, shown } = await makeDesk({ noise: { off: ['idle', 'repeats'] } })
    accept(ask('make'))
    const idle = {
      hook_event_name: 'Notification',
      session_id: 's1',
      notification_type: 'idle_prompt',
    }
    accept({ ...idle, message: 'Claude is waiting for your input' })
    await world.untilIdle()
    expect((await shown()).map(({ replacesId }) => replacesId)).toEqual([0, 0])
  })

  it('is replaced by one message about the whole burst when more questions follow', async () => {
    const { world, accept, shown } = await makeDesk()
    for (const command of ['one', 'two', 'three']) accept(ask(command))
    await world.untilIdle()
    const [first, all, ...rest] = await shown()
    expect(rest).toEqual([])
    expect(first?.title).not.toContain('more')
    expect(all?.title).toMatch(/ and 2 more$/)
    expect(all?.replacesId).toBeGreaterThan(0)
    // The summary replaces the first message, so it repeats its question.
    for (const command of ['one', 'two', 'three']) expect(all?.body).toContain(command)
  })

  it('shows only the questions that are still open, once another one is answered', async () => {
    const { world, accept, shown, withdrawn } = await makeDesk({ noise: { off: ['short-turns'] } })
    const replied = (requestID: string) => ({
      ...{ hook_event_name: 'permission.replied', sessionID: 's1', requestID },
    })
    const asks = (command: string) => ({
      ...{ hook_event_name: 'permission.asked', sessionID: 's1', id: command, permission: 'bash' },
      metadata: { command },
    })
    for (const command of ['one', 'two', 'three']) accept(asks(command), 'opencode')
    await world.untilIdle()
    accept(replied('three'), 'opencode')
    await world.untilIdle()
    const before = await shown()
    expect(before.at(-1)).toMatchObject({
      title: expect.stringMatching(/ and 1 more$/),
      expireMs: 0,
    })
    expect(before.at(-1)?.replacesId).toBeGreaterThan(0)
    expect(before.at(-1)?.body).toMatch(/bash: (one|two)\nbash: (one|two)/)
    // An event that answers nothing changes nothing.
    accept({ hook_event_name: 'session.created', sessionID: 's1' }, 'opencode')
    accept(replied('one'), 'opencode')
    await world.untilIdle()
    const [last, ...rest] = (await shown()).slice(before.length)
    expect([last?.title, rest]).toEqual([expect.not.stringContaining('more'), []])
    expect(last?.body).toMatch(/^bash: two\n/)
    expect(await withdrawn()).toBe(0)
    accept(replied('two'), 'opencode')
    await world.untilIdle()
    expect(await withdrawn()).toBe(1)
  })

  it('of droid is answered once droid asks the next one', async () => {
    const { world, accept, shown, withdrawn } = await makeDesk({ noise: { off: ['burst'] } })
    const asks = (count: number, session_id = 's1') => ({
      ...{ hook_event_name: 'Notification', notification_type: 'permission_prompt', session_id },
      message: `Factory CLI needs permission to execute ${count} tool(s)`,
    })
    accept(asks(2), 'droid')
    await world.untilIdle()
    // The question of a sub-agent, which has a session of its own, answers nothing.
    accept(asks(3, 's2'), 'droid')
    await world.untilIdle()
    accept(asks(1), 'droid')
    await world.untilIdle()
    const [first, ofAgent, second, ...others] = await shown()
    expect(others).toEqual([])
    expect([first?.body, ofAgent?.body, second?.body]).toEqual([
      expect.stringContaining('execute 2 tool(s)'),
      expect.stringContaining('execute 3 tool(s)'),
      expect.not.stringContaining('execute 2 tool(s)'),
    ])
    expect(second?.title).not.toContain('more')
    expect(second?.replacesId).toBeGreaterThan(0)
    expect(await withdrawn()).toBe(0)
  })

  describe('in one message with another question', () => {
    /** Two questions on one desktop, then a script in the place of notify-send. */
    async function askTwice(script: string) {
      const desk = await makeDesk({ noise: { off: ['short-turns', 'burst'] } })
      const { world, accept, shown } = desk
      const send = (name: string, more: object) =>
        accept({ hook_event_name: `permission.${name}`, sessionID: 's1', ...more }, 'opencode')
      const asks = (id: string) =>
        send('asked', { id, permission: 'bash', metadata: { command: id } })
      for (const id of ['one', 'two']) {
        asks(id)
        await world.untilIdle()
      }
      const [, both] = await shown()
      writeFileSync(join(world.folder, 'notify-send'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
      vi.stubEnv('PATH', `${world.folder}:${process.env.PATH}`)
      onTestFinished(() => void vi.unstubAllEnvs())
      const replies = (requestID: string) => send('replied', { requestID })
      return { ...desk, asks, replies, number: both?.replacesId ?? 0 }
    }

    it('is withdrawn if its update has a new number, as by mako after it was dismissed', async () => {
      const { world, shown, withdrawn, replies, number } = await askTwice(
        `for one; do shift; case $one in --replace-id=*) ;; *) set -- "$@" "$one" ;; esac; done
exec /usr/bin/notify-send "$@"`,
      )
      replies('one')
      await world.untilIdle()
      expect((await shown()).at(-1)).toMatchObject({ replacesId: 0, expireMs: 0 })
      replies('two')
      await world.untilIdle()
      expect(await withdrawn()).toBe(1)
      expect(screen.closed.at(-1)?.[0]).toBeGreaterThan(number)
    })

    it('is updated by the next event of its session if notify-send fails first', async () => {
      const { world, accept, shown, replies, number } = await askTwice('exit 1')
      replies('one')
      await world.untilIdle()
      expect(await shown()).toHaveLength(2)
      vi.unstubAllEnvs()
      accept({ hook_event_name: 'session.created', sessionID: 's1' }, 'opencode')
      await world.untilIdle()
      const [, , last, ...others] = await shown()
      expect([last?.replacesId, others]).toEqual([number, []])
      expect(last?.body).toMatch(/^bash: two\n—/)
    })
  })

  it('is replaced by the next question only after an answered one was removed from it', async () => {
    const { world, accept, shown } = await makeDesk({ noise: { off: ['burst'] } })
    const transcript_path = join(world.folder, '.claude/projects/-srv-app/s1.jsonl')
    mkdirSync(join(transcript_path, '..'), { recursive: true })
    vi.stubEnv('HOME', world.folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    writeFileSync(transcript_path, '')
    for (const id of ['one', 'two']) {
      const call = { type: 'tool_use', id, name: 'Bash', input: {} }
      appendFileSync(transcript_path, transcriptLine('assistant', call))
      accept(ask(id, { transcript_path }))
      await world.once()
    }
    const [, both] = await shown()
    const script = `#!/bin/sh
/usr/bin/notify-send "$@"
cd "\${0%/*}" && mkdir begun && until [ -e go ]; do sleep 0.05; done; exit 0
`
    writeFileSync(join(world.folder, 'notify-send'), script, { mode: 0o755 })
    vi.stubEnv('PATH', `${world.folder}:${process.env.PATH}`)
    appendFileSync(
      transcript_path,
      transcriptLine('user', { type: 'tool_result', tool_use_id: 'one' }, Date.now() + 1000),
    )
    const id = accept(ask('three', { transcript_path }))
    const running = world.once()
    await expect.poll(() => existsSync(join(world.folder, 'begun'))).toBe(true)
    await expect.poll(async () => (await entriesOf(world, id, 'accepted')).length).toBe(1)
    writeFileSync(join(world.folder, 'go'), '')
    await running
    const [, , without, last, ...others] = await shown()
    expect([without?.replacesId, others]).toEqual([both?.replacesId, []])
    expect(last?.replacesId).toBe(both?.replacesId)
    expect(last?.body).toMatch(/^Bash: three\nBash: two\n—/)
  })

  it('stays when the client ends the session right after it, as a one-shot run does', async () => {
    const { world, accept, shown, withdrawn } = await makeDesk()
    const end = { hook_event_name: 'SessionEnd', session_id: 's1', reason: 'other' }
    accept({ hook_event_name: 'StopFailure', session_id: 's1', error: 'overloaded' })
    await world.untilIdle()
    accept(end)
    await world.untilIdle()
    expect(await shown()).toHaveLength(1)
    expect(await withdrawn()).toBe(0)
  })

  describe('at the end of a turn', () => {
    const asking = {
      hook_event_name: 'Stop',
      session_id: 's1',
      last_assistant_message: 'The tests pass. Shall I publish the package?',
    }

    it.each([
      ['the next prompt', prompt],
      ['the end of the next turn', { ...asking, last_assistant_message: 'Published.' }],
    ])('stays on the screen until %s, no louder than before', async (_, next) => {
      const { world, accept, shown, withdrawn } = await makeDesk()
      accept(asking)
      await world.untilIdle()
      expect(await shown()).toMatchObject([{ expireMs: 0, hints: { urgency: 1 } }])
      accept(next)
      await world.untilIdle()
      const [, after] = await shown()
      // A message that replaces it disappears by itself.
      expect(after?.expireMs ?? 3600_000).toBe(3600_000)
      expect((after?.replacesId ?? 0) > 0 ? 1 : await withdrawn()).toBe(1)
    })

    it('is withdrawn at once when a person is known to have ended the session', async () => {
      const { world, withdrawn } = await makeDesk()
      const env = { ...screen.env, CLAUDE_CODE_SESSION_ATTENDED: '1' }
      const end = { hook_event_name: 'SessionEnd', session_id: 's1', reason: 'prompt_input_exit' }
      for (const event of [asking, end]) {
        expect(await withdrawn()).toBe(0)
        world.accept(event, { client: 'claude', env })
        await world.untilIdle()
      }
      expect(await withdrawn()).toBe(1)
    })

    it('is replaced by a question during the next turn', async () => {
      const { world, accept, shown } = await makeDesk()
      accept(asking)
      await world.untilIdle()
      accept(ask('make'))
      await world.untilIdle()
      const [first, next] = await shown()
      expect(next?.replacesId).toBeGreaterThan(0)
      expect(first?.title).not.toBe(next?.title)
      expect(next?.title).not.toContain('more')
    })

    it('stays when it is sent only after the client reports that nobody has answered', async () => {
      const { world, accept, shown, withdrawn } = await makeDesk()
      accept(prompt)
      accept(asking)
      const idle = { hook_event_name: 'Notification', notification_type: 'idle_prompt' }
      const path = join(world.folder, '.claude/projects/-srv-app/s1.jsonl')
      mkdirSync(join(path, '..'), { recursive: true })
      const answer = { type: 'text', text: asking.last_assistant_message }
      writeFileSync(path, transcriptLine('assistant', answer))
      vi.stubEnv('HOME', world.folder)
      onTestFinished(() => void vi.unstubAllEnvs())
      const message = 'Claude is waiting for your input'
      accept({ ...idle, session_id: 's1', message, transcript_path: path })
      await world.untilIdle()
      expect(await shown()).toMatchObject([{ expireMs: 0 }])
      accept(prompt)
      await world.untilIdle()
      expect(await withdrawn()).toBe(1)
    })

    it('disappears by itself after a one-shot run, where nobody can answer', async () => {
      const { world, shown } = await makeDesk()
      const env = { ...screen.env, CLAUDE_CODE_SESSION_ATTENDED: '0' }
      world.accept(asking, { client: 'claude', env })
      await world.untilIdle()
      expect(await shown()).toMatchObject([{ expireMs: 3600_000 }])
    })
  })

  it('is withdrawn by a later worker after the first one was killed', async () => {
    const { world, accept, shown, withdrawn } = await makeDesk({ lingerSeconds: 600 })
    accept(ask('make'))
    const first = startProgram(builtWorker, world)
    await expect.poll(() => listShown(world.spool)).toHaveLength(1)
    first.kill('SIGKILL')
    await exited(first)
    expect(await shown()).toHaveLength(1)
    accept(prompt)
    startProgram(builtWorker, world)
    await expect.poll(withdrawn).toBe(1)
  })

  it('is withdrawn without an event when the transcript continues', async () => {
    const { world, accept, shown, withdrawn } = await makeDesk()
    const path = join(world.folder, '.claude/projects/-srv-app/s1.jsonl')
    mkdirSync(join(path, '..'), { recursive: true })
    const call = { type: 'tool_use', id: 'make', name: 'Bash', input: {} }
    writeFileSync(path, transcriptLine('assistant', call))
    const id = accept(ask('make', { transcript_path: path }))
    const env = { ...world.env, HOME: world.folder }
    const child = startProgram(builtWorker, { ...world, env })
    await expect.poll(async () => (await shown()).length).toBe(1)
    expect(await withdrawn()).toBe(0)
    const result = { type: 'tool_result', tool_use_id: 'make', content: 'ok' }
    appendFileSync(path, transcriptLine('user', result))
    await expect.poll(withdrawn).toBe(1)
    // No message is open any more, so the worker ends.
    expect(await exited(child)).toBe(0)
    expect(await entriesOf(world, id, 'answered')).toMatchObject([
      { sessionId: 's1', how: 'transcript' },
    ])
  })

  it('of a sub-agent stays when the turn ends, and is withdrawn when the sub-agent goes on', async () => {
    const { world, accept, shown, withdrawn } = await makeDesk()
    const path = join(world.folder, '.claude/projects/-srv-app/s1.jsonl')
    const own = join(world.folder, '.claude/projects/-srv-app/s1/subagents/agent-a1.jsonl')
    mkdirSync(join(own, '..'), { recursive: true })
    const ofAgent = (type: string, content: object) =>
      transcriptLine(type, content).replace('{', '{"isSidechain":true,"agentId":"a1",')
    const call = { type: 'tool_use', id: 'make', name: 'Bash', input: {} }
    writeFileSync(path, transcriptLine('assistant', { type: 'text', text: 'Started an agent' }))
    writeFileSync(own, ofAgent('assistant', call))
    accept(ask('make', { transcript_path: path, agent_id: 'a1' }))
    const env = { ...world.env, HOME: world.folder }
    startProgram(builtWorker, { ...world, env })
    await expect.poll(async () => (await shown()).length).toBe(1)
    appendFileSync(path, transcriptLine('assistant', { type: 'text', text: 'It is running' }))
    const tasks = [{ id: 'a1', type: 'subagent', status: 'running' }]
    const id = accept({
      ...prompt,
      hook_event_name: 'Stop',
      transcript_path: path,
      background_tasks: tasks,
    })
    await expect.poll(async () => (await entriesOf(world, id, 'held')).length).toBe(1)
    // Longer than until the first look at the transcript.
    await sleep(1500)
    expect(await withdrawn()).toBe(0)
    appendFileSync(own, ofAgent('user', { type: 'tool_result', tool_use_id: 'make' }))
    await expect.poll(withdrawn).toBe(1)
  })
})

describe('a question that its transcript shows as answered', () => {
  /** A question that has been shown on a phone, and a worker that looks for its answer. */
  async function askOnPhone(config: object = {}) {
    const world = makeWorld()
    const asked: Received[] = []
    const receiver = await startReceiver({
      script: [
        (request) => {
          asked.push(request)
          if (request.method === 'DELETE') return 'blackhole'
          const { topic, sequence_id } = JSON.parse(request.body)
          return {
            body: JSON.stringify({ id: 'x', event: 'message', topic, sequence_id, time: 1 }),
          }
        },
      ],
    })
    world.configure({
      channels: {
        phone: { type: 'ntfy', server: receiver.url, topic: 'shop' },
        file: { type: 'file', path: world.outFile },
      },
      routes: [
        { on: ['permission'], to: ['phone'] },
        { on: ['done'], to: ['file'] },
      ],
      lingerSeconds: 600,
      deliveryTimeoutSeconds: 600,
      ...config,
    })
    const path = join(world.folder, '.claude/projects/-srv-app/s1.jsonl')
    mkdirSync(join(path, '..'), { recursive: true })
    const call = { type: 'tool_use', id: 'make', name: 'Bash', input: {} }
    writeFileSync(path, transcriptLine('assistant', call))
    const id = world.accept(ask('make', { transcript_path: path }))
    const env = { ...world.env, HOME: world.folder }
    startProgram(builtWorker, { ...world, env })
    await expect.poll(() => asked.length).toBe(1)
    const answer = () => {
      const result = { type: 'tool_result', tool_use_id: 'make', content: 'ok' }
      appendFileSync(path, transcriptLine('user', result))
    }
    return { world, id, asked, answer }
  }

  it('delays no other event while its receiver does not respond to the withdrawal', async () => {
    const { world, asked, answer } = await askOnPhone()
    answer()
    await expect.poll(() => asked.map(({ method }) => method)).toContain('DELETE')
    world.accept({ hook_event_name: 'Stop', session_id: 's2' })
    await expect.poll(() => world.lines()).toHaveLength(1)
  })

  it('delays no other event while the journal cannot be written', async () => {
    const { world, id, asked, answer } = await askOnPhone()
    await expect.poll(async () => await entriesOf(world, id, 'delivered')).toHaveLength(1)
    const journal = join(world.stateDir, 'journal.jsonl')
    renameSync(journal, `${journal}.kept`)
    mkdirSync(journal)
    answer()
    await expect.poll(() => asked.map(({ method }) => method)).toContain('DELETE')
    world.accept({ hook_event_name: 'Stop', session_id: 's2' })
    await expect.poll(() => world.lines()).toHaveLength(1)
  })
})

describe('a question on a phone', () => {
  /** A server of ntfy, and a world whose only channel leads there. Each message replaces the one with the same id. */
  async function makePhone(on: string[]) {
    const shown = new Map<string, string>()
    const { url } = await startReceiver({
      script: [
        ({ method, path, body }) => {
          if (method === 'DELETE') {
            shown.delete(path.split('/').at(-1) ?? '')
            return {}
          }
          const { sequence_id, message } = JSON.parse(body)
          shown.set(sequence_id, message.split('\n\n')[0])
          return { body: JSON.stringify({ id: 'x', event: 'message', sequence_id }) }
        },
      ],
    })
    const world = makeWorld()
    const phone = { type: 'ntfy', server: url, topic: 'shop', replace: true }
    const routes = [{ on, to: ['phone'] }]
    world.configure({ channels: { phone }, routes, lingerSeconds: 0, noise: { off: ['burst'] } })
    const tell = async (event: object) => {
      world.accept({ session_id: 's1', ...event })
      await world.untilIdle()
    }
    return { world, tell, shown: () => [...shown.values()] }
  }

  it('is not replaced by a short-lived message, which its answer does not delete', async () => {
    const { tell, shown } = await makePhone(['permission', 'subagent-done'])
    const ended = (agent_id: string) =>
      tell({ hook_event_name: 'SubagentStop', agent_id, last_assistant_message: agent_id })
    await tell(ask('one', { agent_id: 'a1' }))
    await ended('a2')
    expect(shown()).toEqual(['Sub-agent · Bash: one', 'a2'])
    await tell(ask('two', { agent_id: 'a3' }))
    await ended('a1')
    const both = 'Sub-agent · Bash: two\nSub-agent · Bash: one'
    expect(shown()).toEqual([both, 'a2', 'a1'])
    // Now all questions are answered, so brief messages replace them, and then each other.
    await ended('a3')
    await ended('a4')
    expect(shown()).toEqual(['a4', 'a2', 'a1'])
  })

  /** Starts an ntfy server, and lists the methods of its requests. */
  async function startPhone(delayMs = 0) {
    const methods: string[] = []
    const { url } = await startReceiver({
      script: [
        ({ method, body }) => {
          methods.push(method)
          if (method === 'DELETE') return {}
          const { topic, sequence_id } = JSON.parse(body)
          const answer = { id: 'x', event: 'message', topic, sequence_id, time: 1 }
          return { body: JSON.stringify(answer), delayMs }
        },
      ],
    })
    return { url, methods }
  }

  it('is withdrawn although the message about the end of its turn hangs', async () => {
    const phone = await startPhone()
    const deaf = await startReceiver({ script: ['blackhole'] })
    const world = makeWorld()
    const channels = {
      phone: { type: 'ntfy', server: phone.url, topic: 'shop' },
      deaf: { type: 'webhook', url: deaf.url, allowPrivateNetwork: true },
    }
    const routes = [
      { on: ['permission'], to: ['phone'] },
      { on: ['done'], to: ['deaf'] },
    ]
    world.configure({ channels, routes, lingerSeconds: 0, deliveryTimeoutSeconds: 600 })
    world.accept(ask('make'))
    await world.once()
    world.accept({ hook_event_name: 'Stop', session_id: 's1' })
    const running = world.once()
    await expect.poll(() => deaf.received.length).toBe(1)
    await expect.poll(() => phone.methods.at(-1)).toBe('DELETE')
    expect(world.parked()).toEqual([])
    await deaf.close()
    await running
  })

  it('is withdrawn when its session continued while it was still being sent', async () => {
    // Sending takes longer than the review of the answer waits.
    const phone = await startPhone(3000)
    const world = makeWorld()
    world.configure({
      channels: { phone: { type: 'ntfy', server: phone.url, topic: 'shop' } },
      routes: [{ on: ['permission'], to: ['phone'] }],
      lingerSeconds: 600,
    })
    world.accept(ask('make'))
    startProgram(builtWorker, world)
    await expect.poll(() => phone.methods).toEqual(['POST'])
    world.accept(prompt)
    await expect.poll(() => phone.methods).toEqual(['POST', 'DELETE'])
  })
})
