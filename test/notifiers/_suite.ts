import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import type * as z from 'zod'
import {
  DeliveryError,
  type Message,
  type Notifier,
  type SendContext,
  type Sent,
} from '../../src/notifiers/define.ts'
import { refusedPort } from '../support/port.ts'
import { type Step, startReceiver } from '../support/receiver.ts'

/** Two seconds after the events of this suite. */
export const SENT_AT = Date.UTC(2026, 10, 20, 9, 30, 2)

export function makeMessage(fields: Partial<Message> = {}): Message {
  return {
    id: '01J9ZK3QHV',
    event: 'Notification',
    kind: 'permission',
    urgency: 'normal',
    title: 'Permission needed in shop',
    body: 'The agent wants to run the tests',
    markup: '',
    sessionId: 'b7c1',
    cwd: '/home/me/shop',
    client: 'claude',
    at: '2026-11-20T09:30:00.000Z',
    ...fields,
  }
}

export function makeContext(fields: Partial<SendContext> = {}): SendContext {
  const { signal } = new AbortController()
  return { signal, now: SENT_AT, attempt: 1, sessionEnv: {}, ...fields }
}

/** The error of a failed send. Fails if the send succeeds, or fails with anything but a DeliveryError. */
export async function failureOf(sending: Promise<Sent>): Promise<DeliveryError> {
  const error = await sending.then(
    (sent) => new Error(`accepted: ${answerOf(sent)}`),
    (thrown: unknown) => thrown,
  )
  if (error instanceof DeliveryError) return error
  throw error
}

/** The answer of the receiver, with or without a handle. */
export function answerOf(sent: Sent): string {
  return typeof sent === 'string' ? sent : sent.answer
}

/** All texts that a log could print for an error. */
export function allTextOf(error: unknown): string {
  const stack = error instanceof Error ? `${error.message}\n${error.stack}` : ''
  return `${stack}\n${inspect(error, { depth: 10, showHidden: true })}\n${JSON.stringify(error)}`
}

interface Subject {
  notifier: Notifier
  /** Makes options for a receiver that accepts messages, and returns the text that arrived. */
  accept(): Promise<{
    options: object
    context?: Partial<SendContext>
    /** The time of all messages, for a receiver that must be older than its messages. */
    at?: string
    arrived(): Promise<string>
  }>
}

/** Tests that apply to every notifier. */
export function testNotifier({ notifier, accept }: Subject): void {
  const start = async () => {
    const { options, context, at, arrived } = await accept()
    const parsed = notifier.options.parse(options)
    const send = (message: Message, fields?: Partial<SendContext>) =>
      notifier.send(
        { ...message, ...(at && { at }) },
        parsed,
        makeContext({ ...context, ...fields }),
      )
    return { options, send, arrived }
  }

  describe('as every notifier', () => {
    it('carries title and body', async () => {
      const { send, arrived } = await start()
      await send(makeMessage({ title: 'The title 😀', body: 'First line\nsecond line' }))
      const text = await arrived()
      expect(text).toContain('The title 😀')
      expect(text).toContain('First line')
      expect(text).toContain('second line')
    })

    it('returns one short line as its answer', async () => {
      const { send } = await start()
      expect(answerOf(await send(makeMessage()))).toMatch(/^[^\n]{1,301}$/)
    })

    it('accepts unusual text without an error', async () => {
      const { send } = await start()
      const odd = '\0\x1b]0;x\x07 \ud800 --help -x <b> & "$(id)" \\n \u202e'
      await send(makeMessage({ title: odd, body: odd + 'x'.repeat(1_000_000), cwd: odd, at: odd }))
      await send(makeMessage({ title: '', body: '', sessionId: '', cwd: '', client: '', at: '' }))
    })

    it('asks for a retry if its signal is already aborted', async () => {
      const { send } = await start()
      const error = await failureOf(send(makeMessage(), { signal: AbortSignal.abort() }))
      expect(error.verdict).toBe('retry')
    })

    it('rejects unknown options', async () => {
      const { options } = await start()
      const { error } = notifier.options.safeParse({ ...options, unheardOf: 1 })
      expect(error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys: ['unheardOf'] })
    })

    it('describes every option', () => {
      for (const [name, option] of Object.entries(notifier.options.shape)) {
        expect((option as z.ZodType).description, name).toBeTruthy()
      }
    })

    it('prints nothing', async () => {
      const { send } = await start()
      const stdout = vi.spyOn(process.stdout, 'write')
      const stderr = vi.spyOn(process.stderr, 'write')
      try {
        await send(makeMessage())
        await failureOf(send(makeMessage(), { signal: AbortSignal.abort() }))
        expect(stdout).not.toHaveBeenCalled()
        expect(stderr).not.toHaveBeenCalled()
      } finally {
        stdout.mockRestore()
        stderr.mockRestore()
      }
    })
  })
}

interface HttpSubject {
  notifier: Notifier
  /** Makes options from the receiver's URL. They contain `secret`. */
  options(url: string): object
  secret: string
  /** The response of an accepting receiver, and the answer derived from it. By default `ok`. */
  accepting?: { body: string; answer: string }
}

/** Tests that apply to every notifier that posts to a URL. */
export function testHttpNotifier(subject: HttpSubject): void {
  const { notifier, options, secret, accepting = { body: 'ok', answer: 'ok' } } = subject
  const ok = { status: 200, body: accepting.body }
  const start = async (...script: Step[]) => {
    const receiver = await startReceiver({ script })
    const parsed = notifier.options.parse(options(receiver.url))
    const send = (fields?: Partial<SendContext>) =>
      notifier.send(makeMessage(), parsed, makeContext(fields))
    return { receiver, send }
  }

  testNotifier({
    notifier,
    accept: async () => {
      const receiver = await startReceiver({ script: [ok] })
      const arrived = async () => decodeJsonText(receiver.received[0]?.body ?? '')
      return { options: options(receiver.url), arrived }
    },
  })

  describe('as every HTTP notifier', () => {
    it.each([429, 500, 502, 503])('asks for a retry after status %i', async (status) => {
      const { send } = await start(status)
      expect(await failureOf(send())).toMatchObject({ verdict: 'retry' })
    })

    it.each([400, 401, 403, 404, 410])('gives up after status %i', async (status) => {
      const { send, receiver } = await start(status)
      expect(await failureOf(send())).toMatchObject({ verdict: 'give-up' })
      expect(receiver.received).toHaveLength(1)
    })

    it('reads Retry-After in seconds', async () => {
      const { send } = await start({ status: 429, headers: { 'retry-after': '7' } })
      expect(await failureOf(send())).toMatchObject({ verdict: 'retry', retryAfterMs: 7000 })
    })

    it('reads Retry-After as a date', async () => {
      const date = new Date(Date.now() + 3600_000).toUTCString()
      const { send } = await start({ status: 503, headers: { 'retry-after': date } })
      const { retryAfterMs } = await failureOf(send())
      expect(retryAfterMs).toBeGreaterThan(0)
      expect(retryAfterMs).toBeLessThanOrEqual(3600_000)
    })

    it('ignores a Retry-After that is neither a number nor a date', async () => {
      const { send } = await start({ status: 429, headers: { 'retry-after': 'soon' } })
      expect((await failureOf(send())).retryAfterMs).toBeUndefined()
    })

    it('succeeds on the next attempt after a failure', async () => {
      const { send } = await start(500, ok)
      expect(await failureOf(send())).toMatchObject({ verdict: 'retry' })
      expect(answerOf(await send())).toBe(accepting.answer)
    })

    it('asks for a retry when the connection is refused', async () => {
      const parsed = notifier.options.parse(options(`http://127.0.0.1:${await refusedPort()}`))
      const error = await failureOf(notifier.send(makeMessage(), parsed, makeContext()))
      expect(error.verdict).toBe('retry')
      expect(error.message).toContain('ECONNREFUSED')
    })

    it('asks for a retry when the connection is reset', async () => {
      const { send } = await start('reset')
      expect(await failureOf(send())).toMatchObject({ verdict: 'retry' })
    })

    it.each(['blackhole', 'trickle'] as const)(
      'stops at its abort signal during a response of the type %s',
      async (step) => {
        const { send, receiver } = await start(step)
        const controller = new AbortController()
        const sending = failureOf(send({ signal: controller.signal }))
        await expect.poll(() => receiver.received).toHaveLength(1)
        controller.abort()
        expect(await sending).toMatchObject({ verdict: 'retry' })
      },
    )

    it('does not follow redirects', async () => {
      const other = await startReceiver()
      const { send } = await start({ status: 302, headers: { location: other.url } })
      const hint = expect.stringContaining('Redirects are not followed')
      expect(await failureOf(send())).toMatchObject({ verdict: 'retry', hint })
      expect(other.received).toHaveLength(0)
    })

    it('reads only the start of an endless response', async () => {
      const { send } = await start('endless')
      expect((await wordsOf(send())).length).toBeLessThan(500)
    })

    it.each([
      { status: 404, body: `not found: ${secret}` },
      { status: 500, headers: { 'retry-after': '1' }, body: encodeURIComponent(secret) },
      'reset' as const,
    ])('keeps its secret out of errors: %j', async (step) => {
      const { send } = await start(step)
      expect(allTextOf(await failureOf(send()))).not.toContain(secret)
    })

    it('keeps its secret out of the answer', async () => {
      const { send } = await start((request) => ({ body: `you sent ${JSON.stringify(request)}` }))
      expect(await wordsOf(send())).not.toContain(secret)
    })

    it('keeps its secret out of errors about wrong options', () => {
      const { error } = notifier.options.safeParse(options('ftp://example.com'))
      expect(allTextOf(error)).not.toContain(secret)
    })
  })
}

/** The final text of a send, whether it succeeds or fails. */
function wordsOf(sending: Promise<Sent>): Promise<string> {
  return sending.then(answerOf, (error: DeliveryError) => error.message)
}

/** All strings in a JSON document, unescaped. */
function decodeJsonText(json: string): string {
  const texts: string[] = []
  JSON.parse(json, (_key, value) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('\n')
}
