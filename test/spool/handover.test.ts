import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { acquireLock, lockPath } from '../../src/spool/lock/lock.ts'
import { ownerToken, thisProcess } from '../../src/spool/lock/owner.ts'
import {
  endHandover,
  handoverRequested,
  requestHandover,
  requestHandoverIfOlder,
} from '../../src/spool/requests.ts'
import { buildProgram } from '../support/program.ts'
import { makeWorld } from '../worker/_world.ts'
import { startSleeper } from './_sleeper.ts'

let program = ''
beforeAll(async () => {
  program = await buildProgram('test/spool/_old-worker.ts')
})

/** Starts a process that holds the lock and ends when it is asked to hand over. */
async function startOldWorker() {
  const { stateDir } = makeWorld()
  const child = spawn(process.execPath, [program, stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { stateDir, ended: once(child, 'exit') }
}

describe('a worker of an older version', () => {
  it('ends when a newer one asks, even while it waits for events', async () => {
    const { stateDir, ended } = await startOldWorker()
    expect(requestHandover(stateDir)).toBe(true)
    expect((await ended)[0]).toBe(0)
    expect(existsSync(lockPath(stateDir))).toBe(false)
  })

  it.each([
    ['1.9.0', '1.10.0', true],
    ['1.10.0', '1.9.0', false],
    ['1.2.3', '1.2.3', false],
    ['2.0.0', '1.5.9', false],
    ['', '0.0.1', true],
    ['-', '0.1.0', true],
    ['0.1.0', '-', false],
  ])('%s is asked to end by version %s: %s', async (old, mine, isAsked) => {
    const { stateDir } = makeWorld()
    const { owner } = await startSleeper()
    writeFileSync(lockPath(stateDir), `${ownerToken(owner).replaceAll('_', ' ')} ${old}\n`)
    expect(requestHandoverIfOlder(stateDir, mine)).toBe(isAsked)
    expect(existsSync(join(stateDir, 'spool/requests/handover'))).toBe(isAsked)
  })
})

describe('a handover request', () => {
  it('is not made if no worker runs', () => {
    expect(requestHandover(makeWorld().stateDir)).toBe(false)
  })

  it('is ignored by a process that it does not address', async () => {
    const { stateDir } = makeWorld()
    const { owner } = await startSleeper()
    writeFileSync(lockPath(stateDir), `${ownerToken(owner).replaceAll('_', ' ')}\n`)
    requestHandover(stateDir)
    expect(handoverRequested(stateDir)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('is not waited for if a pipe is in its place', () => {
    const { stateDir } = makeWorld()
    execFileSync('mkfifo', [join(stateDir, 'spool/requests/handover')])
    expect(handoverRequested(stateDir)).toBe(false)
  })

  it('is not made by a worker to itself', () => {
    const { stateDir } = makeWorld()
    acquireLock(stateDir)
    expect(requestHandover(stateDir)).toBe(false)
    expect(handoverRequested(stateDir)).toBe(false)
  })

  it('ends no process on this machine if a worker of the first version runs on another one', async () => {
    const { stateDir } = makeWorld()
    const { owner } = await startSleeper()
    const token = ownerToken({ ...owner, host: 'elsewhere' })
    writeFileSync(lockPath(stateDir), `${token.replaceAll('_', ' ')}\n`)
    const kill = vi.spyOn(process, 'kill')
    onTestFinished(() => kill.mockRestore())
    expect(requestHandover(stateDir)).toBe(true)
    expect(kill).not.toHaveBeenCalledWith(owner.pid, 'SIGTERM')
  })

  it('is made although an earlier one was left half-written, or the spool is gone', async () => {
    const { stateDir, spool } = makeWorld()
    const { owner } = await startSleeper()
    writeFileSync(lockPath(stateDir), `${ownerToken(owner).replaceAll('_', ' ')} 1.0.0\n`)
    const path = join(stateDir, 'spool/requests/handover')
    writeFileSync(`${path}.${process.pid}`, 'half')
    rmSync(spool.new, { recursive: true })
    expect(requestHandover(stateDir)).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe(`${ownerToken(owner)}\n`)
  })

  it('is removed by the process that it addresses, once fulfilled', async () => {
    const { stateDir } = makeWorld()
    const { owner } = await startSleeper()
    const path = join(stateDir, 'spool/requests/handover')
    for (const [addressed, isLeft] of [
      [owner, true],
      [thisProcess(), false],
    ] as const) {
      writeFileSync(path, `${ownerToken(addressed)}\n`)
      endHandover(stateDir)
      expect(existsSync(path)).toBe(isLeft)
    }
  })
})
