import { describe, expect, it } from 'vitest'
import { type HubRecord, recordOf } from '../../src/hub/record.ts'
import { parseRecord, toDelivery } from '../../src/hub-server/accept.ts'
import { makeDelivery } from '../support/delivery.ts'

/** The message that a hub sends for a message of a machine. */
function throughHub(changes: { asks?: boolean }, added: object = {}) {
  const delivery = makeDelivery('e1', { session: 's1' })
  const record = recordOf(delivery, { ...delivery.message, ...changes }, 1000)
  const parsed = parseRecord(JSON.stringify({ ...record, ...added })) as HubRecord
  return toDelivery({ record: parsed, receivedAt: 1000 }, 0).message
}

describe('hub: the message of a record', () => {
  it('stays shown if the turn of the agent ended with a question', () => {
    expect(throughHub({ asks: true }).asks).toBe(true)
    expect(throughHub({})).not.toHaveProperty('asks')
  })

  it('drops unknown fields of a newer machine', () => {
    expect(throughHub({}, { url: 'https://example.com' })).toEqual(throughHub({}))
  })

  it('is not lost if only a newer hub knows its kind', () => {
    const message = throughHub({}, { kind: 'review', urgency: 'highest' })
    expect(message).toMatchObject({ kind: 'other', urgency: 'normal' })
  })
})
