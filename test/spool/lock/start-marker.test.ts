import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { execa } from 'execa'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { acquireLock } from '../../../src/spool/lock/lock.ts'
import {
  endStart,
  mayStart,
  passStart,
  startMarkerPath,
} from '../../../src/spool/lock/start-marker.ts'
import { buildProgram } from '../../support/program.ts'
import { makeWorld } from '../../worker/_world.ts'
import { startSleeper } from '../_sleeper.ts'

const uptime = Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'utf8')))

/** Above the largest process id. */
const GONE = 2 ** 22 + 1

let lockTaker = ''
beforeAll(async () => {
  lockTaker = await buildProgram('test/spool/_lock-taker.ts')
})

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

  it.each([
    ['by a process that is gone', `${GONE} ${uptime - 60}\n`, true],
    ['before the machine was started again', `${GONE} ${uptime + 60}\n`, true],
    ['a moment ago, perhaps in another container', `${GONE} ${uptime}\n`, false],
    ['by a process that is slow', `${process.pid} ${uptime - 60}\n`, false],
    ['only as an empty file', '', false],
  ])('shows whether a start has failed when it was written %s', (_, text, hasFailed) => {
    const { stateDir } = makeWorld()
    writeFileSync(startMarkerPath(stateDir), text)
    const onFailed = vi.fn()
    mayStart(stateDir, onFailed)
    expect(onFailed).toHaveBeenCalledTimes(hasFailed ? 1 : 0)
  })

  it('of another process is not passed on', async () => {
    const { stateDir } = makeWorld()
    const { owner } = await startSleeper()
    const text = `${owner.pid} ${uptime}\n`
    writeFileSync(startMarkerPath(stateDir), text)
    passStart(stateDir, 1)
    expect(readFileSync(startMarkerPath(stateDir), 'utf8')).toBe(text)
  })

  it('is overwritten completely, even if its content was longer before', () => {
    const { stateDir } = makeWorld()
    writeFileSync(startMarkerPath(stateDir), `${process.pid} ${uptime}\nrest\n`)
    passStart(stateDir, 1)
    expect(readFileSync(startMarkerPath(stateDir), 'utf8')).toMatch(/^1 \d+\n$/)
  })

  it('is removed when the worker takes the lock', () => {
    const { stateDir } = makeWorld()
    mayStart(stateDir)
    acquireLock(stateDir)
    expect(mayStart(stateDir)).toBe(true)
  })

  // Otherwise no worker would start for an event that arrives after the worker's last look, until the next event.
  it('does not outlive the lock of a worker that was faster than the hook that started it', async () => {
    const { stateDir } = makeWorld()
    const { owner: worker } = await startSleeper()
    mayStart(stateDir)
    // The worker takes the lock while the hook's own process id is still in the marker.
    expect((await execa(process.execPath, [lockTaker, stateDir])).stdout).toContain('true')
    passStart(stateDir, worker.pid)
    expect(existsSync(startMarkerPath(stateDir))).toBe(false)
  })

  it('does not prevent a start if it cannot be written', () => {
    expect(mayStart('/nonexistent/state')).toBe(true)
  })
})
