import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findClient } from '../../src/clients/index.ts'
import { writeMutes } from '../../src/policy/mute-file.ts'
import { changeParked, parkedOf } from '../support/parked.ts'
import { holdAnswer, type Step, startReceiver } from '../support/receiver.ts'
import { makeDue, makeWorld, type World } from './_world.ts'

const opencode = { client: 'opencode' }
const ask = (id: string) => ({
  hook_event_name: 'PermissionRequest',
  session_id: 's1',
  tool_name: 'Bash',
  tool_input: { command: `make ${id}` },
  tool_use_id: id,
})

async function makeHeldWorld(noise: object = {}, script?: Step[]) {
  const { url, received } = await startReceiver(script && { script })
  const world = makeWorld()
  world.configure({
    channels: { team: { type: 'slack', url: `${url}/services/x` } },
    routes: [{ on: ['permission', 'done', 'waiting', 'failed'], to: ['team'] }],
    lingerSeconds: 0,
    noise,
    retry: { firstDelaySeconds: 2 },
  })
  const texts = () => received.map(({ body }) => String(JSON.parse(body).text))
  return { world, texts }
}

/** A receiver's answer to each message, and when the messages arrived, Unix ms. */
function noteTimes() {
  const times: number[] = []
  const answer = () => {
    times.push(Date.now())
    return {}
  }
  return { times, answer }
}

/** Accepts an event as if it had arrived at the time `at` (Unix ms). */
function accept(world: World, event: object, at: number, more: object = {}) {
  const id = world.accept(event, more)
  utimesSync(join(world.spool.new, id), at / 1000, at / 1000)
  return id
}

/** The folder in which the client began the session, as it tells its hooks. */
const inProject = (name: string) => ({ env: { CLAUDE_PROJECT_DIR: `/srv/${name}` } })

/** Lets the burst window end at this time. Only before a worker starts, because a running one keeps the time it has set. */
function endWindow(world: World, at: number) {
  for (const name of world.parked()) {
    changeParked(world.spool, name, ({ delivery, ...parked }) => ({
      ...parked,
      delivery: { ...delivery, notBefore: at },
    }))
  }
}

describe('questions shortly after another question of their session', () => {
  it('are sent in one message at the end of the burst window', async () => {
    const { times, answer } = noteTimes()
    // Long enough for a slow machine to judge all questions before the window ends.
    const { world, texts } = await makeHeldWorld({ burstSeconds: 8 }, [answer])
    const now = Date.now()
    const ids = ['one', 'two', 'three'].map((id, index) => accept(world, ask(id), now + index))
    await world.untilIdle()
    expect(texts()).toHaveLength(2)
    expect(texts()[1]).toContain('and 1 more')
    expect(times[1]).toBeGreaterThanOrEqual(now + 8000)
    const statuses = await Promise.all(ids.map((id) => world.statusOf(id)))
    expect(statuses.map((status) => status?.outcome)).toEqual(Array(3).fill('delivered'))
    expect(world.parked()).toEqual([])
  })

  it('are sent by a later worker when the first one has ended', async () => {
    const { world, texts } = await makeHeldWorld({ burstSeconds: 60 })
    const now = Date.now()
    for (const id of ['one', 'two', 'three']) accept(world, ask(id), now)
    await world.once()
    expect(texts()).toHaveLength(1)
    expect(world.parked()).toHaveLength(2)
    endWindow(world, Date.now() + 1000)
    await world.untilIdle()
    expect(texts()).toHaveLength(2)
  })

  it('are sent at once when the clock was set back', async () => {
    const { world, texts } = await makeHeldWorld({ burstSeconds: 60 })
    const now = Date.now()
    for (const id of ['one', 'two']) accept(world, ask(id), now)
    await world.once()
    expect(texts()).toHaveLength(1)
    const [name = ''] = world.parked()
    changeParked(world.spool, name, ({ delivery, ...parked }) => ({
      ...parked,
      since: now + 3600_000,
      delivery: { ...delivery, notBefore: now + 3660_000 },
    }))
    await world.once()
    expect(texts()).toHaveLength(2)
    expect(world.parked()).toEqual([])
  })

  it('are suppressed when their project is muted within the burst window', async () => {
    const { world, texts } = await makeHeldWorld({ burstSeconds: 60 })
    const now = Date.now()
    accept(world, ask('one'), now)
    accept(world, ask('two'), now + 1, inProject('other'))
    const muted = accept(world, ask('three'), now + 2, inProject('shop'))
    await world.once()
    writeMutes(world.stateDir, [{ until: 0, questions: true, project: 'shop' }], now)
    for (const name of world.parked()) makeDue(world, name)
    await world.once()
    expect(texts()).toHaveLength(2)
    expect(texts()[1]).toContain('make two')
    expect(texts()[1]).not.toContain('and 1 more')
    expect(await world.statusOf(muted)).toMatchObject({
      channels: { team: { detail: 'Muted without an end (project shop), questions too' } },
    })
  })

  it('are sent although the journal cannot record that one of them was dropped', async () => {
    const answer = holdAnswer()
    const { world, texts } = await makeHeldWorld({ burstSeconds: 60 }, [200, answer.step])
    const now = Date.now()
    accept(world, ask('one'), now)
    const second = accept(world, ask('two'), now + 1, inProject('other'))
    const muted = accept(world, ask('three'), now + 2, inProject('shop'))
    await world.once()
    writeMutes(world.stateDir, [{ until: 0, questions: true, project: 'shop' }], now)
    const journal = join(world.stateDir, 'journal.jsonl')
    renameSync(journal, `${journal}.kept`)
    mkdirSync(journal)
    for (const name of world.parked()) makeDue(world, name)
    const running = world.once()
    await expect.poll(texts).toHaveLength(2)
    answer.give()
    await running
    expect(texts()[1]).toContain('make two')
    // Nothing leaves the disk before it is recorded.
    const left = world.parked().map((name) => name.replace(/~0$/, ''))
    expect(left.sort()).toEqual([`${second}.team`, `${muted}.team`].sort())
    rmdirSync(journal)
    renameSync(`${journal}.kept`, journal)
    // Both entries are written once that is possible.
    const outcomes = async () =>
      await Promise.all([second, muted].map(async (id) => (await world.statusOf(id))?.outcome))
    await expect.poll(outcomes).toEqual(['delivered', 'suppressed'])
  })

  it('are suppressed when a person answers within the burst window', async () => {
    const { world, texts } = await makeHeldWorld({ burstSeconds: 60 })
    const now = Date.now()
    accept(world, ask('one'), now)
    const second = accept(world, ask('two'), now + 1)
    await world.once()
    accept(world, { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'No' }, now + 2)
    await world.untilIdle()
    expect(texts()).toHaveLength(1)
    expect(await world.statusOf(second)).toMatchObject({
      outcome: 'suppressed',
      channels: { team: { detail: 'answered before it was told' } },
    })
  })
})

describe('failures of several sessions with one cause', () => {
  it('are told by the first one at once, and by one message that names the others', async () => {
    const { world, texts } = await makeHeldWorld()
    const limit = { hook_event_name: 'StopFailure', error: 'rate_limit' }
    const fail = (name: string) =>
      world.accept({ ...limit, session_id: name, cwd: `/srv/${name}` }, { client: 'claude' })
    fail('shop')
    await world.once()
    expect(texts()).toEqual([expect.stringContaining('shop: limit reached')])
    const others = ['api', 'web', 'docs'].map(fail)
    await world.once()
    expect(texts()).toHaveLength(1)
    endWindow(world, Date.now())
    await world.untilIdle()
    expect(texts()).toHaveLength(2)
    for (const name of ['api', 'web', 'docs']) expect(texts()[1]).toContain(`${name}: limit`)
    const outcomes = await Promise.all(
      others.map(async (id) => (await world.statusOf(id))?.outcome),
    )
    expect(outcomes).toEqual(Array(3).fill('delivered'))
  })
})

describe('a question that the client answers by itself', () => {
  const asked = { hook_event_name: 'permission.asked', sessionID: 'ses_1', permission: 'bash' }

  it('is suppressed', async () => {
    const { world, texts } = await makeHeldWorld()
    const now = Date.now()
    const id = accept(world, { ...asked, id: 'per_1' }, now, opencode)
    const replied = { hook_event_name: 'permission.replied', sessionID: 'ses_1', reply: 'reject' }
    accept(world, replied, now + 20, opencode)
    await world.untilIdle()
    expect(texts()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'suppressed' })
  })

  it('is suppressed if only the transcript shows the answer, as in a one-shot run', async () => {
    const { world, texts } = await makeHeldWorld()
    vi.stubEnv('HOME', world.folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const transcript_path = join(world.folder, '.claude/projects/-srv-app/s1.jsonl')
    mkdirSync(join(transcript_path, '..'), { recursive: true })
    const now = Date.now()
    const line = (type: string, at: number, content: object) => {
      const timestamp = new Date(at).toISOString()
      return `${JSON.stringify({ type, timestamp, message: { role: type, content: [content] } })}\n`
    }
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make one' } }
    const denied = { type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'denied' }
    writeFileSync(
      transcript_path,
      line('assistant', now - 50, call) + line('user', now + 80, denied),
    )
    const { tool_use_id: _, ...asks } = ask('one')
    const alone = { env: { CLAUDE_CODE_SESSION_ATTENDED: '0' } }
    const id = accept(world, { ...asks, transcript_path }, now, alone)
    await world.untilIdle()
    expect(texts()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'suppressed' })
  })

  it('is sent later if it gets no answer', async () => {
    const { times, answer } = noteTimes()
    const { world } = await makeHeldWorld({}, [answer])
    const now = Date.now()
    accept(world, { ...asked, id: 'per_1' }, now, opencode)
    await world.untilIdle()
    const holdMs = findClient('opencode')?.holdQuestionMs ?? 0
    expect(times.map((at) => at >= now + holdMs)).toEqual([true])
    expect(holdMs).toBeGreaterThan(0)
  })
})

describe('the end of a turn after which something is expected to follow', () => {
  const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'Go' }
  const own = { ...prompt, prompt: '<task-notification>The build is over</task-notification>' }
  const stop = { hook_event_name: 'Stop', session_id: 's1', last_assistant_message: 'It is built.' }
  const leaving = (type: string) => ({ ...stop, background_tasks: [{ id: 'b1', type }] })
  const idle = {
    ...{ hook_event_name: 'Notification', session_id: 's1', notification_type: 'idle_prompt' },
    message: 'Claude is waiting for your input',
  }

  /** A turn of a minute, which has ended a minute ago. */
  async function afterTurn(type: string, noise: object = {}) {
    const { world, texts } = await makeHeldWorld(noise)
    const now = Date.now()
    accept(world, prompt, now - 120_000)
    const id = accept(world, leaving(type), now - 60_000)
    await world.once()
    expect(texts()).toEqual([])
    return { world, texts, id }
  }

  it('is sent at once when the client says that it waits', async () => {
    const { world, texts, id } = await afterTurn('shell')
    const notice = world.accept(idle)
    await world.once()
    expect(texts()).toEqual([expect.stringContaining('It is built.')])
    expect(world.parked()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
    const reason = 'the end of the turn before it is told on this channel'
    expect(await world.statusOf(notice)).toMatchObject({ outcome: 'suppressed', reason })
    const why = readFileSync(join(world.stateDir, 'journal.jsonl'), 'utf8')
    expect(why).toContain('"reason":"the agent says that it waits"')
  })

  it.each([
    ['agents run', 'subagent', {}],
    ['quiet hours have begun', 'shell', { quietHours: [{ from: '00:00', to: '24:00' }] }],
  ])('stays held although the client says that it waits, if %s', async (_, type, noise) => {
    const { world, texts } = await afterTurn(type, noise)
    world.accept(idle)
    await world.once()
    expect(texts()).toEqual([])
    expect(world.parked()).toHaveLength(1)
  })

  it('waits again while the client works on a turn of its own, and is dropped for the end of that', async () => {
    const { world, texts, id } = await afterTurn('subagent')
    world.accept(own)
    await world.once()
    const dueAt = () => {
      const [name = ''] = world.parked()
      return parkedOf(world.spool, name)?.delivery.notBefore
    }
    for (const name of world.parked()) makeDue(world, name)
    await world.once()
    expect(texts()).toEqual([])
    expect(dueAt()).toBeGreaterThan(Date.now())
    expect(await world.statusOf(id)).toMatchObject({
      channels: { team: { state: 'held', detail: 'the agent is at work again' } },
    })
    world.accept({ ...stop, last_assistant_message: 'It is green.' })
    await world.once()
    expect(texts()).toEqual([expect.stringContaining('It is green.')])
    expect(world.parked()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({
      channels: { team: { state: 'suppressed', detail: 'a later turn of its session is told' } },
    })
  })
})

describe('a held message that comes due in quiet hours', () => {
  const always = [{ from: '00:00', to: '24:00', timeZone: 'UTC' }]
  const stop = { hook_event_name: 'Stop', session_id: 's1' }

  async function makeOverdue(event: object) {
    const { url, received } = await startReceiver()
    const world = makeWorld()
    const configure = (quietHours: object[], more: object = {}) =>
      world.configure({
        channels: {
          file: { type: 'file', path: world.outFile },
          team: { type: 'slack', url: `${url}/services/x`, ...more },
        },
        routes: [{ on: ['*'], steps: [{ to: ['file'] }, { after: '1h', to: ['team'] }] }],
        noise: { quietHours },
        lingerSeconds: 0,
      })
    configure([])
    const id = world.accept(event)
    await world.once()
    expect(received).toHaveLength(0)
    const comeDue = async () => {
      for (const name of world.parked()) makeDue(world, name)
      await world.once()
    }
    return { world, id, configure, comeDue, received }
  }

  it('waits for their end', async () => {
    const { world, id, configure, comeDue, received } = await makeOverdue(stop)
    configure(always)
    await comeDue()
    expect(received).toHaveLength(0)
    expect(await world.statusOf(id)).toMatchObject({
      channels: { team: { state: 'held', detail: expect.stringMatching(/^quiet hours until/) } },
    })
    configure([])
    await comeDue()
    expect(received).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })

  it('becomes one message with the others that wait for that end', async () => {
    const { world, configure, comeDue, received } = await makeOverdue(stop)
    world.accept({ ...stop, session_id: 's2' })
    await world.once()
    configure(always)
    await comeDue()
    expect(received).toHaveLength(0)
    configure([])
    await comeDue()
    expect(received).toHaveLength(1)
    expect(received[0]?.body).toContain('and 1 more')
  })

  it('is left out of that message if its session goes on before a worker sees either', async () => {
    const { world, id, configure, comeDue, received } = await makeOverdue(stop)
    world.accept({ ...stop, session_id: 's2' })
    await world.once()
    configure(always)
    await comeDue()
    configure([])
    world.accept({ hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'Go on' })
    await comeDue()
    expect(received).toHaveLength(1)
    expect(received[0]?.body).not.toContain('and 1 more')
    const gone = {
      state: 'suppressed',
      detail: 'a person went on with the session before it was told',
    }
    expect(await world.statusOf(id)).toMatchObject({ channels: { team: gone } })
  })

  it('goes to its own channel, whatever waits for another one', async () => {
    const { url, received } = await startReceiver()
    const world = makeWorld()
    const configure = (quietHours: object[]) =>
      world.configure({
        channels: {
          file: { type: 'file', path: world.outFile },
          team: { type: 'slack', url: `${url}/services/team` },
          boss: { type: 'slack', url: `${url}/services/boss` },
        },
        routes: [{ on: ['*'], steps: [{ to: ['file'] }, { after: '1h', to: ['team', 'boss'] }] }],
        noise: { quietHours },
        lingerSeconds: 0,
      })
    configure([])
    world.accept(stop)
    await world.once()
    for (const quietHours of [always, []]) {
      configure(quietHours)
      for (const name of world.parked()) makeDue(world, name)
      await world.once()
    }
    expect(received.map(({ path }) => path).sort()).toEqual(['/services/boss', '/services/team'])
    for (const { body } of received) expect(body).not.toContain('more')
  })

  it('is sent if it is a question', async () => {
    const { configure, comeDue, received } = await makeOverdue(ask('one'))
    configure(always)
    await comeDue()
    expect(received).toHaveLength(1)
  })

  it('is sent on a channel without noise rules', async () => {
    const { configure, comeDue, received } = await makeOverdue(stop)
    configure(always, { noise: false })
    await comeDue()
    expect(received).toHaveLength(1)
  })

  it('is held no longer than eight days', async () => {
    const { world, configure, comeDue, received } = await makeOverdue({ hook_event_name: 'Stop' })
    configure(always)
    const [name = ''] = world.parked()
    changeParked(world.spool, name, ({ delivery, ...parked }) => ({
      ...parked,
      delivery: { ...delivery, acceptedAt: Date.now() - 8 * 24 * 3600_000 },
    }))
    await comeDue()
    expect(received).toHaveLength(1)
  })
})

describe('a message that quiet hours hold', () => {
  const stop = { hook_event_name: 'Stop', session_id: 's1' }
  const hour = 3600_000
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
  /** Quiet hours that began an hour ago and end in some hours. */
  const quietFor = (hours: number) => {
    const now = Date.now()
    return [{ from: clock(now - hour), to: clock(now + hours * hour), timeZone: 'UTC' }]
  }

  async function makeQuiet() {
    const { url, received } = await startReceiver()
    const world = makeWorld()
    const configure = (quietHours: object[], more: object = {}) =>
      world.configure({
        channels: {
          file: { type: 'file', path: world.outFile },
          team: { type: 'slack', url: `${url}/services/x` },
        },
        routes: [{ on: ['done'], to: ['team'] }],
        noise: { quietHours },
        lingerSeconds: 0,
        ...more,
      })
    configure(quietFor(4))
    const ids = [world.accept(stop), world.accept({ ...stop, session_id: 's2' })]
    await world.once()
    expect(received).toHaveLength(0)
    const untilOf = async () =>
      (await Promise.all(ids.map((id) => world.statusOf(id)))).map((one) => one?.channels.team?.at)
    return { world, ids, configure, received, untilOf }
  }

  it('is sent at once when they are removed, with the others', async () => {
    const { world, configure, received } = await makeQuiet()
    configure([])
    await world.once()
    expect(received).toHaveLength(1)
    expect(received[0]?.body).toContain('and 1 more')
    expect(world.parked()).toEqual([])
  })

  it('is sent by a running worker when they are removed', async () => {
    const { world, configure, received } = await makeQuiet()
    const running = world.untilIdle()
    await expect.poll(() => existsSync(join(world.stateDir, 'worker.lock'))).toBe(true)
    configure([])
    // It notices the change with the next event.
    world.accept({ hook_event_name: 'SessionStart', session_id: 's3' })
    await running
    expect(received).toHaveLength(1)
  })

  it.each([2, 6])('waits for their new end when that changes to %i hours', async (hours) => {
    const { world, configure, received, untilOf } = await makeQuiet()
    const [before = 0] = await untilOf()
    configure(quietFor(hours))
    await world.once()
    const [after = 0, other] = await untilOf()
    expect(Math.round((after - before) / hour)).toBe(hours - 4)
    expect(other).toBe(after)
    expect(received).toHaveLength(0)
    // Nothing is recorded twice.
    const journal = () => readFileSync(join(world.stateDir, 'journal.jsonl'), 'utf8')
    const recorded = journal()
    await world.once()
    expect(journal()).toBe(recorded)
    expect(world.parked()).toHaveLength(2)
  })

  it('is not dropped by a mute that may end before it is due', async () => {
    const { world, configure, received } = await makeQuiet()
    writeMutes(world.stateDir, [{ until: Date.now() + hour, questions: true }], Date.now())
    configure(quietFor(6))
    await world.once()
    expect(world.parked()).toHaveLength(2)
    writeMutes(world.stateDir, [], Date.now())
    configure([])
    await world.once()
    expect(received).toHaveLength(1)
  })

  it('is suppressed when it is due and its channel was removed', async () => {
    const { world, ids, configure, received } = await makeQuiet()
    configure([], {
      channels: { file: { type: 'file', path: world.outFile } },
      routes: [{ on: ['done'], to: ['file'] }],
    })
    await world.once()
    expect(received).toHaveLength(0)
    expect(await world.statusOf(ids[0] ?? '')).toMatchObject({ outcome: 'suppressed' })
    expect([world.parked(), world.dead()]).toEqual([[], []])
  })
})

describe('a later step that quiet hours hold', () => {
  it('keeps its time when they are removed', async () => {
    const { url, received } = await startReceiver()
    const world = makeWorld()
    const always = [{ from: '00:00', to: '24:00', timeZone: 'UTC' }]
    const configure = (quietHours: object[]) =>
      world.configure({
        channels: {
          file: { type: 'file', path: world.outFile },
          team: { type: 'slack', url: `${url}/services/x` },
        },
        routes: [{ on: ['*'], steps: [{ to: ['file'] }, { after: '1h', to: ['team'] }] }],
        noise: { quietHours },
        lingerSeconds: 0,
      })
    configure(always)
    const now = Date.now()
    const id = accept(world, { hook_event_name: 'Stop', session_id: 's1' }, now)
    await world.once()
    const before = await world.statusOf(id)
    configure([])
    await world.once()
    expect(received).toHaveLength(0)
    expect(await world.statusOf(id)).toEqual(before)
    const [name = ''] = world.parked()
    makeDue(world, name)
    await world.once()
    expect(received).toHaveLength(1)
  })
})

describe('a question whose first delivery attempt failed', () => {
  it('is not sent late if it was answered in the meantime', async () => {
    const { world, texts } = await makeHeldWorld({}, [500, 200])
    const id = accept(world, ask('one'), Date.now())
    await world.once()
    expect(world.parked()).toHaveLength(1)
    accept(
      world,
      { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'No' },
      Date.now(),
    )
    await world.untilIdle()
    expect(texts()).toHaveLength(1)
    expect(world.parked()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'suppressed',
      channels: { team: { state: 'suppressed', detail: 'answered before it was told' } },
    })
  })

  it('is not sent by the next worker if the answer waits with it', async () => {
    const { world, texts } = await makeHeldWorld({}, [500, 200])
    const id = accept(world, ask('one'), Date.now())
    await world.once()
    const [name = ''] = world.parked()
    makeDue(world, name)
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'No' }
    accept(world, prompt, Date.now())
    await world.once()
    expect(texts()).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'suppressed' })
  })

  it('is sent late if nobody answered it', async () => {
    const { world, texts } = await makeHeldWorld({}, [500, 200])
    accept(world, ask('one'), Date.now())
    accept(
      world,
      { hook_event_name: 'UserPromptSubmit', session_id: 's2', prompt: 'No' },
      Date.now(),
    )
    await world.untilIdle()
    expect(texts()).toHaveLength(2)
  })

  it('is not sent late if the transcript shows the answer', async () => {
    const { world, texts } = await makeHeldWorld({}, [500, 200])
    vi.stubEnv('HOME', world.folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const path = join(world.folder, '.claude/projects/-srv-app/s1.jsonl')
    mkdirSync(join(path, '..'), { recursive: true })
    const id = accept(world, { ...ask('one'), transcript_path: path }, Date.now())
    await world.once()
    const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'one' }] }
    const timestamp = new Date(Date.now() + 1).toISOString()
    writeFileSync(path, `${JSON.stringify({ type: 'user', timestamp, message })}\n`)
    await world.untilIdle()
    expect(texts()).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'suppressed' })
  })
})

describe('an event after the clock was set back', () => {
  it('is delivered although the session seems to have continued before it', async () => {
    const { world, texts } = await makeHeldWorld({ burstSeconds: 3, minSeconds: 0 })
    const now = Date.now()
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's1' }
    accept(world, prompt, now + 3600_000)
    await world.once()
    accept(world, ask('one'), now - 10)
    accept(world, { hook_event_name: 'Stop', session_id: 's1' }, now - 5)
    await world.once()
    expect(texts()).toHaveLength(2)
    expect(texts()[0]).toContain('make one')
  })
})
