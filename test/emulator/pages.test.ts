import { describe, expect, it } from 'vitest'
import { everything, listEndpoints } from '../../src/api/endpoints/index.ts'
import { NOW, startTestEmulator } from './_support.ts'

const keyless = { key: null }

describe('the pages of the emulator', () => {
  it('tell without a key that it runs, and its time', async () => {
    const emulator = await startTestEmulator()
    const { status, body } = await emulator.get('/health', keyless)
    expect([status, body]).toEqual([200, { status: 'ok', now: NOW }])
  })

  it.each([undefined, 0])('describe every endpoint at its URL (appPort %s)', async (appPort) => {
    const emulator = await startTestEmulator({ appPort })
    const { body } = await emulator.get('/openapi.json', keyless)
    expect(body.openapi).toBe('3.1.0')
    for (const { id, host, method, path } of listEndpoints(everything)) {
      const item = body.paths[path]
      expect(item[method.toLowerCase()].operationId, id).toBe(id)
      const [server] = item.servers ?? body.servers
      expect(server.url, id).toBe(host === 'app' ? emulator.appUrl : emulator.url)
      const { tags, description } = item[method.toLowerCase()]
      const isMarked = /From the public documentation \([\w-]+\.md\)/.test(description)
      expect([tags, isMarked], id).toEqual([[id.split('.')[0]], id.startsWith('beyond.')])
    }
  })

  it('let a person try the endpoints, whatever the key is', async () => {
    const apiKey = '</script><script>alert(1)</script>'
    const users = [{ id: 'u', email: 'a@example.com', role: 'owner' as const, apiKey }]
    const emulator = await startTestEmulator({ seed: { users, serviceAccounts: [] } })
    const { status, headers, text } = await emulator.get('/docs', keyless)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(text.match(/<\/script>/g)).toHaveLength(1)
    expect(text).toContain('\\u003c/script>')
  })

  it('are not recorded, and not affected by faults', async () => {
    const emulator = await startTestEmulator()
    // biome-ignore lint/suspicious/noThenProperty: never a function, so the object is not a thenable
    emulator.faults.add({ path: '/*', times: 'always', then: { status: 500 } })
    for (const path of ['/health', '/openapi.json', '/docs'])
      expect((await emulator.get(path, keyless)).status, path).toBe(200)
    expect(emulator.requests()).toEqual([])
    expect((await emulator.post('/health')).status).toBe(500)
  })
})
