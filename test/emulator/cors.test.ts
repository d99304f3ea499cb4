import { describe, expect, it } from 'vitest'
import { startTestEmulator } from './_support.ts'

const GLOBAL = '/api/v0/organization/usage/limits/global'
const preflight = {
  'access-control-request-method': 'PUT',
  'access-control-request-headers': 'authorization,content-type',
}

describe('a web page', () => {
  it.each(['http://localhost:5173', 'http://127.0.0.1:8080', 'https://shop.localhost'])(
    'of this machine may call the endpoints: %s',
    async (origin) => {
      const emulator = await startTestEmulator()
      const headers = { origin, ...preflight }
      const asked = await emulator.call('OPTIONS', GLOBAL, { key: null, headers })
      expect(asked.status).toBe(204)
      expect(asked.headers.get('access-control-allow-origin')).toBe(origin)
      expect(asked.headers.get('access-control-allow-methods')).toBe('PUT')
      expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
      const { status, headers: sent } = await emulator.get(GLOBAL, { headers: { origin } })
      expect([status, sent.get('access-control-allow-origin')]).toEqual([200, origin])
      // The question of the browser is no request of the page.
      expect(emulator.requests().map(({ method }) => method)).toEqual(['GET'])
    },
  )

  it.each(['https://example.com', 'https://localhost.example.com', 'null', 'file://'])(
    'of others may not: %s',
    async (origin) => {
      const emulator = await startTestEmulator()
      const asked = await emulator.call('OPTIONS', GLOBAL, { headers: { origin, ...preflight } })
      const { headers } = await emulator.get(GLOBAL, { headers: { origin } })
      for (const found of [asked.headers, headers])
        expect(found.get('access-control-allow-origin')).toBeNull()
    },
  )

  it('reads errors, and the request ID', async () => {
    const emulator = await startTestEmulator()
    const origin = 'http://localhost:5173'
    const { status, headers } = await emulator.get('/nope', { headers: { origin } })
    expect(status).toBe(404)
    expect(headers.get('access-control-expose-headers')).toBe('*')
  })
})
