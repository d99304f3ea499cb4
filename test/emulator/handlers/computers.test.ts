import { describe, expect, it } from 'vitest'
import { NOW, startTestEmulator } from '../_support.ts'

const at = (computerId: string) => `/api/v0/computers/${computerId}`
const named = (name: string) => `/api/v0/computers/name/${encodeURIComponent(name)}`

describe('GET .../computers/{computerId}', () => {
  it('returns the computer without its key', async () => {
    const emulator = await startTestEmulator()
    const { status, body } = await emulator.get(at('comp_ada'))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'comp_ada',
      name: 'ada-devbox',
      providerType: 'byom',
      status: 'active',
      ownerPrincipalKind: 'user',
      ownerId: 'user_ada',
    })
    expect(body).not.toHaveProperty('apiKey')
    expect(body).not.toHaveProperty('deletedAt')
  })

  it('returns unknown fields of the seed', async () => {
    const computers = [{ id: 'c', name: 'box', ownerId: 'user_ada', hostname: 'box.local' }]
    const emulator = await startTestEmulator({ seed: { computers, sessions: [] } })
    expect((await emulator.get(at('c'))).body.hostname).toBe('box.local')
  })

  it.each([
    ['the owner of a user computer', 'fk-emulator-owner-2f6c1d', 'comp_ada', 200],
    ['the key of the computer', 'fk-emulator-computer-01bb4c', 'comp_ada', 200],
    ['a manager, for a service account', 'fk-emulator-manager-84a0e7', 'comp_deploy', 200],
    ['the service account', 'fk-emulator-service-5d10aa', 'comp_deploy', 200],
    ['another manager', 'fk-emulator-manager-84a0e7', 'comp_ada', 403],
    ['another member', 'fk-emulator-member-c95b32', 'comp_deploy', 403],
    ['the key of another computer', 'fk-emulator-computer-9c22f1', 'comp_ada', 403],
  ])('responds according to the role of %s', async (_, key, computerId, status) => {
    const emulator = await startTestEmulator()
    expect((await emulator.get(at(computerId), { key })).status).toBe(status)
  })

  it('responds with 404 to an unknown ID', async () => {
    const emulator = await startTestEmulator()
    const answer = await emulator.get(at('nope'))
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ detail: 'No computer "nope"', status: 404, title: 'Not Found' })
  })
})

describe('GET .../computers/name/{name}', () => {
  it('returns the same computer as the request by ID', async () => {
    const emulator = await startTestEmulator()
    const byName = await emulator.get(named('ada-devbox'))
    expect(byName.status).toBe(200)
    expect(byName.body).toEqual((await emulator.get(at('comp_ada'))).body)
  })

  it('finds a name with special characters', async () => {
    const computers = [{ id: 'c', name: 'a/b?c#d é%', ownerId: 'user_ada' }]
    const emulator = await startTestEmulator({ seed: { computers, sessions: [] } })
    expect((await emulator.get(named('a/b?c#d é%'))).body.id).toBe('c')
  })

  it('responds with 404 to an unknown name and to the names of others', async () => {
    const emulator = await startTestEmulator()
    expect((await emulator.get(named('nope'))).status).toBe(404)
    expect((await emulator.get(named('cleo-laptop'))).status).toBe(404)
  })
})

describe('POST .../computers/{computerId}/refresh', () => {
  it('returns the number of configured integrations and counts the calls', async () => {
    const seed = { organization: { integrations: ['github', 'gitlab'] } }
    const emulator = await startTestEmulator({ seed })
    expect((await emulator.post(`${at('comp_ada')}/refresh`)).body).toEqual({ configured: 2 })
    await emulator.post(`${at('comp_ada')}/refresh`, { ignored: true })
    const [computer] = emulator.state().computers
    expect(computer?.refreshCount).toBe(2)
  })

  it('responds with 403 for the computers of others and with 404 for an unknown ID', async () => {
    const emulator = await startTestEmulator()
    expect((await emulator.post(`${at('comp_cleo')}/refresh`)).status).toBe(403)
    expect((await emulator.post(`${at('nope')}/refresh`)).status).toBe(404)
  })
})

describe('DELETE .../computers/{computerId}', () => {
  it('deletes the computer permanently', async () => {
    const emulator = await startTestEmulator()
    const answer = await emulator.delete(at('comp_ada'))
    expect([answer.status, answer.body]).toEqual([200, {}])
    expect(emulator.state().computers[0]?.deletedAt).toBe(NOW)
    emulator.clock.advance(1000)
    expect((await emulator.get(at('comp_ada'))).status).toBe(404)
    expect((await emulator.get(named('ada-devbox'))).status).toBe(404)
    expect((await emulator.post(`${at('comp_ada')}/refresh`)).status).toBe(404)
    expect((await emulator.delete(at('comp_ada'))).status).toBe(404)
    const body = { computerId: 'comp_ada' }
    expect((await emulator.post('/api/v0/sessions', body)).status).toBe(404)
    expect(emulator.state().computers[0]?.deletedAt).toBe(NOW)
  })

  it('revokes the key of the computer', async () => {
    const emulator = await startTestEmulator()
    const key = 'fk-emulator-computer-01bb4c'
    expect((await emulator.get(at('comp_ada'), { key })).status).toBe(200)
    await emulator.delete(at('comp_ada'))
    expect((await emulator.get(at('comp_ada'), { key })).status).toBe(401)
    const revoked = emulator.state().keys.filter(({ revokedAt }) => revokedAt === NOW)
    expect(revoked.map(({ id }) => id)).toEqual(['key_of_comp_ada'])
  })

  it('archives the sessions of the computer and stops the agent', async () => {
    const emulator = await startTestEmulator()
    const messages = `/api/v0/sessions/${emulator.sessionId}/messages`
    await emulator.post(messages, { text: 'hello' })
    await emulator.delete(at('comp_ada'))
    emulator.clock.advance(60_000)
    const [session] = emulator.state().sessions
    expect(session?.settings.archivedAt).toBe(new Date(NOW).toISOString())
    expect([session?.status, session?.messages.at(-1)?.role]).toEqual(['idle', 'user'])
    expect((await emulator.post(messages, { text: 'more' })).status).toBe(409)
    expect((await emulator.get(messages)).status).toBe(200)
    const other = { key: emulator.memberApiKey }
    expect((await emulator.get(messages, other)).status).toBe(403)
    expect((await emulator.post(messages, { text: 'more' }, other)).status).toBe(403)
  })

  it('keeps other computers and their sessions', async () => {
    const emulator = await startTestEmulator()
    await emulator.delete(at('comp_deploy'))
    expect((await emulator.get(at('comp_ada'))).status).toBe(200)
    expect(emulator.state().sessions[0]?.settings).toEqual({})
  })

  it('responds with 204 and no body with the deletionStatus 204', async () => {
    const emulator = await startTestEmulator({ seed: { behavior: { deletionStatus: 204 } } })
    const answer = await emulator.delete(at('comp_ada'))
    expect([answer.status, answer.text]).toEqual([204, ''])
  })

  it('responds with 403 to others, without deleting', async () => {
    const emulator = await startTestEmulator()
    const key = emulator.memberApiKey
    expect((await emulator.delete(at('comp_ada'), { key })).status).toBe(403)
    expect((await emulator.get(at('comp_ada'))).status).toBe(200)
  })
})
