import { describe, expect, it } from 'vitest'
import { Lifetime } from '../../../src/api/core/clock.ts'
import type { Exchange } from '../../../src/api/transports/_exchange.ts'
import { type Connection, makeOriginQueue } from '../../../src/api/transports/_exchange.ts'
import type { Step } from '../../support/fault-server.ts'
import { errorOf, useFaultServer } from '../_support.ts'

const connections = 8
const ok: Step = { body: '{"limit": 1}' }

describe('the queue before the connections of undici', () => {
  const faults = useFaultServer('undici')

  function makeCall() {
    const client = faults.makeClient({ retries: 0 })
    return { client, call: client.organization.limits.getGlobal }
  }

  it.each(['aborted', 'timeout'])(
    'opens no connections for calls that end while they wait: %s',
    async (kind) => {
      faults.play([{ fault: 'silent' }])
      const { call } = makeCall()
      const controller = new AbortController()
      const { signal } = controller
      const connected = Array.from({ length: connections }, () => errorOf(call({}, { signal })))
      await expect.poll(() => faults.requests.length).toBe(connections)
      const limit = kind === 'aborted' ? { signal } : { deadlineMs: 300 }
      const waiting = Array.from({ length: 200 }, () => errorOf(call({}, limit)))
      if (kind === 'aborted') controller.abort()
      for (const error of await Promise.all(waiting)) expect(error.kind).toBe(kind)
      expect(faults.connections).toBe(connections)
      controller.abort()
      await Promise.all(connected)
    },
  )

  it('does not start a call that ended while it waited', async () => {
    const started: string[] = []
    const releases: (() => void)[] = []
    const enqueue = makeOriginQueue(1, () => ({}) as Connection)
    const add = (name: string) => {
      const request = new Lifetime()
      const start: Exchange['start'] = (_, release) => {
        started.push(name)
        releases.push(release)
      }
      enqueue({ request, start } as unknown as Exchange)
      return request
    }
    add('first')
    add('second').end(new Error('aborted'))
    add('third')
    releases[0]?.()
    await expect.poll(() => started).toEqual(['first', 'third'])
  })

  it('reports that a waiting call was not sent', async () => {
    faults.play([{ fault: 'silent' }])
    const { client, call } = makeCall()
    const sent = Array.from({ length: connections }, () => errorOf(call()))
    await expect.poll(() => faults.requests.length).toBe(connections)
    const waiting = Array.from({ length: 2 }, () => errorOf(call({}, { timeoutMs: 300 })))
    for (const error of await Promise.all(waiting))
      expect(error).toMatchObject({ phase: 'connect' })
    await client.close()
    await Promise.all(sent)
  })

  it.each([
    ['success', ok],
    ['an error status', { status: 404 }],
    ['a connection closed without a response', { fault: 'close' }],
    ['a connection reset', { fault: 'reset' }],
    ['a truncated body', { ...ok, fault: 'cut' }],
    ['a body that is too long', { fault: 'endless' }],
    ['no response', { fault: 'silent' }],
    ['headers without an end', { fault: 'header-drip' }],
    ['a body without an end', { fault: 'drip' }],
  ] as [string, Step][])('frees the connection after %s', async (_, step) => {
    const calls = 3 * connections
    faults.play((_, index) => (index < calls ? step : ok))
    const { call } = makeCall()
    const options = { timeoutMs: 500, maxResponseBytes: 1_000 }
    const others = Array.from({ length: calls }, () => call({}, options).then(String, String))
    await Promise.all(others)
    await faults.settle()
    faults.play([ok])
    const last = Array.from({ length: calls }, () => call({}, { timeoutMs: 600_000 }))
    for (const { limit } of await Promise.all(last)) expect(limit).toBe(1)
    expect(faults.connections).toBeLessThanOrEqual(connections)
  })

  it('uses one connection for calls that follow one another', async () => {
    faults.play([ok])
    const { call } = makeCall()
    for (let count = 0; count < 20; count += 1) await call()
    expect(faults.connections).toBe(1)
  })

  it('opens a new connection for each call if the server closes every connection', async () => {
    const calls = 3 * connections
    faults.play([{ ...ok, headers: { connection: 'close' } }])
    const { call } = makeCall()
    const all = Array.from({ length: calls }, () => call({}, { timeoutMs: 600_000 }))
    for (const { limit } of await Promise.all(all)) expect(limit).toBe(1)
    expect(faults.connections).toBe(calls)
  })

  it('rejects the waiting calls when the client is closed', async () => {
    faults.play([{ fault: 'silent' }])
    const { client, call } = makeCall()
    const calls = Array.from({ length: 100 }, () => errorOf(call()))
    await expect.poll(() => faults.requests.length).toBe(connections)
    await client.close()
    for (const error of (await Promise.all(calls)).slice(connections))
      expect(error).toMatchObject({ kind: 'network', code: 'ERR_CLOSED', phase: 'connect' })
    expect(faults.connections).toBe(connections)
  })
})
