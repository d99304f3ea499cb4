import { expect, it } from 'vitest'
import { HEARTBEAT_MS, LEASE_MS } from '../../../src/spool/lock/owner.ts'

it('an owner keeps what it owns although it misses some heartbeats', () => {
  expect(LEASE_MS).toBeGreaterThanOrEqual(3 * HEARTBEAT_MS)
})
