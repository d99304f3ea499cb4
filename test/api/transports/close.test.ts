import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownTime } from '../../support/own-time.ts'
import { errorOf, transports, useFaultServer } from '../_support.ts'

/** The error of a closed client: not a network fault, and no reason to retry. */
const closed = { kind: 'network', code: 'ERR_CLOSED', attempts: 1, hint: 'make a new client' }

describe.each(transports)('a closed client of %s', (transport) => {
  const faults = useFaultServer(transport)

  it.each(['silent', 'header-drip', 'stall', 'drip'] as const)(
    'ends a pending call with the fault %s and closes its connection',
    async (fault) => {
      faults.play([{ fault, body: '{"limit": 1}' }])
      const client = faults.makeClient({ retries: 0 })
      const call = errorOf(client.organization.limits.getGlobal())
      await expect.poll(() => faults.requests.length).toBe(1)
      await client.close()
      expect(await call).toMatchObject({ kind: 'network' })
      await faults.requests[0]?.closed
      expect(faults.requests).toHaveLength(1)
    },
  )

  // `fetch` does not report the connection.
  it.skipIf(transport === 'fetch')('ends a call that is still connecting', async () => {
    const mute = createServer()
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    onTestFinished(() => void mute.close())
    const { port } = mute.address() as AddressInfo
    const client = faults.makeClient({ baseUrl: `https://127.0.0.1:${port}` })
    const call = errorOf(client.organization.limits.getGlobal())
    const [socket] = await once(mute, 'connection')
    socket.on('error', () => {}).resume()
    const ended = Promise.all([once(socket, 'close'), client.close()])
    // undici alone would wait for 10 seconds.
    expect(await Promise.race([ended, ownTime(5_000)])).toBeInstanceOf(Array)
    expect(await call).toMatchObject({ ...closed, phase: 'connect' })
  })

  it('ends a call that pauses before a retry', async () => {
    faults.play([{ status: 503, headers: { 'retry-after': '60' } }])
    let isPausing = false
    const client = faults.makeClient({
      onAttempt({ retryInMs }) {
        isPausing ||= retryInMs !== undefined
      },
    })
    const call = errorOf(client.organization.limits.getGlobal())
    await expect.poll(() => isPausing).toBe(true)
    await client.close()
    expect(await Promise.race([call, ownTime(5_000)])).toMatchObject({ ...closed, attempts: 2 })
    expect(faults.requests).toHaveLength(1)
  })

  it('ends a watch between two polls', async () => {
    faults.play([{ body: '{"messages": [], "pagination": {"hasMore": false}}' }])
    let polls = 0
    const client = faults.makeClient({
      onAttempt() {
        polls += 1
      },
    })
    const list = client.sessions.messages.watch({ sessionId: 's', pollMs: 60_000 })
    const call = errorOf(list.next())
    await expect.poll(() => polls).toBe(1)
    await client.close()
    expect(await Promise.race([call, ownTime(5_000)])).toMatchObject(closed)
    expect(faults.requests).toHaveLength(1)
  })

  it.each([0, 1])('sends no request after close, with %i calls before', async (calls) => {
    faults.play([{ body: '{"limit": 1}' }])
    const client = faults.makeClient()
    if (calls > 0) await client.organization.limits.getGlobal()
    await client.close()
    expect(await errorOf(client.organization.limits.getGlobal())).toMatchObject(closed)
    expect(faults.requests).toHaveLength(calls)
  })
})
