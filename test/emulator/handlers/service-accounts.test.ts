import { describe, expect, it } from 'vitest'
import { MINUTE, NOW, startTestEmulator, type TestEmulator } from '../_support.ts'

const GLOBAL = '/api/v0/automations/ci/repositories'

function rotate(emulator: TestEmulator, body?: unknown, more: { key?: string; id?: string } = {}) {
  const { serviceAccountId, keyId } = emulator
  const path = `/api/v0/service-accounts/${serviceAccountId}/api-keys/${more.id ?? keyId}/rotate`
  return emulator.post(path, body, { key: more.key })
}

async function statusWith(emulator: TestEmulator, key: string) {
  return (await emulator.get(GLOBAL, { key })).status
}

describe('POST .../api-keys/{keyId}/rotate', () => {
  it('issues a key with the old name and returns its value once', async () => {
    const emulator = await startTestEmulator()
    const { status, body } = await rotate(emulator)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['apiKey'])
    const { id, value, fingerprint, name, expiresAt } = body.apiKey
    expect({ name, expiresAt }).toEqual({ name: 'deploy key', expiresAt: undefined })
    expect(id).not.toBe(emulator.keyId)
    expect(value).toMatch(/^fk-/)
    expect(value.endsWith(fingerprint)).toBe(true)
    expect(fingerprint.length).toBeLessThan(10)
    expect(JSON.stringify(emulator.state())).not.toContain(value)
  })

  it.each([{}, { gracePeriodMinutes: 0 }])('revokes the old key at once with %j', async (body) => {
    const emulator = await startTestEmulator()
    expect(await statusWith(emulator, emulator.serviceAccountKey)).toBe(200)
    const { value } = (await rotate(emulator, body)).body.apiKey
    expect(await statusWith(emulator, emulator.serviceAccountKey)).toBe(401)
    expect(await statusWith(emulator, value)).toBe(200)
  })

  it.each([1, 10])(
    'keeps the old key for a grace period of exactly %i minutes',
    async (minutes) => {
      const emulator = await startTestEmulator()
      const { value } = (await rotate(emulator, { gracePeriodMinutes: minutes })).body.apiKey
      emulator.clock.advance(minutes * MINUTE - 1)
      expect(await statusWith(emulator, emulator.serviceAccountKey)).toBe(200)
      expect(await statusWith(emulator, value)).toBe(200)
      emulator.clock.advance(1)
      expect(await statusWith(emulator, emulator.serviceAccountKey)).toBe(401)
      expect(await statusWith(emulator, value)).toBe(200)
    },
  )

  it('sets the requested expiry of the new key', async () => {
    const emulator = await startTestEmulator()
    const expiresAt = NOW + 5 * MINUTE
    const { apiKey } = (await rotate(emulator, { expiresAt })).body
    expect(apiKey.expiresAt).toBe(expiresAt)
    emulator.clock.set(expiresAt - 1)
    expect(await statusWith(emulator, apiKey.value)).toBe(200)
    emulator.clock.set(expiresAt)
    expect(await statusWith(emulator, apiKey.value)).toBe(401)
  })

  it('responds with 400 to a grace period that outlasts the key, and changes nothing', async () => {
    const emulator = await startTestEmulator()
    const first = (await rotate(emulator, { expiresAt: NOW + 5 * MINUTE })).body.apiKey
    const refused = await rotate(emulator, { gracePeriodMinutes: 6 }, { id: first.id })
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toContain('gracePeriodMinutes')
    expect(await statusWith(emulator, first.value)).toBe(200)
    const taken = await rotate(emulator, { gracePeriodMinutes: 5 }, { id: first.id })
    expect(taken.status).toBe(200)
  })

  it.each([
    [{ name: 'mine' }, 'body.name'],
    [{ gracePeriodMinutes: 11 }, 'body.gracePeriodMinutes'],
    [{ gracePeriodMinutes: 1.5 }, 'body.gracePeriodMinutes'],
    [{ expiresAt: 0 }, 'body.expiresAt'],
    [[], 'body'],
  ])('responds with 400 and the field to %j', async (body, field) => {
    const emulator = await startTestEmulator()
    const answer = await rotate(emulator, body)
    expect(answer.status).toBe(400)
    expect(answer.body.detail.startsWith(`${field}: `)).toBe(true)
    expect(answer.body.metadata.issues[0].field).toBe(field)
    expect(await statusWith(emulator, emulator.serviceAccountKey)).toBe(200)
  })

  it('responds with 401 to a revoked key', async () => {
    const emulator = await startTestEmulator()
    const key = emulator.serviceAccountKey
    expect((await rotate(emulator, {}, { key })).status).toBe(200)
    expect((await rotate(emulator, {}, { key })).status).toBe(401)
  })

  it('responds with 403 to members, but not to the service account itself', async () => {
    const emulator = await startTestEmulator()
    expect((await rotate(emulator, {}, { key: emulator.memberApiKey })).status).toBe(403)
    expect((await rotate(emulator, {}, { key: emulator.serviceAccountKey })).status).toBe(200)
  })

  it('responds with 404 for an unknown key or account', async () => {
    const emulator = await startTestEmulator()
    expect((await rotate(emulator, {}, { id: 'key_none' })).status).toBe(404)
    expect((await rotate(emulator, {}, { id: 'key_of_user_ada' })).status).toBe(404)
    const { keyId } = emulator
    const other = await emulator.post(`/api/v0/service-accounts/none/api-keys/${keyId}/rotate`)
    expect(other.status).toBe(404)
  })

  it('responds with 409 for a rotated key, also during its grace period', async () => {
    const emulator = await startTestEmulator()
    await rotate(emulator, { gracePeriodMinutes: 10 })
    expect((await rotate(emulator)).status).toBe(409)
    emulator.clock.advance(11 * MINUTE)
    expect((await rotate(emulator)).status).toBe(409)
  })

  it('responds with 409 for an expired key', async () => {
    const emulator = await startTestEmulator()
    const { id } = (await rotate(emulator, { expiresAt: 1 })).body.apiKey
    const answer = await rotate(emulator, {}, { id })
    expect(answer.status).toBe(409)
    expect(answer.body.detail).toContain('expired')
  })
})
