import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Step } from '../../support/fault-server.ts'
import { refusedPort } from '../../support/port.ts'
import { runs } from '../../support/runs.ts'
import { errorOf, json, transports, useFaultServer } from '../_support.ts'

const problem = { detail: 'no such computer', status: 404, title: 'Not Found' }
const rotate = { serviceAccountId: 's', keyId: 'k' }
const QUICK_MS = 150

describe.each(transports)('retries through %s', (transport) => {
  const faults = useFaultServer(transport)
  const { makeClient } = faults

  describe('a request', () => {
    const refused: Step[] = [
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 429 },
      { status: 503, headers: { 'retry-after': '0' } },
    ]
    const doubtful: Step[] = [
      { fault: 'reset' },
      { fault: 'close' },
      { fault: 'silent' },
      { status: 200, body: '{"limit": 1}', fault: 'cut' },
      { status: 201, body: '{"limit": 1}', fault: 'stall' },
      { status: 200, body: 'no json' },
      { status: 500 },
      { status: 502, body: '<html>' },
      { status: 503 },
      { status: 504, fault: 'stall' },
      { status: 408 },
    ]
    const step = fc.oneof(fc.constantFrom(...refused), fc.constantFrom(...doubtful))

    it('that is unsafe is processed at most once under random faults', async () => {
      let count = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 5 }),
          fc.nat(2),
          fc.boolean(),
          async (script, which, retryRejected) => {
            count += 1
            const name = `run-${count}-`
            const answers: (Step | undefined)[] = []
            faults.play(({ target, body }) => {
              // A late request of an earlier run that gave up.
              if (!`${target} ${body}`.includes(name)) return { fault: 'close' }
              const step = script[Math.min(answers.length, script.length - 1)]
              answers.push(step)
              return step ?? {}
            })
            const client = makeClient({ retries: 4, timeoutMs: QUICK_MS, retryRejected })
            const calls = [
              () => client.serviceAccounts.keys.rotate({ ...rotate, keyId: name }),
              () => client.sessions.messages.add({ sessionId: name, text: 'hi' }),
              () => client.sessions.create({ computerId: name }),
            ]
            await calls[which]?.().catch(() => undefined)
            const carriedOut = answers.filter((one) => one && !refused.includes(one))
            expect((retryRejected ? carriedOut : answers).length).toBeLessThanOrEqual(1)
          },
        ),
        { numRuns: runs(40) },
      )
    })

    it.each(['reset', 'close', 'silent', 'stall', 'cut'] as const)(
      'to rotate a key is sent once when the response is lost by the fault %s',
      async (fault) => {
        const isOwn = ({ target }: { target: string }) => target.includes(`/${timeoutMs}-ms/`)
        const requests = () => faults.requests.filter(isOwn)
        const rotateWithin = (timeoutMs: number) => {
          faults.play([{ fault, body: '{"apiKey": {}}' }])
          const { keys } = makeClient({ timeoutMs }).serviceAccounts
          return errorOf(keys.rotate({ ...rotate, keyId: `${timeoutMs}-ms` }))
        }
        let timeoutMs = QUICK_MS
        let error = await rotateWithin(timeoutMs)
        // On a busy machine, it may take longer until the request is sent.
        while (requests().length < Number(error.attempts) && timeoutMs < 600_000) {
          timeoutMs *= 2
          error = await rotateWithin(timeoutMs)
        }
        expect(requests()).toHaveLength(1)
        expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, method: 'POST' })
      },
    )

    it('that the server rejected has no unknown outcome', async () => {
      faults.play([{ status: 403, body: json(problem) }])
      const error = await errorOf(makeClient().serviceAccounts.keys.rotate(rotate))
      expect(error).toMatchObject({ kind: 'http', status: 403 })
      expect(error).not.toHaveProperty('outcome')
    })

    it('that was answered with 303 has an unknown outcome, since it may have been processed', async () => {
      faults.play([{ status: 303 }])
      const error = await errorOf(makeClient().serviceAccounts.keys.rotate(rotate))
      expect(error).toMatchObject({ kind: 'http', status: 303, outcome: 'unknown' })
    })

    it('that is unsafe is retried when the connection was refused', async () => {
      const client = makeClient({ baseUrl: `http://127.0.0.1:${await refusedPort()}` })
      const error = await errorOf(client.sessions.create({ computerId: 'c' }))
      expect(error).toMatchObject({ kind: 'network', phase: 'connect', attempts: 3 })
      expect(error).toMatchObject({ code: 'ECONNREFUSED' })
      expect(error).not.toHaveProperty('outcome')
    })

    it.each(refused)('that is unsafe is not retried after %o', async (answer) => {
      faults.play([answer])
      const calls = [
        (client = makeClient()) => client.serviceAccounts.keys.rotate(rotate),
        (client = makeClient()) => client.sessions.messages.add({ sessionId: 's', text: 'hi' }),
        (client = makeClient()) => client.request({ method: 'POST', path: '/' }),
      ]
      for (const [index, call] of calls.entries()) {
        const error = await errorOf(call())
        expect(error).toMatchObject({ kind: 'http', attempts: 1 })
        expect(error.hint).toMatch(/not repeated.*retryRejected/)
        expect(error).not.toHaveProperty('outcome')
        expect(faults.requests).toHaveLength(index + 1)
      }
    })

    it('that is unsafe is retried, if allowed, when the server rejected it temporarily', async () => {
      const session = {
        sessionId: 's',
        status: 'idle',
        messageCount: 0,
        createdAt: 1,
        updatedAt: 1,
      }
      faults.play([...refused, { status: 201, body: json(session) }])
      const client = makeClient({ retries: 3 })
      const input = { computerId: 'c' }
      expect(await client.sessions.create(input, { retryRejected: true })).toEqual(session)
      expect(faults.requests).toHaveLength(4)
    })

    it('that is safe is retried until it succeeds', async () => {
      faults.play([{ fault: 'reset' }, { status: 502 }, { body: '{"limit": 7}' }])
      expect(await makeClient().organization.limits.getGlobal()).toEqual({ limit: 7 })
      expect(faults.requests).toHaveLength(3)
    })

    it('to delete counts as done when its response was lost and the retry returns 404', async () => {
      faults.play([{ fault: 'reset' }, { status: 404, body: json(problem) }])
      expect(await makeClient().computers.delete({ computerId: 'c' })).toEqual({ replayed: true })
    })

    it.each([
      ['a 502', [{ status: 502 }]],
      ['a 408', [{ status: 408 }]],
      ['a lost response and a 503', [{ fault: 'reset' }, { status: 503 }]],
    ] as [string, Step[]][])(
      'to delete does not count as done when %s preceded the 404',
      async (_, before) => {
        faults.play([...before, { status: 404, body: json(problem) }])
        const error = await errorOf(
          makeClient().organization.users.remove({ email: 'nobody@example.com' }),
        )
        expect(error).toMatchObject({ kind: 'http', status: 404, attempts: before.length + 1 })
      },
    )

    it('to delete does not count as done when it was not processed before the 404', async () => {
      faults.play([{ status: 429, headers: { 'retry-after': '0' } }, { status: 404 }])
      const error = await errorOf(makeClient().computers.delete({ computerId: 'c' }))
      expect(error).toMatchObject({ kind: 'http', status: 404, attempts: 2 })
    })

    it('is retried only within the retry budget of the client', async () => {
      faults.play([{ fault: 'close' }])
      const client = makeClient()
      const calls = Array.from({ length: 500 }, () =>
        errorOf(client.organization.limits.getGlobal()),
      )
      const errors = await Promise.all(calls)
      expect(faults.requests.length).toBeGreaterThan(500)
      expect(faults.requests.length).toBeLessThanOrEqual(560)
      expect(errors.some(({ hint }) => hint?.includes('many requests fail'))).toBe(true)
    })
  })

  it('fetch the key again before every attempt', async () => {
    let asked = 0
    const client = makeClient({
      apiKey: async () => {
        asked += 1
        return `key-number-${asked}`
      },
    })
    faults.play([{ status: 503 }, { body: '{"limit": 1}' }])
    await client.organization.limits.getGlobal()
    expect(faults.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-number-1',
      'Bearer key-number-2',
    ])
  })
})
