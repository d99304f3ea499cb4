import { describe, expect, it } from 'vitest'
import { NOW, startTestEmulator } from '../_support.ts'

const GLOBAL = '/api/v0/organization/usage/limits/global'
const USERS = '/api/v0/organization/usage/limits/users'
const MEMBERS = '/api/v0/organization/users'
const removal = (email: string) => `${MEMBERS}?${new URLSearchParams({ email })}`

describe('GET .../limits/global', () => {
  it('returns null until a limit is set', async () => {
    const emulator = await startTestEmulator()
    expect((await emulator.get(GLOBAL)).body).toEqual({ limit: null })
  })

  it('returns the limit of the seed', async () => {
    const emulator = await startTestEmulator({ seed: { limits: { global: 0 } } })
    expect((await emulator.get(GLOBAL)).body).toEqual({ limit: 0 })
  })

  it('responds with 403 to members', async () => {
    const emulator = await startTestEmulator()
    const answer = await emulator.get(GLOBAL, { key: emulator.memberApiKey })
    expect(answer.status).toBe(403)
    expect(answer.body.metadata).toEqual({ role: 'user' })
  })
})

describe('PUT .../limits/global', () => {
  it('sets and removes the limit', async () => {
    const emulator = await startTestEmulator()
    for (const limit of [1_000_000, 5_000_000, null]) {
      expect((await emulator.put(GLOBAL, { limit })).body).toEqual({ limit })
      expect((await emulator.get(GLOBAL)).body).toEqual({ limit })
    }
  })

  it.each([{}, { limit: 999_999 }, { limit: '1000000' }, { limit: 1e6, more: 1 }])(
    'responds with 400 to %j and keeps the limit',
    async (body) => {
      const emulator = await startTestEmulator()
      await emulator.put(GLOBAL, { limit: 2_000_000 })
      expect((await emulator.put(GLOBAL, body)).status).toBe(400)
      expect((await emulator.get(GLOBAL)).body).toEqual({ limit: 2_000_000 })
    },
  )

  it('responds with 403 to members', async () => {
    const emulator = await startTestEmulator()
    const answer = await emulator.put(GLOBAL, { limit: null }, { key: emulator.memberApiKey })
    expect(answer.status).toBe(403)
  })
})

describe('PUT .../limits/users', () => {
  it('applies the valid entries and lists the others as errors', async () => {
    const emulator = await startTestEmulator()
    const bo = { email: 'bo@example.com', limit: 7 }
    const users = [{ email: 'nobody@example.com', limit: 1 }, bo]
    const { status, body } = await emulator.put(USERS, { users })
    expect(status).toBe(200)
    const error = expect.stringContaining('not an active member')
    expect(body).toEqual({ updated: [bo], errors: [{ email: 'nobody@example.com', error }] })
    expect(emulator.state().userLimits).toEqual({ 'bo@example.com': 7 })
  })

  it('lists an invited person as an error', async () => {
    const emulator = await startTestEmulator()
    const answer = await emulator.put(USERS, { users: [{ email: 'gia@example.com', limit: 1 }] })
    expect([answer.body.updated.length, answer.body.errors.length]).toEqual([0, 1])
  })

  it.each([
    [{ email: 'no address', limit: 1 }, 'not an active member of the organization'],
    [{ email: '', limit: 1 }, 'not an active member of the organization'],
    [{ email: 'ada@example.com', limit: -1 }, 'the limit must be at least 0'],
  ])('lists %o among the errors and applies the others', async (bad, error) => {
    const emulator = await startTestEmulator()
    const bo = { email: 'bo@example.com', limit: 7 }
    const { status, body } = await emulator.put(USERS, { users: [bad, bo] })
    expect(status).toBe(200)
    expect(body).toEqual({ updated: [bo], errors: [{ email: bad.email, error }] })
  })

  it('removes a limit with null, ignoring the case of the email address', async () => {
    const emulator = await startTestEmulator({
      seed: { limits: { users: { 'Bo@example.com': 3 } } },
    })
    const users = [{ email: 'BO@example.com', limit: null }]
    expect((await emulator.put(USERS, { users })).body).toEqual({ updated: users, errors: [] })
    expect(emulator.state().userLimits).toEqual({})
  })

  it('responds with 400 and the invalid entry, and applies none', async () => {
    const emulator = await startTestEmulator()
    const users = [{ email: 'bo@example.com', limit: 7 }, { email: 'ada@example.com' }]
    const answer = await emulator.put(USERS, { users })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain('body.users[1].limit')
    expect(emulator.state().userLimits).toEqual({})
  })

  it('responds with 403 to members', async () => {
    const emulator = await startTestEmulator()
    const users = [{ email: 'bo@example.com', limit: 7 }]
    expect((await emulator.put(USERS, { users }, { key: emulator.memberApiKey })).status).toBe(403)
  })
})

describe('DELETE .../users', () => {
  it('removes a member and revokes the keys', async () => {
    const emulator = await startTestEmulator()
    const key = emulator.memberApiKey
    const own = '/api/v0/computers/comp_cleo'
    expect((await emulator.get(own, { key })).status).toBe(200)
    const answer = await emulator.delete(removal('Cleo@example.com'))
    expect([answer.status, answer.body]).toEqual([200, {}])
    expect((await emulator.get(own, { key })).status).toBe(401)
    const revoked = emulator.state().keys.filter(({ revokedAt }) => revokedAt === NOW)
    expect(revoked.map(({ id }) => id)).toEqual(['key_of_user_cleo'])
    expect((await emulator.delete(removal('cleo@example.com'))).status).toBe(404)
  })

  it('revokes an invitation', async () => {
    const emulator = await startTestEmulator()
    expect((await emulator.delete(removal('gia@example.com'))).status).toBe(200)
    expect(emulator.state().invitations).toEqual([])
    expect((await emulator.delete(removal('gia@example.com'))).status).toBe(404)
  })

  it('accepts the email address in the body as well', async () => {
    const emulator = await startTestEmulator()
    const body = { email: 'gia@example.com' }
    expect((await emulator.delete(MEMBERS, { body })).status).toBe(200)
    expect(emulator.state().invitations).toEqual([])
  })

  it('responds with 204 and no body with the deletionStatus 204', async () => {
    const emulator = await startTestEmulator({ seed: { behavior: { deletionStatus: 204 } } })
    const answer = await emulator.delete(removal('gia@example.com'))
    expect([answer.status, answer.text]).toEqual([204, ''])
  })

  it('responds with 400 without an email address and with two', async () => {
    const emulator = await startTestEmulator()
    for (const path of [MEMBERS, `${MEMBERS}?email=a&email=b`]) {
      const answer = await emulator.delete(path)
      expect(answer.status).toBe(400)
      expect(answer.body.detail).toContain('query.email')
    }
  })

  it('responds with 403 to members, and with 409 for the last owner', async () => {
    const emulator = await startTestEmulator()
    const key = emulator.memberApiKey
    expect((await emulator.delete(removal('bo@example.com'), { key })).status).toBe(403)
    expect((await emulator.delete(removal('ada@example.com'))).status).toBe(409)
  })
})
