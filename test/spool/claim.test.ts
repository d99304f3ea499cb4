import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Claims, takeSpare } from '../../src/spool/claim.ts'
import { LEASE_MS, type Owner, ownerToken, thisProcess } from '../../src/spool/lock/owner.ts'
import { makeDelivery } from '../support/delivery.ts'
import { park, textOfParked } from '../support/parked.ts'
import { buildProgram } from '../support/program.ts'
import { isFull } from '../support/runs.ts'
import { hasStrace } from '../support/system-calls.ts'
import { makeWorld } from '../worker/_world.ts'
import { startSleeper } from './_sleeper.ts'

const CLAIMERS = isFull ? 16 : 6
let program = ''
beforeAll(async () => {
  program = await buildProgram('test/spool/_claimer.ts')
})

const twoLeases = new Date(Date.now() - 10 * 60_000)
/** A time in the future, as from a clock that was wrong. */
const ahead = new Date(Date.now() + 10 * 60_000)

/** Makes a worker's folder with one claimed event in it. */
function leaveBehind(owner: Owner, name = 'event') {
  const world = makeWorld()
  const folder = join(world.spool.cur, ownerToken(owner))
  mkdirSync(folder)
  writeFileSync(join(folder, name), 'hookbell-event 1\nclient: claude\n\n{}')
  return { ...world, folder, claims: new Claims(world.spool) }
}

describe('a claim', () => {
  it('of a card does not overwrite another card of its event, and is not doubled by a crash', () => {
    const dead = { ...thisProcess(), pid: 4194305 }
    const world = leaveBehind(dead, 'e1.json')
    park(world.spool, { since: 0, reason: 'x', isHeld: false, delivery: makeDelivery('e1') })
    const { file, text } = textOfParked(world.spool, 'e1.file')
    writeFileSync(join(world.folder, 'e1.json'), text.replaceAll('file', 'team'))
    // Another channel of the event already has the name that the next number gives.
    writeFileSync(join(world.folder, 'e3~0.json'), text.replaceAll('e1', 'e3'))
    writeFileSync(join(world.spool.cards, 'e3~1.json'), text.replaceAll('file', 'team'))
    // A worker was killed while it moved this one.
    park(world.spool, { since: 0, reason: 'x', isHeld: false, delivery: makeDelivery('e2') })
    linkSync(file.replace('e1', 'e2'), join(world.folder, 'e2~0.json'))
    expect(world.claims.reclaimAbandoned()).toBe(3)
    const cards = ['e1.file', 'e1.team~1', 'e2.file', 'e3.file~2', 'e3.team~1']
    expect(world.parked().sort()).toEqual(cards)
    expect(existsSync(world.folder)).toBe(false)
  })

  it.skipIf(!hasStrace)(
    'counts if the rename reports a failure after it has happened',
    async () => {
      const world = makeWorld()
      const id = world.accept({})
      const inject = 'inject=rename:error=EIO:delay_enter=500000:when=1'
      const log = join(world.folder, 'log')
      const words = ['-f', '-qq', '-o', log, '-e', 'trace=rename', '-e', inject]
      const child = spawn('strace', [...words, process.execPath, program, world.stateDir])
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child.stdout, 'data')
      const [owner = ''] = world.list('cur')
      child.stdin.write('go')
      await expect.poll(() => readFileSync(log, 'utf8')).toContain(id)
      // Moves the event like a file server whose response is lost.
      renameSync(join(world.spool.new, id), join(world.spool.cur, owner, id))
      const [claimed] = await once(child.stdout, 'data')
      expect(JSON.parse(String(claimed))).toEqual([id])
    },
  )

  it(`succeeds for exactly one of ${CLAIMERS} workers`, async () => {
    const count = isFull ? 3000 : 300
    const world = makeWorld()
    for (let index = 0; index < count; index += 1)
      writeFileSync(join(world.spool.new, `e${index}`), '')
    const workers = await Promise.all(
      Array.from({ length: CLAIMERS }, async () => {
        const child = spawn(process.execPath, [program, world.stateDir], { stdio: 'pipe' })
        onTestFinished(() => void child.kill('SIGKILL'))
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
        await lines.next()
        return { child, lines }
      }),
    )
    for (const { child } of workers) child.stdin.write('go\n')
    const got = await Promise.all(
      workers.map(async ({ lines }) => JSON.parse((await lines.next()).value) as string[]),
    )
    expect(got.flat()).toHaveLength(count)
    expect(new Set(got.flat()).size).toBe(count)
  })

  it('of a dead process goes back to new/ with one more crash counted', () => {
    const { claims, spool, folder } = leaveBehind({ ...thisProcess(), started: '1' }, 'event~1')
    expect(claims.reclaimAbandoned()).toBe(1)
    expect(readdirSync(spool.new)).toEqual(['event~2'])
    expect(existsSync(folder)).toBe(false)
  })

  it.each([
    ['of another boot', 'does not count', 0, { boot: '00000000-0000-4000-8000-000000000000' }],
    ['of an unknown boot', 'counts', 1, { boot: '-' }],
    ['of a process id that is not in use', 'counts', 1, { pid: 2 ** 22 + 1 }],
  ])('%s is taken over, and %s as a crash', (_, __, crashes, difference) => {
    const { claims, spool } = leaveBehind({ ...thisProcess(), ...difference })
    expect(claims.reclaimAbandoned()).toBe(1)
    expect(readdirSync(spool.new)).toEqual([`event~${crashes}`])
  })

  it('is taken over although a claim of another dead worker cannot be moved', () => {
    const { claims, spool } = leaveBehind({ ...thisProcess(), started: '1' })
    const other = join(spool.cur, ownerToken({ ...thisProcess(), started: '2' }))
    mkdirSync(other)
    writeFileSync(join(other, 'stuck'), '')
    mkdirSync(join(spool.new, 'stuck~1'))
    expect(claims.reclaimAbandoned()).toBe(1)
    expect(readdirSync(spool.new).sort()).toEqual(['event~1', 'stuck~1'])
    expect(readdirSync(other)).toEqual(['stuck'])
  })

  it('of a dead process whose file has no usable name goes to corrupt/', () => {
    const { claims, spool, folder } = leaveBehind({ ...thisProcess(), started: '1' }, ' x')
    expect(claims.reclaimAbandoned()).toBe(0)
    expect([existsSync(folder), readdirSync(spool.corrupt).length]).toEqual([false, 1])
  })

  it('is never taken from behind a link', () => {
    const { claims, folder, spool } = leaveBehind(thisProcess())
    const elsewhere = join(folder, '..', '..', 'elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'letter'), '')
    symlinkSync(elsewhere, join(spool.cur, ownerToken({ ...thisProcess(), started: '1' })))
    expect(claims.reclaimAbandoned()).toBe(0)
    expect(readdirSync(elsewhere)).toEqual(['letter'])
  })

  it('of a living worker is left alone, even long after its lease', async () => {
    const sleeper = await startSleeper()
    const { claims, folder } = leaveBehind(sleeper.owner)
    utimesSync(folder, twoLeases, twoLeases)
    expect(claims.reclaimAbandoned()).toBe(0)
    expect(readdirSync(folder)).toEqual(['event'])
  })

  it('of a stopped worker is taken over only after its lease', async () => {
    const sleeper = await startSleeper()
    await sleeper.stop()
    const { claims, folder } = leaveBehind(sleeper.owner)
    expect(claims.reclaimAbandoned()).toBe(0)
    utimesSync(folder, twoLeases, twoLeases)
    expect(claims.reclaimAbandoned()).toBe(1)
  })

  it.each([
    ['has expired', twoLeases],
    ['is dated in the future', ahead],
  ])('of another machine or container is taken over only if its lease %s', (_, time) => {
    const { claims, folder } = leaveBehind({ ...thisProcess(), host: 'elsewhere.1', pid: 1 })
    expect(claims.reclaimAbandoned()).toBe(0)
    utimesSync(folder, time, time)
    expect(claims.reclaimAbandoned()).toBe(1)
  })

  it('in a folder that is not named after a process is taken over at once', () => {
    const { claims, spool } = leaveBehind({ pid: 1, started: '', boot: '' })
    expect(claims.reclaimAbandoned()).toBe(1)
    expect(readdirSync(spool.new)).toEqual(['event~1'])
  })

  it('keeps its lease while its worker renews it', () => {
    const { spool } = makeWorld()
    const claims = new Claims(spool)
    const own = join(spool.cur, ownerToken(thisProcess()))
    utimesSync(own, twoLeases, twoLeases)
    claims.touch()
    expect(Date.now() - lstatSync(own).mtimeMs).toBeLessThan(LEASE_MS)
  })

  it('succeeds after the folder of the worker was removed', () => {
    const world = makeWorld()
    const claims = new Claims(world.spool)
    const id = world.accept({})
    rmSync(join(world.spool.cur, ownerToken(thisProcess())), { recursive: true })
    expect(claims.take(world.spool.new, id)?.id).toBe(id)
  })

  it.each([
    ['restores the event under its old name', false, ''],
    ['after its event was begun marks the event, so that its journal entries are read', true, '~0'],
  ])('that is released %s', (_, isStarted, mark) => {
    const world = makeWorld()
    const claims = new Claims(world.spool)
    const id = world.accept({})
    const claim = claims.take(world.spool.new, id)
    if (claim) expect(claims.release(claim, isStarted)).toBe(`${id}${mark}`)
    expect(world.list('new')).toEqual([`${id}${mark}`])
  })

  it('has a folder in reserve as soon as the first worker starts', () => {
    const world = makeWorld()
    const own = join(world.spool.cur, ownerToken(thisProcess()))
    new Claims(world.spool)
    rmSync(world.spool.cur, { recursive: true })
    expect(takeSpare(world.spool, own)).toBe(true)
    expect(readdirSync(world.spool.cur)).toEqual([basename(own)])
    // As left by an earlier version: one folder, without another in it.
    mkdirSync(join(world.stateDir, 'spool/spare'))
    expect(takeSpare(world.spool, `${own}-2`)).toBe(true)
    expect(takeSpare(world.spool, `${own}-3`)).toBe(false)
    expect(readdirSync(world.spool.cur)).toEqual([basename(own), `${basename(own)}-2`])
  })

  it('fails for an event that is already claimed', () => {
    const world = makeWorld()
    const claims = new Claims(world.spool)
    const id = world.accept({})
    expect(claims.take(world.spool.new, id)).toBeDefined()
    expect(claims.take(world.spool.new, id)).toBeUndefined()
  })

  it('reports an event that cannot be moved', () => {
    const world = makeWorld()
    const claims = new Claims(world.spool)
    const id = world.accept({})
    mkdirSync(join(world.spool.cur, ownerToken(thisProcess()), id))
    expect(() => claims.take(world.spool.new, id)).toThrow('EISDIR')
    expect(world.list('new')).toEqual([id])
  })
})
