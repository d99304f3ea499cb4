import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readText } from '../../../src/api/transports/_body.ts'
import { errorOf, json, transports, useFaultServer } from '../_support.ts'

const large = json({ limit: 1, more: 'x'.repeat(20_000_000) })
const encodings = [
  ['gzip', gzipSync, gzipSync(large)],
  ['br', brotliCompressSync, brotliCompressSync(large)],
] as const

describe.each(transports)('compression through %s', (transport) => {
  const faults = useFaultServer(transport)

  it('is requested', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    await faults.makeClient().organization.limits.getGlobal()
    expect(faults.requests[0]?.headers['accept-encoding']).toMatch(/gzip/)
  })

  it('that is unknown is named in the error', async () => {
    const headers = { 'content-encoding': 'snappy', 'content-type': 'application/json' }
    faults.play([{ headers, body: Buffer.from([0xff, 0x06, 0x00, 0x80]) }])
    const error = await errorOf(faults.makeClient().organization.limits.getGlobal())
    expect(error.message).toMatch(/not JSON, but snappy, perhaps from a proxy$/)
  })

  describe.each(encodings)('with %s', (encoding, compress, bomb) => {
    const headers = { 'content-encoding': encoding, 'content-type': 'application/json' }

    it('is decoded', async () => {
      const limit = 12_345
      faults.play([{ headers, body: compress(json({ limit, note: 'ü'.repeat(10_000) })) }])
      expect(await faults.makeClient().organization.limits.getGlobal()).toMatchObject({ limit })
    })

    it('is decoded in error responses', async () => {
      faults.play([{ status: 404, headers, body: compress('{"detail": "no such thing"}') }])
      const error = await errorOf(faults.makeClient().organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'http', status: 404, detail: 'no such thing' })
    })

    it('does not hide the content type of an error page', async () => {
      const page = { ...headers, 'content-type': 'text/html' }
      faults.play([{ status: 502, headers: page, body: compress('<h1>Bad Gateway</h1>') }])
      const error = await errorOf(faults.makeClient({ retries: 0 }).organization.limits.getGlobal())
      expect(error.message).toMatch(/not JSON, but text\/html, perhaps from a proxy$/)
    })

    it('is decoded only up to the size limit', async () => {
      expect(bomb.length).toBeLessThan(50_000)
      faults.play([{ headers, body: bomb }])
      const client = faults.makeClient({ maxResponseBytes: 100_000 })
      const error = await errorOf(client.organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'decode' })
      expect(error.message).toContain('longer than 100000 bytes')
    })

    it('that is damaged rejects the call', async () => {
      const body = compress(json({ limit: 1, more: 'abc'.repeat(1000) })).subarray(0, 30)
      faults.play([{ headers, body }])
      const call = faults.makeClient({ retries: 0 }).organization.limits.getGlobal()
      // Some runtimes return the part that they could decompress as the whole body.
      const kind = transport === 'fetch' ? expect.stringMatching(/network|decode/) : 'network'
      expect(await errorOf(call)).toMatchObject({ kind })
    })
  })
})

it('decompression is not continued beyond the size limit', async () => {
  async function* chunks() {
    for (let count = 0; count < 10; count += 1) yield Buffer.from('abc')
    throw new Error('read on')
  }
  expect(await readText(chunks(), 10)).toEqual({ text: 'abcabcabca', end: 'too-long' })
})
