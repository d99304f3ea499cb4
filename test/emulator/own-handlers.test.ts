import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/api/index.ts'
import { EmulatorError, startEmulator } from '../../src/emulator/index.ts'
import { makeFault, startTestEmulator } from './_support.ts'

const GLOBAL = '/api/v0/organization/usage/limits/global'

describe('a handler of a test', () => {
  it('answers with the values of the request, until it is removed', async () => {
    const emulator = await startTestEmulator()
    const end = emulator.on('computers.getByName', async ({ params, query }) => ({
      body: { id: 'own', name: params.name, query },
    }))
    const { status, body } = await emulator.get(
      '/api/v0/computers/name/a%20b?x=1&x=2&token=abcdefghijk',
    )
    expect([status, body]).toEqual([
      200,
      { id: 'own', name: 'a b', query: { x: ['1', '2'], token: 'abcdefghijk' } },
    ])
    end()
    expect((await emulator.get('/api/v0/computers/name/a%20b')).status).toBe(404)
  })

  it('sees bodies of any length, and may leave the answer to the emulator', async () => {
    const emulator = await startTestEmulator()
    const seen: unknown[] = []
    emulator.on('sessions.messages.add', ({ body }) => {
      seen.push(body)
      return undefined
    })
    const text = 'x'.repeat(100_000)
    const path = `/api/v0/sessions/${emulator.sessionId}/messages`
    expect((await emulator.post(path, { text })).body).toHaveProperty('messageId')
    expect(seen).toEqual([{ text }])
  })

  it('decides status and headers, and faults still apply', async () => {
    const emulator = await startTestEmulator()
    const problem = { detail: 'Come back', status: 429, title: 'Too Many Requests' }
    emulator.on('organization.limits.getGlobal', () => ({
      status: 429,
      headers: { 'retry-after': '7' },
      body: problem,
    }))
    emulator.faults.add(makeFault({ path: GLOBAL }, { status: 500 }))
    expect((await emulator.get(GLOBAL)).status).toBe(500)
    const { status, headers, body } = await emulator.get(GLOBAL)
    expect([status, headers.get('retry-after'), body]).toEqual([429, '7', problem])
    expect(emulator.requests().map((request) => request.status)).toEqual([500, 429])
  })

  it('that fails is a 500 that says why', async () => {
    const emulator = await startTestEmulator()
    emulator.on('organization.limits.getGlobal', () => {
      throw new Error('a mistake in the test')
    })
    const { status, body } = await emulator.get(GLOBAL)
    expect([status, body.detail]).toEqual([500, 'The emulator failed: a mistake in the test'])
  })

  it('for an unknown endpoint is refused with a suggestion', async () => {
    const emulator = await startTestEmulator()
    const refused = () => emulator.on('session.create', () => undefined)
    expect(refused).toThrow(EmulatorError)
    expect(refused).toThrow('on: no endpoint "session.create"')
  })
})

describe('a reset', () => {
  const users = [{ id: 'u', email: 'u@example.com', role: 'owner' as const, apiKey: 'key-of-u' }]
  const seed = { users, limits: { global: 7_000_000 }, behavior: { deletionStatus: 204 as const } }

  it('to another seed changes keys and IDs, and one without restores the start', async () => {
    const emulator = await startTestEmulator()
    const { apiKey, clientOptions } = emulator
    emulator.on('organization.limits.getGlobal', () => ({ body: { limit: 1 } }))
    emulator.reset(seed)
    expect((await emulator.get(GLOBAL, { key: apiKey })).status).toBe(401)
    expect((await emulator.get(GLOBAL, { key: 'key-of-u' })).body).toEqual({ limit: 7_000_000 })
    emulator.reset()
    expect((await emulator.get(GLOBAL, { key: apiKey })).body).toEqual({ limit: null })
    await using client = createClient(clientOptions)
    expect(await client.organization.limits.getGlobal()).toEqual({ limit: null })
  })

  it('is also possible from another process, and refuses a bad seed without an effect', async () => {
    const emulator = await startTestEmulator()
    const reset = (body: unknown) => emulator.post('/__emulator/reset', body, { key: null })
    const refusal = await reset({ users: [] })
    expect([refusal.status, refusal.body.detail]).toEqual([400, expect.stringMatching(/owner/)])
    expect((await emulator.get(GLOBAL)).status).toBe(200)
    expect((await reset(seed)).status).toBe(200)
    expect((await emulator.get(GLOBAL, { key: 'key-of-u' })).body).toEqual({ limit: 7_000_000 })
    expect((await reset(undefined)).status).toBe(200)
    expect((await emulator.get(GLOBAL)).body).toEqual({ limit: null })
  })

  it('gives the emulator object the key and the IDs of the new seed', async () => {
    await using emulator = await startEmulator()
    emulator.reset(seed)
    expect(emulator.apiKey).toBe('key-of-u')
    expect(emulator.env.HOOKBELL_API_KEY).toBe('key-of-u')
    await using client = createClient(emulator.clientOptions)
    expect(await client.organization.limits.getGlobal()).toEqual({ limit: 7_000_000 })
  })
})
