import { describe, expect, it } from 'vitest'
import { MAX_RECORD_BYTES, recordOf, recordSchema } from '../../src/hub/record.ts'
import { makeDelivery } from '../support/delivery.ts'

const made = (changes = {}, now = 1000) => {
  const delivery = makeDelivery('e1', changes)
  return recordOf(delivery, delivery.message, now)
}

describe('hub: what leaves a machine', () => {
  it('has durations, whatever the clock of the machine says', () => {
    expect(made({ acceptedAt: 400, expires: 1600 })).toMatchObject({ ageMs: 600, expiresInMs: 600 })
    expect(made({ acceptedAt: 5000 })).toMatchObject({ ageMs: 0 })
  })

  it('has another id where it tells of several events', () => {
    const [one, several] = [made(), made({ events: ['e1', 'e2'] })]
    expect(one.id).toBe('e1.file')
    expect(several.id).not.toBe(one.id)
    expect(several.count).toBe(2)
  })

  it('is bounded and valid, whatever the message is', () => {
    const long = 'é'.repeat(100_000)
    const { message } = makeDelivery('e1')
    const origin = { label: long, project: long, branch: long, host: long, reply: long }
    const big = { ...message, title: long, body: long, client: long, event: long, origin }
    const record = recordOf(makeDelivery(long, { host: long, session: long }), big, 1000)
    expect(recordSchema.safeParse(record).error).toBeUndefined()
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(MAX_RECORD_BYTES)
  })
})
