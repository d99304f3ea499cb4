import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readProc } from '../../../src/spool/lock/process.ts'

it('a folder called /proc is not read on Windows, where any user can make it', () => {
  expect(() => readProc('uptime', 'win32')).toThrow('no /proc')
})

it.runIf(existsSync('/proc/uptime'))('/proc is read elsewhere', () => {
  expect(Number.parseFloat(readProc('uptime'))).toBeGreaterThan(0)
})
