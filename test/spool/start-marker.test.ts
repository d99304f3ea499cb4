import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { acquireLock } from '../../src/spool/lock.ts'
import { endStart, mayStart, passStart, startMarkerPath } from '../../src/spool/start-marker.ts'
import { makeWorld } from '../worker/_world.ts'
import { startSleeper } from './_sleeper.ts'

const uptime = Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'utf8')))

describe('the start marker', () => {
  it('lets one process at a time start a worker', () => {
    const { stateDir } = makeWorld()
    expect(mayStart(stateDir)).toBe(true)
    expect(mayStart(stateDir)).toBe(false)
    endStart(stateDir)
    expect(mayStart(stateDir)).toBe(true)
  })

  it('is ignored once its process has ended', async () => {
    const { stateDir } = makeWorld()
    const sleeper = await startSleeper()
    mayStart(stateDir)
    passStart(stateDir, sleeper.owner.pid)
    expect(mayStart(stateDir)).toBe(false)
    await sleeper.kill()
    expect(mayStart(stateDir)).toBe(true)
  })

  it.each([
    ['old', `${process.pid} ${uptime - 60}\n`],
    ['from the future', `${process.pid} ${uptime + 60}\n`],
    ['empty', ''],
    ['nonsense', 'x y z'],
  ])('is ignored when it is %s', (_, text) => {
    const { stateDir } = makeWorld()
    writeFileSync(startMarkerPath(stateDir), text)
    expect(mayStart(stateDir)).toBe(true)
  })

  it('of another process is neither removed nor passed on', async () => {
    const { stateDir } = makeWorld()
    const { owner } = await startSleeper()
    const text = `${owner.pid} ${uptime}\n`
    writeFileSync(startMarkerPath(stateDir), text)
    endStart(stateDir)
    passStart(stateDir, 1)
    expect(readFileSync(startMarkerPath(stateDir), 'utf8')).toBe(text)
  })

  it('is removed when the worker takes the lock', () => {
    const { stateDir } = makeWorld()
    mayStart(stateDir)
    acquireLock(stateDir)
    expect(mayStart(stateDir)).toBe(true)
  })

  it('does not prevent a start if it cannot be written', () => {
    expect(mayStart('/nonexistent/state')).toBe(true)
  })
})
