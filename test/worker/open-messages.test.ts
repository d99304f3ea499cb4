import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { builtInConfig } from '../../src/config/load.ts'
import { Journal } from '../../src/journal/journal.ts'
import { readJournalOf } from '../../src/journal/read.ts'
import { ntfy } from '../../src/notifiers/ntfy.ts'
import { terminal } from '../../src/notifiers/terminal.ts'
import { PolicyMemory } from '../../src/policy/checkpoint.ts'
import { OpenMessages } from '../../src/worker/open-messages.ts'
import { makeDelivery } from '../support/delivery.ts'
import { missingDesktopPrograms, startDesktop } from '../support/desktop.ts'
import { builtWorker } from '../support/program.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { exited, letItBeTime, makeWorld, startProgram, type World } from './_world.ts'

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
function transcriptLine(type: string, content: object): string {
  const message = { role: type, content: [content] }
  return `${JSON.stringify({ type, timestamp: new Date().toISOString(), message })}\n`
}

async function entriesOf(world: World, id: string, type: string) {
  const found: object[] = []
  for await (const entry of readJournalOf(world.stateDir, new Set([id]))) {
    if (entry.type === type) found.push(entry)
  }
  return found
}

describe('a shown question', () => {
  it('is checked for an answer within half a minute when the clock was set back', async () => {
    const { stateDir } = makeWorld()
    let now = Date.now()
    const open = new OpenMessages({
      stateDir,
      journal: new Journal({ stateDir, secrets: () => [] }),
      memory: new PolicyMemory(stateDir),
      config: builtInConfig,
      now: () => now,
    })
    const asked = { id: 'e1', title: 'Bash', text: 'make', transcriptPath: '/nowhere', at: now }
    const delivery = makeDelivery('e1', {
      ...{ kind: 'permission', urgency: 'critical', acceptedAt: now },
      questions: [{ ...asked, toolUseId: 't1' }],
    })
    const destination = { key: 'desk', notifier: terminal, options: {} }
    open.begin(delivery, destination).delivered('handle')
    expect(open.nextLookInMs()).toBe(1000)
    now -= 30 * 60_000
    expect(open.nextLookInMs()).toBeLessThanOrEqual(30_000)
    const looks: Promise<void>[] = []
    await open.look((work) => looks.push(work))
    expect(looks).toHaveLength(1)
  })

  it('is replaced only on its own channel and by its own session', () => {
    const { stateDir } = makeWorld()
    const open = new OpenMessages({
      stateDir,
      journal: new Journal({ stateDir, secrets: () => [] }),
      memory: new PolicyMemory(stateDir),
      config: builtInConfig,
      now: Date.now,
    })
    const begin = (channel: string, session: string) => {
      const options = ntfy.options.parse({ topic: 'a-topic', replace: true })
      const more = { channel, session, urgency: 'critical', kind: 'permission' } as const
      return open.begin(makeDelivery('e1', more), { key: channel, notifier: ntfy, options })
    }
    begin('desk', 's1').delivered('shown')
    expect(begin('phone', 's1').replaces).toBeUndefined()
    expect(begin('desk', 's2').replaces).toBeUndefined()
    expect(begin('desk', 's1').replaces).toBe('shown')
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
    for (const name of world.list('deferred')) letItBeTime(world, name)
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
    // The first message is gone, so the summary repeats its question.
    for (const command of ['one', 'two', 'three']) expect(all?.body).toContain(command)
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

    it('stays when it is told only after nobody has answered', async () => {
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
    const { world, accept, shown, withdrawn } = await makeDesk({ lingerSeconds: 60 })
    accept(ask('make'))
    const first = startProgram(builtWorker, world)
    await expect.poll(() => existsSync(join(world.stateDir, 'shown.json'))).toBe(true)
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
      { sessionId: 's1', reason: 'the transcript goes on after it' },
    ])
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
      lingerSeconds: 60,
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
  it('is withdrawn although a message about its answer hangs', async () => {
    const methods: string[] = []
    const phone = await startReceiver({
      script: [
        ({ method, body }) => {
          methods.push(method)
          if (method === 'DELETE') return {}
          const { topic, sequence_id } = JSON.parse(body)
          return {
            body: JSON.stringify({ id: 'x', event: 'message', topic, sequence_id, time: 1 }),
          }
        },
      ],
    })
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
    await expect.poll(() => methods.at(-1)).toBe('DELETE')
    expect(world.list('deferred')).toEqual([])
    await deaf.close()
    await running
  })
})

describe('the list of shown messages', () => {
  it('is ignored and left as it is when its file is damaged', async () => {
    const world = makeWorld()
    const path = join(world.stateDir, 'shown.json')
    for (const text of ['', '{"format":2,"shown":[]}', '{"format":1,"shown":[{}]}']) {
      writeFileSync(path, text)
      world.accept(prompt)
      await world.untilIdle()
      expect(readFileSync(path, 'utf8')).toBe(text)
    }
    expect(world.lines()).toHaveLength(3)
  })
})
