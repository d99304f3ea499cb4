import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { HEARTBEAT_MS, LEASE_MS, readProc } from '../../../src/spool/lock/owner.ts'

it('an owner keeps what it owns although it misses some heartbeats', () => {
  expect(LEASE_MS).toBeGreaterThanOrEqual(3 * HEARTBEAT_MS)
})

it('a folder called /proc is not read on Windows, where any user can make it', () => {
  expect(() => readProc('uptime', 'win32')).toThrow('no /proc')
})

it.runIf(existsSync('/proc/uptime'))('/proc is read elsewhere', () => {
  expect(Number.parseFloat(readProc('uptime'))).toBeGreaterThan(0)
})
