import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  acquireLock,
  isSoleWorker,
  lockHolder,
  lockPath,
  lockVersion,
  releaseLock,
  touchLock,
} from '../../../src/spool/lock/lock.ts'
import {
  livenessOf,
  type Owner,
  ownerToken,
  parseOwner,
  thisProcess,
} from '../../../src/spool/lock/owner.ts'
import { buildProgram, builtWorker } from '../../support/program.ts'
import { makeWorld } from '../../worker/_world.ts'
import { startSleeper } from '../_sleeper.ts'

const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0

const hasStrace = spawnSync('strace', ['-V']).status === 0

let program = ''
beforeAll(async () => {
  program = await buildProgram('test/spool/_lock-taker.ts')
})

const longAgo = new Date(Date.now() - 10 * 60_000)

function makeLock(owner: Owner | string) {
  const { stateDir } = makeWorld()
  const text = typeof owner === 'string' ? owner : ownerToken(owner).replaceAll('_', ' ')
  writeFileSync(lockPath(stateDir), `${text}\n`)
  return stateDir
}

describe('the owner of a lock or claim', () => {
  it('survives a round trip through its token, and is alive if it is this process', () => {
    expect(livenessOf(thisProcess())).toBe('alive')
    expect(parseOwner(ownerToken(thisProcess()))).toEqual(thisProcess())
  })

  it('is dead when it has ended, when another process has its id, and after a reboot', async () => {
    const sleeper = await startSleeper()
    expect(livenessOf(sleeper.owner)).toBe('alive')
    expect(livenessOf({ ...sleeper.owner, started: '7' })).toBe('dead')
    expect(livenessOf({ ...sleeper.owner, boot: 'another' })).toBe('dead')
    await sleeper.kill()
    expect(livenessOf(sleeper.owner)).toBe('dead')
  })

  it('is seen to be dead although the machine was renamed', async () => {
    const sleeper = await startSleeper()
    const { host = '' } = thisProcess()
    const before = { ...sleeper.owner, host: `before${host.slice(host.lastIndexOf('.'))}` }
    expect(livenessOf(before)).toBe('alive')
    await sleeper.kill()
    expect(livenessOf(before)).toBe('dead')
  })

  it('is stopped, not dead, after SIGSTOP', async () => {
    const sleeper = await startSleeper()
    await sleeper.stop()
    expect(livenessOf(sleeper.owner)).toBe('stopped')
  })

  it('is unknown if it is on another machine or container, even with another boot id', () => {
    expect(livenessOf({ ...thisProcess(), host: 'elsewhere.1', boot: 'x' })).toBe('unknown')
  })

  it.each(['', 'nonsense', '12', '12 34', '-1 2 3', '1 2 3 4 5 6', '1__2'])(
    'cannot be parsed from %j',
    (text) => {
      expect(parseOwner(text)).toBeUndefined()
    },
  )
})

describe('the lock', () => {
  it('has one holder at a time', () => {
    const { stateDir } = makeWorld()
    expect(acquireLock(stateDir)).toBe(true)
    expect(acquireLock(stateDir)).toBe(false)
    expect(lockHolder(stateDir)).toEqual(thisProcess())
    releaseLock(stateDir)
    expect(lockHolder(stateDir)).toBeUndefined()
    expect(acquireLock(stateDir)).toBe(true)
    expect(readdirSync(stateDir).filter((name) => name.startsWith('worker.lock'))).toEqual([
      'worker.lock',
    ])
  })

  it('begins with the process id and start time, which the front door reads', () => {
    const { stateDir } = makeWorld()
    acquireLock(stateDir)
    const { pid, started } = thisProcess()
    expect(readFileSync(lockPath(stateDir), 'utf8').split(' ').slice(0, 2)).toEqual([
      `${pid}`,
      started,
    ])
  })

  it.each([
    ['a dead process', { pid: 2 ** 22 + 1 }],
    ['a process whose id was reused', { started: '7' }],
    ['another boot', { boot: '00000000-0000-4000-8000-000000000000' }],
  ])('of %s is broken', (_, difference) => {
    expect(acquireLock(makeLock({ ...thisProcess(), ...difference }))).toBe(true)
  })

  it('with invalid content is broken', () => {
    expect(acquireLock(makeLock('\u0000\u0000'))).toBe(true)
  })

  it.skipIf(!hasStrace)(
    'that cannot be replaced does not keep a worker from delivering',
    async () => {
      const world = makeWorld()
      world.accept({ message: 'one' })
      writeFileSync(lockPath(world.stateDir), 'without sense\n')
      const failing = ['-f', '-qq', '-o', '/dev/null', '-P', lockPath(world.stateDir)]
      const calls = 'rename,renameat,renameat2'
      const fault = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`]
      spawnSync('strace', [...failing, ...fault, process.execPath, builtWorker], { env: world.env })
      expect(world.lines()).toHaveLength(1)
    },
  )

  it('of a living process is respected, however old it is', async () => {
    const { owner } = await startSleeper()
    const stateDir = makeLock(owner)
    utimesSync(lockPath(stateDir), longAgo, longAgo)
    expect(acquireLock(stateDir)).toBe(false)
  })

  it('of a stopped process is broken', async () => {
    const sleeper = await startSleeper()
    await sleeper.stop()
    expect(acquireLock(makeLock(sleeper.owner))).toBe(true)
  })

  it('of another machine or container does not block one worker on this machine', () => {
    const other = { ...thisProcess(), host: 'elsewhere.1' }
    const stateDir = makeLock(other)
    expect(acquireLock(stateDir)).toBe(true)
    expect(acquireLock(stateDir)).toBe(false)
    expect(isSoleWorker(stateDir)).toBe(false)
    expect(lockHolder(stateDir)).toEqual(thisProcess())
    releaseLock(stateDir)
    expect(lockHolder(stateDir)).toEqual(other)
    expect(acquireLock(stateDir)).toBe(true)
  })

  it('of another machine or container is broken when it was not touched for a long time', () => {
    const stateDir = makeLock({ ...thisProcess(), host: 'elsewhere.1' })
    utimesSync(lockPath(stateDir), longAgo, longAgo)
    expect(acquireLock(stateDir)).toBe(true)
    expect(isSoleWorker(stateDir)).toBe(true)
  })

  it('of a container is removed long after that container has ended', () => {
    const { stateDir } = makeWorld()
    const left = join(stateDir, 'worker.gone.7.lock')
    const token = ownerToken({ ...thisProcess(), host: 'gone.7' }).replaceAll('_', ' ')
    writeFileSync(left, `${token} 0.1.0\n`)
    utimesSync(left, longAgo, longAgo)
    acquireLock(stateDir)
    expect(readdirSync(stateDir).filter((name) => name.endsWith('.lock'))).toEqual(['worker.lock'])
  })

  it('contains the version of the worker', () => {
    const { stateDir } = makeWorld()
    acquireLock(stateDir, '1.2.3')
    expect(lockVersion(stateDir)).toBe('1.2.3')
  })

  it('in the older formats with three or four words is still read', async () => {
    const { owner } = await startSleeper()
    const stateDir = makeLock(owner)
    expect(lockHolder(stateDir)).toEqual(owner)
    expect(lockVersion(stateDir)).toBeUndefined()
    const { host: _, ...here } = owner
    expect(lockHolder(makeLock(here))).toEqual(here)
  })

  it.skipIf(!canMount)(
    'that does not fit on the disk counts as acquired and leaves no file',
    () => {
      const { stateDir } = makeWorld()
      const fill = 'head -c 1000000 /dev/zero >"$1/fill" 2>/dev/null; exec "$2" "$3" "$1"'
      const mount = 'mount -t tmpfs -o mode=700,size=64k x "$1"'
      const script = `${mount}; ${fill}`
      const words = ['-m', 'sh', '-c', script, 'sh', stateDir, process.execPath, program]
      const { stdout } = spawnSync('unshare', words, { encoding: 'utf8' })
      expect(JSON.parse(stdout)).toEqual({ acquired: true, files: ['fill'] })
    },
  )

  it('of another process is neither released nor touched', async () => {
    const { owner } = await startSleeper()
    const stateDir = makeLock(owner)
    releaseLock(stateDir)
    touchLock(stateDir)
    expect(lockHolder(stateDir)).toEqual(owner)
  })
})
