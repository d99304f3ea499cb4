import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../src/prepare/fingerprint.ts'

const stop = { client: 'droid', body: Buffer.from('{"a":"\xff"}', 'latin1'), truncated: false }
const print = (more: Partial<typeof stop> = {}, session = 's1') =>
  fingerprintOf({ ...stop, ...more }, session)

describe('the fingerprint of an event', () => {
  it('is the same from another hook, whatever white space is around the event', () => {
    expect(print()).toMatch(/^[0-9a-f]{24}$/)
    const body = Buffer.concat([Buffer.from('\n'), stop.body, Buffer.from(' \r\n')])
    expect(print({ body })).toBe(print())
  })

  it('differs for another client or other bytes, even if those are not text', () => {
    expect(print({ client: 'claude' })).not.toBe(print())
    expect(print({ body: Buffer.from('{"a":"\xfe"}', 'latin1') })).not.toBe(print())
  })

  it('is unknown without a session, or if the event is incomplete', () => {
    expect(print({}, '')).toBeUndefined()
    expect(print({ truncated: true })).toBeUndefined()
  })
})
