import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { errorOf, transports, useFaultServer } from '../_support.ts'

describe.each(transports)('compression through %s', (transport) => {
  const faults = useFaultServer(transport)
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }

  it('is not asked for', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    await faults.makeClient().organization.limits.getGlobal()
    expect(faults.requests[0]?.headers).not.toHaveProperty('accept-encoding')
  })

  it('is named where an answer has it all the same', async () => {
    faults.play([{ headers, body: gzipSync('{"limit": 1}') }])
    const error = await errorOf(faults.makeClient().organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'decode', status: 200, attempts: 1 })
    expect(error.message).toMatch(/the response is not JSON, but gzip$/)
  })

  it('hides no status', async () => {
    faults.play([{ status: 404, headers, body: gzipSync('{"detail": "no such thing"}') }])
    const error = await errorOf(faults.makeClient().organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'http', status: 404, attempts: 1 })
    expect(error.message).toMatch(/404 Not Found: the response is gzip/)
  })
})
