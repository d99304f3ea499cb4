import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ntfy } from '../../src/notifiers/ntfy.ts'
import { refusedPort } from '../support/port.ts'
import { type Step, startReceiver } from '../support/receiver.ts'
import { runs } from '../support/runs.ts'
import {
  allTextOf,
  answerOf,
  failureOf,
  makeContext,
  makeMessage,
  testHttpNotifier,
} from './_suite.ts'

const CANARY = 'tk_canary5ecretToken'
const ACCEPTED = JSON.stringify({ id: 'hwQ2YpKdmg', time: 1, event: 'message', topic: 'builds' })

const start = async (options: object = {}, script: Step[] = [{ body: ACCEPTED }]) => {
  const receiver = await startReceiver({ script })
  const channel = ntfy.options.parse({ server: receiver.url, topic: 'my-agents', ...options })
  const send = (fields = {}) => ntfy.send(makeMessage(fields), channel, makeContext())
  const post = async (fields = {}) => {
    await send(fields)
    return JSON.parse(receiver.received.at(-1)?.body ?? '')
  }
  return { receiver, send, post }
}

/** An error response in the format of an ntfy server. */
const refusal = (status: number, code: number, error: string): Step => ({
  status,
  body: JSON.stringify({ code, http: status, error, link: 'https://ntfy.sh/docs' }),
})

describe('notifiers: ntfy', () => {
  testHttpNotifier({
    notifier: ntfy,
    options: (url) => ({ server: url, topic: 'my-agents', token: CANARY }),
    secret: CANARY,
    accepting: { body: ACCEPTED, answer: 'accepted as hwQ2YpKdmg' },
  })

  it('posts JSON to the root of the server', async () => {
    const { receiver, post } = await start({ token: CANARY, click: 'https://example.com/x' })
    expect(await post()).toMatchInlineSnapshot(`
      {
        "click": "https://example.com/x",
        "message": "The agent wants to run the tests

      claude · b7c1 · 2026-11-20 09:30",
        "priority": 3,
        "sequence_id": "10eac14177f83fdaa4ef09097e28e96e",
        "tags": [
          "bell",
        ],
        "title": "Permission needed in shop",
        "topic": "my-agents",
      }
    `)
    const [{ method, path, headers }] = receiver.received as [(typeof receiver.received)[0]]
    expect([method, path, headers.authorization]).toEqual(['POST', '/', `Bearer ${CANARY}`])
  })

  it('reads the whole answer, in which ntfy repeats the message', async () => {
    // ntfy is written in Go, which escapes such characters in JSON.
    const echo: Step = ({ body }) => ({
      body: JSON.stringify({ id: 'x1', event: 'message', ...JSON.parse(body) }).replaceAll(
        '<',
        '\\u003c',
      ),
    })
    const { send } = await start({}, [echo])
    expect(answerOf(await send({ body: '<'.repeat(4000) }))).toBe('accepted as x1')
  })

  /** A server from version 2.16 on, which returns the sequence id of the message. */
  const withSequence: Step = ({ body }) => {
    const { sequence_id } = JSON.parse(body || '{}')
    return { body: JSON.stringify({ id: 'x1', event: 'message', sequence_id }) }
  }

  it('deletes a message on the devices if the server supports that', async () => {
    const script: Step[] = [withSequence, { body: '{"event":"message_delete"}' }]
    const receiver = await startReceiver({ script })
    const options = { server: receiver.url, topic: 'my-agents', token: CANARY }
    const channel = ntfy.options.parse(options)
    const sent = await ntfy.send(makeMessage(), channel, makeContext())
    const { handle = '' } = typeof sent === 'string' ? expect.fail(sent) : sent
    expect(await ntfy.withdraw?.(handle, channel, makeContext())).toBe('deleted on the devices')
    const [, { method, path, headers } = expect.fail('no request')] = receiver.received
    expect([method, path]).toEqual(['DELETE', `/my-agents/${handle}`])
    expect(headers.authorization).toBe(`Bearer ${CANARY}`)
  })

  it('returns no handle for a server without sequence ids', async () => {
    const { send } = await start()
    expect(await send()).toBe('accepted as hwQ2YpKdmg')
  })

  it('can delete a message whose answer was lost', async () => {
    for (const step of ['reset', 'blackhole'] as const) {
      const { url, received } = await startReceiver({ script: [step] })
      const channel = ntfy.options.parse({ server: url, topic: 'my-agents' })
      const controller = new AbortController()
      const context = makeContext({ signal: controller.signal })
      const sending = failureOf(ntfy.send(makeMessage(), channel, context))
      await expect.poll(() => received[0]?.body).toBeTruthy()
      if (step === 'blackhole') controller.abort()
      expect((await sending).handle).toBe(JSON.parse(received[0]?.body ?? '').sequence_id)
    }
    const channel = ntfy.options.parse({
      server: `http://127.0.0.1:${await refusedPort()}`,
      topic: 'x',
    })
    const { handle } = await failureOf(ntfy.send(makeMessage(), channel, makeContext()))
    expect(handle).toBeUndefined()
  })

  it('keeps its secrets out of errors about deleting', async () => {
    const { url } = await startReceiver({ script: [({ path }) => ({ status: 500, body: path })] })
    const channel = ntfy.options.parse({ server: url, topic: 'my-agents', token: CANARY })
    const deleting = ntfy.withdraw?.('abc', channel, makeContext()) ?? expect.fail('cannot')
    const error = await failureOf(deleting)
    expect(allTextOf(error)).not.toContain('my-agents')
    expect(error.verdict).toBe('retry')
  })

  it('can replace an earlier message only with the option `replace`', async () => {
    const channel = (replace: boolean) => ntfy.options.parse({ topic: 'my-agents', replace })
    expect([true, false].map((one) => ntfy.canReplace?.(channel(one)))).toEqual([true, false])
    const { receiver, send } = await start()
    await send()
    const options = ntfy.options.parse({ server: receiver.url, topic: 'my-agents', replace: true })
    await ntfy.send(makeMessage(), options, makeContext({ replaces: 'earlier' }))
    expect(JSON.parse(receiver.received[1]?.body ?? '')).toMatchObject({ sequence_id: 'earlier' })
  })

  it('sends no authorization header without a token', async () => {
    const { receiver, post } = await start()
    await post()
    expect(receiver.received[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each([
    ['low', 2],
    ['normal', 3],
    ['critical', 5],
  ])('gives urgency %s the priority %i', async (urgency, priority) => {
    const { post } = await start()
    expect(await post({ urgency })).toMatchObject({ priority })
  })

  it('adds the tags of the channel to the tag of the kind', async () => {
    const { post } = await start({ tags: ['laptop'] })
    expect((await post({ kind: 'done' })).tags).toEqual(['white_check_mark', 'laptop'])
    expect((await post({ kind: 'other' })).tags).toEqual(['laptop'])
  })

  it('uses the same sequence id when an event is sent again', async () => {
    const { post } = await start()
    const [first, again, next] = [
      await post({ id: 'a' }),
      await post({ id: 'a' }),
      await post({ id: 'b' }),
    ]
    expect(again.sequence_id).toBe(first.sequence_id)
    expect(next.sequence_id).not.toBe(first.sequence_id)
  })

  it('uses one sequence id per session with `replace`', async () => {
    const { post } = await start({ replace: true })
    const ids = await Promise.all(
      [
        { id: 'a' },
        { id: 'b' },
        { id: 'c', sessionId: 'x' },
        { id: 'd', client: 'droid' },
        { id: 'e', sessionId: '' },
        { id: 'f', sessionId: '' },
      ].map(async (fields) => {
        const { post } = await start({ replace: true })
        return (await post(fields)).sequence_id
      }),
    )
    expect(ids[1]).toBe(ids[0])
    expect(new Set(ids).size).toBe(5)
    expect((await post({ sessionId: 'é/..%00'.repeat(50) })).sequence_id).toMatch(/^[\w-]{1,64}$/)
  })

  it('uses another sequence id for a message that must replace no other, even with `replace`', async () => {
    const { receiver, send } = await start({ replace: true })
    await send()
    const options = ntfy.options.parse({ server: receiver.url, topic: 'my-agents', replace: true })
    await ntfy.send(makeMessage(), options, makeContext({ isBeside: true }))
    const [one, beside] = receiver.received.map(({ body }) => JSON.parse(body).sequence_id)
    expect(beside).not.toBe(one)
  })

  it('shows the origin of a message without text', async () => {
    const { post } = await start()
    expect((await post({ body: '' })).message).toBe('claude · b7c1 · 2026-11-20 09:30')
    const empty = { title: '', body: '', cwd: '', client: '', event: '', at: '', sessionId: '' }
    expect(await post(empty)).toMatchObject({ title: 'hookbell', message: 'hookbell' })
  })

  it('obeys the size limits of ntfy', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', '"', '\\', '\n', 'é', '漢', '😀', '👨‍👩‍👧‍👦', '\u2028'), {
          minLength: 1000,
          maxLength: 6000,
          size: 'max',
        }),
        async (parts) => {
          const { receiver, post } = await start()
          const { message, title } = await post({ title: parts.join(''), body: parts.join('') })
          expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096)
          expect(message.length).toBeGreaterThan(300)
          expect(message).toBe(message.toWellFormed())
          expect(title.length).toBeLessThanOrEqual(200)
          expect(Buffer.byteLength(receiver.received[0]?.body ?? '')).toBeLessThan(8192)
        },
      ),
      { numRuns: runs(20) },
    ))

  it.each([
    refusal(401, 40101, 'unauthorized'),
    refusal(403, 40301, 'forbidden'),
    refusal(413, 41303, 'payload too large'),
    refusal(400, 40009, 'invalid topic'),
  ])('gives up after the response %j', async (step) => {
    const { send } = await start({}, [step])
    expect(await failureOf(send())).toMatchObject({ verdict: 'give-up', retryAfterMs: undefined })
  })

  it.each([
    [42901, 5000],
    [42908, 3_600_000],
    [42909, 300_000],
    [42999, undefined],
  ])('waits a suitable time after the error code %i', async (code, retryAfterMs) => {
    const { send } = await start({}, [refusal(429, code, 'limit reached')])
    const error = await failureOf(send())
    expect(error).toMatchObject({ verdict: 'retry', retryAfterMs })
    expect(error.message).toBe(`ntfy: 429 ${code} limit reached`)
  })

  it('prefers the Retry-After of the server', async () => {
    const step = { ...(refusal(429, 42908, 'limit') as object), headers: { 'retry-after': '9' } }
    const { send } = await start({}, [step])
    expect(await failureOf(send())).toMatchObject({ retryAfterMs: 9000 })
  })

  it.each([
    '<html>Welcome to the hotel</html>',
    '{}',
    '{"id":""}',
    '{"id":"x","event":"open"}',
    '',
  ])('does not treat the response %j as a success', async (body) => {
    const { send } = await start({}, [{ body }])
    expect(await failureOf(send())).toMatchObject({
      verdict: 'retry',
      message: `ntfy: 200, but the answer is not from an ntfy server${body && `: ${body}`}`,
      hint: expect.stringContaining('an ntfy server'),
    })
  })

  it('keeps the topic out of errors, because it is the secret on an open server', async () => {
    const topic = 'hidden-4f9a2b7c'
    for (const step of [refusal(403, 40301, `no write to ${topic}`), { body: topic }, 'reset']) {
      const { send } = await start({ topic }, [step as Step])
      expect(allTextOf(await failureOf(send()))).not.toContain(topic)
    }
  })

  it.each([
    { topic: 'a b' },
    { topic: '' },
    { topic: 'x'.repeat(65) },
    { topic: 'ä' },
    { topic: 'a/b' },
    { topic: 'docs' },
    { topic: 'ok', server: 'https://ntfy.example.com/topic' },
    { topic: 'ok', server: 'http://ntfy.example.com' },
    { topic: 'ok', server: 'https://me:pw@ntfy.example.com' },
    { topic: 'ok', token: 'a\nb' },
    { topic: 'ok', tags: ['a,b'] },
    { topic: 'ok', click: 'example' },
  ])('rejects the options %j', (options) => {
    expect(ntfy.options.safeParse(options).success).toBe(false)
  })
})
