import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  answerOf,
  MAX_RECORD_BYTES,
  questionOf,
  recordOf,
  recordSchema,
} from '../../src/hub/record.ts'
import { newId } from '../../src/spool/layout.ts'
import { makeDelivery } from '../support/delivery.ts'

const made = (changes = {}, now = 1000) => {
  const delivery = makeDelivery('e1', changes)
  return recordOf(delivery, delivery.message, now)
}

describe('hub: records of a machine', () => {
  it('contain durations instead of times', () => {
    expect(made({ acceptedAt: 400, expires: 1600 })).toMatchObject({ ageMs: 600, expiresInMs: 600 })
    expect(made({ acceptedAt: 5000 })).toMatchObject({ ageMs: 0 })
  })

  it('say whether the turn that ended asks something', () => {
    const delivery = makeDelivery('e1')
    const asking = recordOf(delivery, { ...delivery.message, asks: true }, 1000)
    expect(recordSchema.parse(asking)).toMatchObject({ asks: true })
    expect(made()).not.toHaveProperty('asks')
  })

  it('have another id for a delivery of several events', () => {
    const [one, several] = [made(), made({ events: ['e1', 'e2'] })]
    expect(several.id).not.toBe(one.id)
    expect(made().id).toBe(one.id)
    expect(several.count).toBe(2)
  })

  it.each(Object.entries(recordSchema.options))('have no field for a time: %s', (_, schema) => {
    const { properties = {} } = z.toJSONSchema(schema)
    // A number below 1e9 is smaller than any Unix time in seconds since 2001.
    for (const [name, field] of Object.entries(properties)) {
      const { type, maximum, const: fixed } = field as { [key: string]: unknown }
      const most = Number(fixed ?? maximum ?? Number.POSITIVE_INFINITY)
      if (type === 'integer' || type === 'number') expect(most, name).toBeLessThan(1e9)
      expect(name).not.toMatch(/At$|time|date|sequence/i)
    }
  })

  it('of a reminder have another id, the channel of the hub, and the same question', () => {
    const [first, second] = ['team', 'team:2'].map((channel) =>
      recordSchema.parse(made({ channel, kind: 'permission' })),
    )
    if (first?.type !== 'message' || second?.type !== 'message') return expect.fail()
    expect([first.channel, second.channel]).toEqual(['team', 'team'])
    expect(second.id).not.toBe(first.id)
    expect(questionOf(second)).toMatch(/^[0-9a-f]{32}$/)
    expect(questionOf(second)).toBe(questionOf(first))
  })

  it('contain no time in any notation', () => {
    const now = Date.now()
    const id = newId()
    const { message } = makeDelivery(id)
    const delivery = { ...makeDelivery(id), acceptedAt: now, expires: now + 60_000 }
    const asked = { host: 'h', session: 's', at: now, isForAll: true, questions: [id] }
    const text = JSON.stringify([
      recordOf(delivery, { ...message, title: '', body: '', at: new Date(now).toISOString() }, now),
      answerOf(asked, now),
    ])
    for (const [name, digits] of Object.entries({
      ...{
        ms: `${now}`,
        seconds: `${Math.floor(now / 1000)}`,
        base36: now.toString(36).slice(0, 5),
      },
      ...{ iso: new Date(now).toISOString().slice(0, 10), hex: now.toString(16).slice(0, 7) },
    })) {
      expect(text, name).not.toContain(digits)
    }
  })

  it('are valid and limited in size for any message', () => {
    const long = 'é'.repeat(100_000)
    const { message } = makeDelivery('e1')
    const origin = { label: long, project: long, branch: long, host: long, reply: long }
    const big = { ...message, title: long, body: long, client: long, event: long, origin }
    const record = recordOf(makeDelivery(long, { host: long, session: long }), big, 1000)
    expect(recordSchema.safeParse(record).error).toBeUndefined()
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(MAX_RECORD_BYTES)
  })
})
