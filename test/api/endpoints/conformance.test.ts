import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Endpoint } from '../../../src/api/endpoints/endpoint.ts'
import { everything, listEndpoints } from '../../../src/api/endpoints/index.ts'
import { type ClientOptions, createClient, HttpError, PageList } from '../../../src/api/index.ts'
import { methodOf } from '../../../src/commands/api/call-endpoint.ts'
import { makeAsk } from '../../../src/commands/api/check/ask.ts'
import { allowedCases, refusedCases } from '../../../src/commands/api/check/cases.ts'
import { checksOf } from '../../../src/commands/api/check/checks.ts'
import { type Emulator, startEmulator } from '../../../src/emulator/index.ts'
import { sessions } from '../../../src/emulator/state/default-seed.ts'
import { makeFault, NOW } from '../../emulator/_support.ts'
import { errorOf, transports } from '../_support.ts'

const ids = listEndpoints(everything).map(({ id }) => id)

let emulator: Emulator
beforeAll(async () => {
  // More than one page of sessions.
  const more = ['sess_two', 'sess_three'].map((id) => ({ id, computerId: 'comp_ada' }))
  emulator = await startEmulator({ now: () => NOW, seed: { sessions: [...sessions, ...more] } })
})
afterAll(() => emulator.close())

/** Resets the emulator. @returns a call of one endpoint with a valid input, and a way to send it any */
function start(id: string, options: ClientOptions) {
  emulator.reset()
  const { url: baseUrl, appUrl, apiKey } = emulator
  const client = createClient({ baseUrl, appUrl, apiKey, env: {}, ...options })
  onTestFinished(() => client.close())
  const endpoint = listEndpoints(everything).find((one) => one.id === id)
  if (!endpoint) throw new Error(`no endpoint ${id}`)
  const { example: input } = endpoint
  const list = (change: Record<string, unknown> = {}) =>
    methodOf(client, endpoint)({ ...input, ...change })
  const call = async (change: Record<string, unknown> = {}) => await list(change)
  return { endpoint, input, call, list, ask: makeAsk(client, endpoint) }
}

const problem = (status: number) => ({ detail: `Because of ${status}`, status, title: 'A title' })

describe.each(transports)('through %s', (transport) => {
  describe.each(ids)('%s', (id) => {
    const table = listEndpoints(everything).find((endpoint) => endpoint.id === id) as Endpoint

    it('sends one valid request and receives a response without drift', async () => {
      const drift = vi.fn()
      const { endpoint, call } = start(id, {
        transport,
        strict: true,
        onDrift: drift,
      })
      await call()
      expect(emulator.requests()).toMatchObject([
        { endpoint: id, method: endpoint.method, host: endpoint.host, status: endpoint.success[0] },
      ])
      expect(drift).not.toHaveBeenCalled()
    })

    it('sends each input under its wire name', async () => {
      const { endpoint, input, call } = start(id, { transport })
      await call()
      const { path, query, body } = emulator.requests()[0] ?? {}
      const { wire = {}, params } = endpoint
      for (const [name, value] of Object.entries(input)) {
        if (params && Object.hasOwn(params.shape, name)) {
          expect(path?.split('/').map(decodeURIComponent)).toContain(value)
          continue
        }
        const sent: unknown = { ...query, ...Object(body) }[wire[name] ?? name]
        expect(endpoint.body ? sent : String(sent)).toEqual(endpoint.body ? value : String(value))
      }
    })

    it.each(Object.keys(table.errors).map(Number))('rejects with status %i', async (status) => {
      const { endpoint, call } = start(id, { transport, retries: 0 })
      emulator.faults.add(makeFault({ endpoint: id }, { status, body: problem(status) }))
      const error = await errorOf(call())
      expect(error).toBeInstanceOf(HttpError)
      expect(error).toMatchObject({
        kind: 'http',
        status,
        title: 'A title',
        detail: `Because of ${status}`,
        method: endpoint.method,
        route: endpoint.path,
        attempts: 1,
      })
      const hint = endpoint.hints?.[status]
      if (hint) expect(error.hint).toBe(hint)
      expect(emulator.requests()).toHaveLength(1)
    })

    it(`is retried according to its retry class: ${table.retry}`, async () => {
      // No pauses between attempts.
      vi.spyOn(Math, 'random').mockReturnValue(0)
      onTestFinished(() => void vi.restoreAllMocks())
      const { call } = start(id, { transport, retries: 2 })
      emulator.faults.add(makeFault({ endpoint: id, times: 2 }, { status: 502, body: 'a page' }))
      if (table.retry === 'safe') {
        await call()
        expect(emulator.requests()).toHaveLength(3)
        return
      }
      expect(await errorOf(call())).toMatchObject({ status: 502, outcome: 'unknown' })
      expect(emulator.requests()).toHaveLength(1)
    })

    // No transport is involved.
    const refused = transport === transports[0] ? refusedCases(table) : []
    if (refused.length > 0)
      it.each(refused)('rejects $title without a request', async ({ field, change }) => {
        const { call } = start(id, { transport })
        const error = await errorOf(call(change))
        expect(error).toMatchObject({ kind: 'validation' })
        expect(error.message).toContain(field)
        expect(emulator.requests()).toEqual([])
      })

    const allowed = transport === transports[0] ? allowedCases(table) : []
    if (allowed.length > 0)
      it.each(allowed)('accepts $title', async ({ change }) => {
        const { call } = start(id, { transport })
        // Nothing may have that name, so the emulator may answer with an error.
        await call(change).catch((error: unknown) => expect(error).toBeInstanceOf(HttpError))
        expect(emulator.requests()).toHaveLength(1)
      })

    const { page } = table
    if (page)
      it('lists each item once with any page size', async () => {
        const { list } = start(id, { transport })
        const all = async (limit: number) => {
          const given = list({ role: undefined, limit })
          if (!(given instanceof PageList)) throw new Error('no list')
          return await given.toArray()
        }
        const atOnce = await all(100)
        const before = emulator.requests().length
        // A list that ends with an empty page needs one more request.
        expect(before).toBe(page.hasMore === undefined ? 2 : 1)
        expect(await all(2)).toEqual(atOnce)
        expect(emulator.requests().length - before).toBeGreaterThan(1)
      })

    it.each(checksOf(table, table.example))(
      'lets the emulator pass: $kind, $sent',
      async (check) => {
        const { ask } = start(id, { transport })
        expect(await check.run(ask)).toEqual([])
        expect(emulator.requests().map(({ endpoint }) => endpoint)).toContain(id)
      },
    )
  })
})
