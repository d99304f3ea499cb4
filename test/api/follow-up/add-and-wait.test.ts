import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { readTurn } from '../../../src/api/follow-up/turn.ts'
import { createClient, type Message, type Progress } from '../../../src/api/index.ts'
import { type EmulatorOptions, startEmulator } from '../../../src/emulator/index.ts'
import type { Script } from '../../support/fault-server.ts'
import { errorOf, json, transports, useFaultServer } from '../_support.ts'

type Order = 'oldest first' | 'newest first'

const text = { type: 'text', text: 'hi' }
function make(id: number, role: string, more: object = {}) {
  return { id: `m${id}`, role, content: [text], createdAt: id, updatedAt: id, ...more }
}
const old = Array.from({ length: 25 }, (_, i) => make(i, i % 2 ? 'assistant' : 'user'))
const call = { content: [{ type: 'tool_use', id: 't', name: 'Read', input: {} }] }
const result = { content: [{ type: 'tool_result', toolUseId: 't', content: 'ok' }] }

/** What the agent adds: one step at each read of the first page after the message was added. */
const work = [
  [],
  [make(101, 'assistant', call)],
  [make(102, 'tool', result)],
  [make(103, 'assistant', { openaiPhase: 'commentary' })],
  [make(104, 'assistant')],
]

/** A session that grows each time its first page is read after a message was added. */
function session(
  order: Order,
  status: string,
  steps: readonly object[][] = work,
  before: readonly object[] = old,
): Script {
  const history: object[] = [...before]
  let left: readonly object[][] = []
  return ({ method, target, body }) => {
    if (method === 'POST') {
      left = steps
      history.push(make(100, 'user', { content: [{ type: 'text', text: JSON.parse(body).text }] }))
      return { body: json({ messageId: 'm100', status }) }
    }
    const query = new URL(target, 'http://x').searchParams
    const from = Number(query.get('cursor') ?? 0)
    history.push(...(left[0] ?? []))
    left = left.slice(1)
    const listed = order === 'oldest first' ? history : [...history].reverse()
    const size = 10
    const hasMore = from + size < listed.length
    const pagination = { hasMore, nextCursor: hasMore ? `${from + size}` : null }
    return { body: json({ messages: listed.slice(from, from + size), pagination }) }
  }
}

const quick = { pollMs: 1, quietMs: 0 }

describe.each(transports)('addAndWait through %s', (transport) => {
  const faults = useFaultServer(transport)
  const add = (options: object = quick) =>
    faults.makeClient().sessions.messages.addAndWait({ sessionId: 's', text: 'do it' }, options)

  it.each(['oldest first', 'newest first'] as const)(
    'resolves with the new messages of the agent, %s',
    async (order) => {
      faults.play(session(order, 'running'))
      const progress: Progress[] = []
      const answers = await add({ ...quick, onProgress: (one: Progress) => progress.push(one) })
      expect(answers.map(({ id }) => id)).toEqual(['m101', 'm103', 'm104'])
      const counts = progress.map(({ messages }) => messages.length)
      expect(counts).toEqual([...counts].sort())
      expect(counts.at(-1)).toBe(4)
      expect(progress[0]).toMatchObject({ messageId: 'm100', elapsedMs: expect.any(Number) })
      expect(faults.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    },
  )

  it('does not read the whole history again at every poll', async () => {
    for (const order of ['oldest first', 'newest first'] as const) {
      faults.play(session(order, 'running'))
      await add()
      // 3 pages of history, the message itself, then 1 or 2 pages at each of the 5 polls.
      expect(faults.requests.length).toBeLessThanOrEqual(3 + 1 + 2 * work.length)
    }
  })

  it('adds the message first, even in a long session', async () => {
    const long = Array.from({ length: 5_000 }, (_, n) => make(n - 5_000, 'assistant'))
    faults.play(session('newest first', 'running', work, [...long, ...old]))
    await add()
    expect(faults.requests[0]?.method).toBe('POST')
  })

  it('waits until no message has arrived for quietMs', async () => {
    const growing = [[make(101, 'assistant')], [], [make(102, 'assistant')]]
    let answers: Message[] = []
    // On a busy machine, three polls may take longer than quietMs.
    for (let quietMs = 200; answers.length < 2 && quietMs < 600_000; quietMs *= 2) {
      faults.play(session('oldest first', 'running', growing))
      answers = await add({ pollMs: 1, quietMs })
    }
    expect(answers.map(({ id }) => id)).toEqual(['m101', 'm102'])
  })

  it('does not wait for quietMs when the service reports idle', async () => {
    faults.play(session('oldest first', 'idle', [[make(101, 'assistant')]]))
    const answers = await add({ pollMs: 60_000, quietMs: 60_000 })
    expect(answers.map(({ id }) => id)).toEqual(['m101'])
  })

  it('works in a session without messages', async () => {
    const empty: Script = ({ method }, index) =>
      method === 'POST'
        ? { body: json({ messageId: 'm100', status: 'idle' }) }
        : {
            body: json({
              messages: index > 1 ? [make(101, 'assistant'), make(100, 'user')] : [],
              pagination: { hasMore: false },
            }),
          }
    faults.play(empty)
    expect((await add()).map(({ id }) => id)).toEqual(['m101'])
  })

  it('rejects at the deadline and says that the message was added', async () => {
    const hasLooked = () =>
      faults.requests.findLastIndex(({ method }) => method === 'GET') > posted()
    const posted = () => faults.requests.findIndex(({ method }) => method === 'POST')
    const addWithin = (deadlineMs: number) => {
      faults.play(session('oldest first', 'running', []))
      return errorOf(add({ ...quick, deadlineMs }))
    }
    let deadlineMs = 300
    let error = await addWithin(deadlineMs)
    // On a busy machine, more time may be needed until the message is added.
    while (!(posted() >= 0 && hasLooked()) && deadlineMs < 600_000) {
      deadlineMs *= 2
      error = await addWithin(deadlineMs)
    }
    expect(error).toMatchObject({ kind: 'timeout', hint: expect.stringContaining('m100') })
  })

  it('rejects when aborted and leaves no listener', async () => {
    const controller = new AbortController()
    const { signal } = controller
    faults.play(session('oldest first', 'running', []))
    const onProgress = () => controller.abort('enough')
    faults.play(session('oldest first', 'running', [[make(101, 'assistant', call)]]))
    const error = await errorOf(add({ pollMs: 60_000, signal, onProgress }))
    expect(error).toMatchObject({ kind: 'aborted', cause: 'enough' })
    expect(error.hint).toContain('m100')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('leaves no listener if the response has no ID of the message', async () => {
    const { signal } = new AbortController()
    faults.play([{ body: '{"status":"idle"}' }])
    expect(await errorOf(add({ ...quick, signal }))).toMatchObject({ kind: 'decode' })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('sends no request before it adds the message', async () => {
    faults.play(session('oldest first', 'running'))
    await add()
    expect(faults.requests.findIndex(({ method }) => method === 'POST')).toBe(0)
  })

  it('sends additional fields of the body and the query with the message only', async () => {
    faults.play(session('oldest first', 'idle', [[make(101, 'assistant')]]))
    const more = {
      extraBody: { model: 'x' },
      extraQuery: { wait: true },
      extraHeaders: { 'x-a': 'b' },
    }
    expect((await add({ ...quick, ...more })).map(({ id }) => id)).toEqual(['m101'])
    const [posted, ...others] = faults.requests
    expect(posted?.target).toContain('?wait=true')
    expect(JSON.parse(posted?.body ?? '')).toEqual({ text: 'do it', model: 'x' })
    expect(others.filter(({ target }) => target.includes('wait'))).toEqual([])
    expect(faults.requests.map(({ headers }) => headers['x-a'])).not.toContain(undefined)
  })

  it('says that the message was added if reading the messages fails', async () => {
    const posted = { body: json({ messageId: 'm100', status: 'pending' }) }
    faults.play(({ method }) => (method === 'POST' ? posted : { status: 403 }))
    const error = await errorOf(add())
    expect(error).toMatchObject({ kind: 'http', status: 403 })
    expect(error.hint).toContain('m100 was added')
  })

  it.each([{}, { messageId: null, status: 'idle' }])(
    'rejects the response %j, which names no message, and says that one was added',
    async (response) => {
      const page = { messages: old, pagination: { hasMore: false } }
      faults.play(({ method }) => ({ body: json(method === 'POST' ? response : page) }))
      const error = await errorOf(add())
      expect(error).toMatchObject({
        kind: 'decode',
        message: 'sessions.messages.addAndWait: the response has no messageId',
        hint: 'the message was added: list the messages instead of adding it again',
      })
      expect(faults.requests).toHaveLength(1)
    },
  )

  it.each([
    ['no pagination', json({ messages: [...old, make(101, 'assistant')] })],
    ['null for pagination', json({ messages: [...old, make(101, 'assistant')], pagination: null })],
    [
      'items that are no messages',
      json({ messages: [null, ...old, 5, make(101, 'assistant'), 'text'], pagination: {} }),
    ],
    [
      'a message that is nested too deeply',
      json({ messages: [...old, make(101, 'assistant', { input: 'deep' })] }).replace(
        '"deep"',
        '['.repeat(20_000) + ']'.repeat(20_000),
      ),
    ],
  ])('accepts a page with %s', async (_, page) => {
    const posted = json({ messageId: old.at(-1)?.id, status: 'idle' })
    faults.play(({ method }) => ({ body: method === 'POST' ? posted : page }))
    expect((await add()).map(({ id }) => id)).toEqual(['m101'])
  })

  it('reads the whole list again when the service rejects the cursor', async () => {
    const grow = session('oldest first', 'running', [[], [], [], [], [make(101, 'assistant')]])
    let known = 0
    faults.play((request, index) => {
      const isKnown = request.target.includes('cursor=20')
      if (isKnown) known += 1
      // The second poll starts at this cursor.
      if (isKnown && known === 2) return { status: 400 }
      return typeof grow === 'function' ? grow(request, index) : {}
    })
    expect((await add()).map(({ id }) => id)).toEqual(['m101'])
    expect(known).toBeGreaterThan(2)
  })

  it.each([{ deadlineMs: 0 }, { pollMs: -1 }, { quietMs: Number.NaN }])(
    'rejects %o before any request',
    async (options) => {
      faults.play([{}])
      expect(await errorOf(add(options))).toMatchObject({ kind: 'validation' })
      expect(faults.requests).toEqual([])
    },
  )

  it('rejects an empty session ID before any request', async () => {
    faults.play([{}])
    const client = faults.makeClient()
    const wrong = { sessionId: '', text: 'x' }
    expect(await errorOf(client.sessions.messages.addAndWait(wrong))).toMatchObject({
      kind: 'validation',
    })
    expect(faults.requests).toEqual([])
  })

  it.each([
    [{ sessionId: 's' }, 'text'],
    [{ sessionId: 's', text: 5 }, 'text'],
    [{ sessionId: 's', text: 'x', images: [{ type: 'base64' }] }, 'images[0].data'],
    [{ text: 'x' }, 'sessionId'],
    [null, 'input'],
  ])('rejects %j before any request', async (input, field) => {
    faults.play([{}])
    const { addAndWait } = faults.makeClient().sessions.messages
    const error = await errorOf(addAndWait(input as never))
    expect(error).toMatchObject({
      kind: 'validation',
      message: expect.stringContaining('sessions.messages.add'),
      issues: expect.arrayContaining([expect.objectContaining({ field })]),
    })
    expect(faults.requests).toEqual([])
  })

  it('continues when onProgress throws', async () => {
    faults.play(session('oldest first', 'running'))
    let calls = 0
    const onProgress = () => {
      calls += 1
      throw new Error('broken callback')
    }
    const answers = await add({ ...quick, onProgress })
    expect(answers.map(({ id }) => id)).toEqual(['m101', 'm103', 'm104'])
    expect(calls).toBeGreaterThan(1)
  })

  it('accepts null as options', async () => {
    faults.play(session('oldest first', 'idle', [[make(101, 'assistant')]]))
    const { addAndWait } = faults.makeClient().sessions.messages
    const answers = await addAndWait({ sessionId: 's', text: 'do it' }, null as never)
    expect(answers.map(({ id }) => id)).toEqual(['m101'])
  })

  it('waits for the answer to its own message in a busy session', async () => {
    await withEmulator(
      { seed: { agent: { stepMs: 1_000, tools: [] } } },
      async (client, sessionId) => {
        const { messages } = client.sessions
        await messages.add({ sessionId, text: 'FIRST' })
        const answers = await messages.addAndWait(
          { sessionId, text: 'SECOND' },
          { pollMs: 50, quietMs: 0 },
        )
        expect(textsOf(answers)).toEqual(['Done: SECOND'])
      },
    )
  })

  it('resolves with the matching answers for two callers', async () => {
    await withEmulator({ seed: { agent: { stepMs: 200 } } }, async (client, sessionId) => {
      const ask = (text: string) =>
        client.sessions.messages.addAndWait({ sessionId, text }, { pollMs: 20, quietMs: 100 })
      const both = await Promise.all([ask('A'), ask('B')])
      expect(both.map(textsOf)).toEqual([['Done: A'], ['Done: B']])
    })
  })

  async function withEmulator(
    options: EmulatorOptions,
    work: (client: ReturnType<typeof createClient>, sessionId: string) => Promise<void>,
  ) {
    const emulator = await startEmulator(options)
    const { apiKey, url, appUrl, sessionId } = emulator
    const client = createClient({ apiKey, baseUrl: url, appUrl, transport, env: {} })
    try {
      await work(client, sessionId)
    } finally {
      await client.close()
      await emulator.close()
    }
  }
})

const textsOf = (messages: Message[]) =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => ('text' in block && block.text ? [block.text] : [])),
  )

describe('readTurn: messages of a turn', () => {
  const user = (id: number, parent: number, more: object = {}) =>
    make(id, 'user', { parentId: `m${parent}`, ...more })
  const says = (id: number, parent: number, more: object = {}) =>
    make(id, 'assistant', { parentId: `m${parent}`, ...more })
  const hook = { visibility: 'user_only', hookEventName: 'Stop', hookStatus: 'completed' }
  const hour = { createdAt: 3_600_000 }
  const own = user(100, 99)

  it.each<[string, object[], object[], string[], boolean]>([
    ['an answer from before the message', [user(98, 97)], [says(99, 98), own], [], true],
    [
      'an earlier message that is still unanswered',
      [user(99, 98)],
      [own, says(101, 100)],
      ['m101'],
      true,
    ],
    [
      'its own answer after that of an earlier message',
      [user(99, 98)],
      [own, says(101, 100), says(102, 101)],
      ['m102'],
      false,
    ],
    [
      'its own answer after tools, if it answers a question',
      [user(98, 97), says(99, 98, call)],
      [
        own,
        make(101, 'tool', { ...result, parentId: 'm99' }),
        says(102, 100, call),
        make(103, 'tool', { ...result, parentId: 'm102' }),
        says(104, 103),
      ],
      ['m102', 'm104'],
      false,
    ],
    [
      'a later message that is unanswered',
      [],
      [own, user(101, 100), says(102, 101), says(103, 102)],
      ['m102'],
      false,
    ],
    [
      'answers that name their parent',
      [user(99, 98)],
      [own, says(101, 99), says(102, 100)],
      ['m102'],
      false,
    ],
    [
      'a hook message with the role user',
      [user(99, 98, hook)],
      [own, says(101, 100)],
      ['m101'],
      false,
    ],
    [
      'an earlier message without an answer for an hour',
      [user(99, 98)],
      [{ ...own, ...hour }, says(101, 100, { createdAt: 3_600_001 })],
      ['m101'],
      false,
    ],
    [
      'an earlier message with a tool call still running',
      [user(98, 97), says(99, 98, call)],
      [{ ...own, ...hour }, says(101, 100, { createdAt: 3_600_001 })],
      ['m101'],
      true,
    ],
    ['an own message that is not listed yet', [user(99, 98)], [says(101, 99)], ['m101'], true],
  ])('finds its answers with %s', (_, earlier, found, answers, isDoubtful) => {
    const turn = readTurn(found as Message[], 'm100', earlier as Message[])
    expect(turn.answers.map(({ id }) => id)).toEqual(answers)
    expect(turn.isDoubtful).toBe(isDoubtful)
  })
})

describe('readTurn: end of a turn', () => {
  const turn = (...messages: object[]) => readTurn(messages as Message[], 'm100').isAnswered
  it.each([
    ['no message', [], false],
    ['only the own message', [make(100, 'user')], false],
    ['an answer', [make(101, 'assistant')], true],
    [
      'an answer listed before an earlier message',
      [make(103, 'assistant'), make(102, 'tool')],
      true,
    ],
    ['an empty answer', [make(101, 'assistant', { content: [] })], false],
    ['an answer that is an error', [make(101, 'assistant', { content: [], isError: true })], true],
    ['a tool call', [make(101, 'assistant', call)], false],
    [
      'a tool call with its result',
      [make(101, 'assistant', call), make(102, 'tool', result)],
      false,
    ],
    [
      'an answer after tools',
      [make(101, 'assistant', call), make(102, 'tool', result), make(103, 'assistant')],
      true,
    ],
    [
      'an answer beside an open tool call',
      [make(101, 'assistant', call), make(102, 'assistant')],
      false,
    ],
    ['a commentary', [make(101, 'assistant', { providerPhase: 'commentary' })], false],
    [
      'a running hook',
      [make(101, 'assistant'), make(102, 'system', { hookStatus: 'executing' })],
      false,
    ],
    [
      'a finished hook',
      [make(101, 'assistant'), make(102, 'system', { hookStatus: 'completed' })],
      true,
    ],
    ['broken content', [make(101, 'assistant', { content: 5 })], false],
  ])('decides whether the turn is answered with %s', (_, messages, expected) => {
    expect(turn(...messages)).toBe(expected)
  })
})
