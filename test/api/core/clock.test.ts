import { getEventListeners, once } from 'node:events'
import { createServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ClientError, createClient } from '../../../src/api/index.ts'
import type { Step } from '../../support/fault-server.ts'
import { apiKey, errorOf, json, stuck, transports, useFaultServer } from '../_support.ts'

const problem = { detail: 'no such computer', status: 404, title: 'Not Found' }

describe.each(transports)('time limits through %s', (transport) => {
  const faults = useFaultServer(transport)
  const { makeClient } = faults

  describe('one deadline for the whole call', () => {
    const mute = createServer()
    beforeAll(async () => {
      mute.listen(0, '127.0.0.1')
      await once(mute, 'listening')
    })
    afterAll(() => void mute.close())

    it.each(stuck)('a call with the fault %s times out in phase %s', async (fault, phase) => {
      const client = makeClient({ retries: 0 })
      const limit = fc.constantFrom('timeoutMs' as const, 'deadlineMs' as const)
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 250, max: 400 }), limit, async (least, name) => {
          const callWithin = async (ms: number) => {
            faults.play([{ fault, body: '{"limit": 1}' }])
            return await errorOf(client.organization.limits.getGlobal({}, { [name]: ms }))
          }
          let ms = least
          let error = await callWithin(ms)
          // On a busy machine, the call may need longer until the fault occurs.
          while (Reflect.get(error, 'phase') !== phase && ms < 600_000) {
            ms *= 2
            error = await callWithin(ms)
          }
          expect(error).toMatchObject({ kind: 'timeout', phase, limit: name })
        }),
        { numRuns: 3 },
      )
    })

    // `fetch` does not report the connection.
    const phaseOfHandshake = transport === 'fetch' ? 'headers' : 'connect'
    it(`a TLS handshake without a response times out in phase ${phaseOfHandshake}`, async () => {
      const address = mute.address()
      const port = typeof address === 'object' ? address?.port : 0
      const client = makeClient({ baseUrl: `https://127.0.0.1:${port}`, retries: 0 })
      const error = await errorOf(client.organization.limits.getGlobal({}, { timeoutMs: 60 }))
      expect(error).toMatchObject({ kind: 'timeout', phase: phaseOfHandshake, attempts: 1 })
      await client.close()
    })

    it('a pending key function times out in phase credentials', async () => {
      const client = makeClient({ apiKey: () => new Promise<string>(() => {}) })
      const error = await errorOf(client.organization.limits.getGlobal({}, { deadlineMs: 40 }))
      expect(error).toMatchObject({ kind: 'timeout', phase: 'credentials', limit: 'deadlineMs' })
    })

    it('covers all attempts together', async () => {
      faults.play([{ fault: 'silent' }])
      const options = { timeoutMs: 60, deadlineMs: 150, retries: 20 }
      const error = await errorOf(makeClient().organization.limits.getGlobal({}, options))
      expect(error).toMatchObject({ kind: 'timeout' })
      expect(faults.requests.length).toBeLessThanOrEqual(3)
    })

    it('leaves a retry only the time that is left', async () => {
      // Each response alone is within the deadline, both together are not.
      const waitMs = 600
      faults.play([
        { status: 503, waitMs },
        { waitMs, body: '{"limit": 1}' },
      ])
      const error = await errorOf(
        makeClient().organization.limits.getGlobal({}, { deadlineMs: 1_000 }),
      )
      expect(error).toMatchObject({ kind: 'timeout', limit: 'deadlineMs' })
    })

    it('rejects at once when Retry-After exceeds the deadline', async () => {
      faults.play([{ status: 429, headers: { 'retry-after': '3600' }, body: json(problem) }])
      const before = Date.now()
      const error = await errorOf(makeClient().organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'http', status: 429, attempts: 1 })
      const { retryAt } = error as ClientError & { retryAt: Date }
      expect(retryAt.getTime()).toBeGreaterThanOrEqual(before + 3_600_000)
      expect(retryAt.getTime()).toBeLessThan(before + 3_700_000)
    })
  })

  describe('an abort', () => {
    const scripts: Step[][] = [
      ...stuck.map(([fault]) => [{ fault, body: '{"limit": 1}' }]),
      // Longer than a test may take.
      [{ status: 503, headers: { 'retry-after': '3000' } }],
      [{ fault: 'reset' }],
    ]

    it.each(scripts)('ends the call at once and sends nothing afterwards with %o', async (step) => {
      const client = makeClient({ retries: 1_000, deadlineMs: 3_600_000 })
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 60 }), async (ms) => {
          faults.play([step])
          const controller = new AbortController()
          const reason = new Error('enough')
          const { signal } = controller
          let error: ClientError | undefined
          void errorOf(client.organization.limits.getGlobal({}, { signal })).then((thrown) => {
            error = thrown
          })
          await sleep(ms)
          controller.abort(reason)
          // The rest of the call waits for no I/O, so it is over after one turn of the event loop.
          await nextTurn()
          if (step.fault === 'reset' && error?.kind === 'network') return
          expect(error).toMatchObject({ kind: 'aborted', cause: reason })
          expect(getEventListeners(signal, 'abort')).toEqual([])
          // Requests in flight may still arrive, but none is sent from now on.
          await faults.settle()
          const sent = faults.requests.length
          await Promise.all(faults.requests.map(({ closed }) => step.fault && closed))
          await sleep(20)
          expect(faults.requests.length).toBe(sent)
        }),
        { numRuns: 4 },
      )
    })

    it('before the call prevents the request', async () => {
      faults.play([{}])
      const signal = AbortSignal.abort('stop')
      const client = makeClient({ headers: { 'x-test': 'aborted' } })
      const error = await errorOf(client.organization.limits.getGlobal({}, { signal }))
      expect(error).toMatchObject({ kind: 'aborted', cause: 'stop' })
      await sleep(30)
      expect(faults.requests.filter(({ headers }) => headers['x-test'])).toEqual([])
    })

    it('while the key is fetched prevents the request', async () => {
      faults.play([{}])
      const controller = new AbortController()
      let give: (key: string) => void = () => {}
      const key = new Promise<string>((resolve) => {
        give = resolve
      })
      const client = makeClient({ apiKey: () => key, headers: { 'x-test': 'late key' } })
      const call = client.organization.limits.getGlobal({}, { signal: controller.signal })
      setTimeout(() => controller.abort(), 5)
      expect(await errorOf(call)).toMatchObject({ kind: 'aborted' })
      give(apiKey)
      await sleep(30)
      // Requests of earlier tests may still arrive.
      const own = faults.requests.filter(({ headers }) => headers['x-test'] === 'late key')
      expect(own).toEqual([])
    })

    it('signal keeps no listeners after many calls', async () => {
      const warned = vi.fn()
      process.on('warning', warned)
      faults.play([{ body: '{"limit": 1}' }])
      const client = makeClient()
      const { signal } = new AbortController()
      for (let i = 0; i < 10; i += 1) {
        const calls = Array.from({ length: 20 }, () =>
          client.organization.limits.getGlobal({}, { signal }),
        )
        await Promise.all(calls)
      }
      expect(getEventListeners(signal, 'abort')).toEqual([])
      await new Promise((resolve) => setImmediate(resolve))
      process.off('warning', warned)
      expect(
        warned.mock.calls.filter(([{ name }]) => name === 'MaxListenersExceededWarning'),
      ).toEqual([])
    })
  })
})

it('a pause longer than the maximum of a timer does not end at once', async () => {
  const headers = { 'retry-after': String(2 ** 31) }
  const send = vi.fn(async () => ({ status: 429, headers, text: '{}', end: 'complete' as const }))
  const client = createClient({ apiKey, transport: { send }, env: {} })
  const signal = AbortSignal.timeout(50)
  const options = { deadlineMs: Number.POSITIVE_INFINITY, signal }
  const error = await errorOf(client.organization.limits.getGlobal({}, options))
  expect(error).toMatchObject({ kind: 'aborted', attempts: 1 })
  expect(send).toHaveBeenCalledOnce()
})

it('a transport is not called after the deadline', async () => {
  let give: (key: string) => void = () => {}
  const key = new Promise<string>((resolve) => {
    give = resolve
  })
  const send = vi.fn(async () => ({
    status: 200,
    headers: {},
    text: '{}',
    end: 'complete' as const,
  }))
  const client = createClient({ apiKey: () => key, transport: { send }, env: {} })
  const error = await errorOf(client.organization.limits.getGlobal({}, { deadlineMs: 20 }))
  expect(error).toMatchObject({ kind: 'timeout', phase: 'credentials' })
  give(apiKey)
  await sleep(10)
  expect(send).not.toHaveBeenCalled()
})

it('a custom transport can use the signal', async () => {
  const send = ({ signal }: { signal: AbortSignal }) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const client = createClient({ apiKey, transport: { send }, env: {} })
  const error = await errorOf(
    client.organization.limits.setGlobal({ limit: null }, { timeoutMs: 20 }),
  )
  // The transport did not report a phase, so the request counts as sent.
  expect(error).toMatchObject({
    kind: 'timeout',
    phase: 'headers',
    outcome: 'unknown',
    attempts: 3,
  })
})

it('10 000 calls on one signal leave no listener', async () => {
  const text = '{"limit": 1}'
  const transport = {
    send: async () => ({ status: 200, headers: {}, text, end: 'complete' as const }),
  }
  const client = createClient({ apiKey, transport, env: {} })
  const { signal } = new AbortController()
  for (let i = 0; i < 10_000; i += 1) await client.organization.limits.getGlobal({}, { signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
