import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summarize } from '../../src/deliver/summary.ts'
import { deliverySchema } from '../../src/delivery.ts'
import { makeDelivery } from '../support/delivery.ts'

describe('a summary', () => {
  it('says what the first one says, and how many more', () => {
    const all = ['a', 'b', 'c'].map((id) => makeDelivery(id)) as [ReturnType<typeof makeDelivery>]
    const { message, events, id } = summarize(all)
    expect(message.title).toBe('title of a and 2 more')
    expect(message.body).toBe('title of a\ntitle of b\ntitle of c')
    expect([events, id]).toEqual([['a', 'b', 'c'], 'a.file'])
  })

  it('counts every event, and is a delivery like any other', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.uuid(), { minLength: 1 }), { minLength: 2 }), (groups) => {
        const all = groups.map((events) => makeDelivery(events[0] ?? '', { events }))
        const summary = summarize(all as [(typeof all)[0]])
        expect(summary.events).toEqual(groups.flat())
        expect(summary.message.title).toContain(`and ${groups.flat().length - 1} more`)
        expect(deliverySchema.safeParse(summary).success).toBe(true)
      }),
    )
  })
})
