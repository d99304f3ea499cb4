import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Claims } from '../../src/spool/claim.ts'
import { type Owner, ownerToken, thisProcess } from '../../src/spool/owner.ts'
import { buildProgram } from '../support/program.ts'
import { makeWorld } from '../worker/_world.ts'
import { startSleeper } from './_sleeper.ts'

const isFull = process.env.HOOKBELL_FULL === '1'
const CLAIMERS = isFull ? 16 : 6
let program = ''
beforeAll(async () => {
  program = await buildProgram('test/spool/_claimer.ts')
})

const twoLeases = new Date(Date.now() - 10 * 60_000)

/** Makes a worker's folder with one claimed event in it. */
function leaveBehind(owner: Owner, name = 'event') {
  const world = makeWorld()
  const folder = join(world.spool.cur, ownerToken(owner))
  mkdirSync(folder)
  writeFileSync(join(folder, name), 'hookbell-event 1\nclient: claude\n\n{}')
  return { ...world, folder, claims: new Claims(world.spool) }
}

describe('a claim', () => {
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
    ['of another boot', { boot: '00000000-0000-4000-8000-000000000000' }],
    ['of a process id that is not in use', { pid: 2 ** 22 + 1 }],
  ])('%s is taken over', (_, difference) => {
    const { claims } = leaveBehind({ ...thisProcess(), ...difference })
    expect(claims.reclaimAbandoned()).toBe(1)
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

  it('of another machine or container is taken over only after its lease', () => {
    const { claims, folder } = leaveBehind({ ...thisProcess(), host: 'elsewhere.1', pid: 1 })
    expect(claims.reclaimAbandoned()).toBe(0)
    utimesSync(folder, twoLeases, twoLeases)
    expect(claims.reclaimAbandoned()).toBe(1)
  })

  it('succeeds after the folder of the worker was removed', () => {
    const world = makeWorld()
    const claims = new Claims(world.spool)
    const id = world.accept({})
    rmSync(join(world.spool.cur, ownerToken(thisProcess())), { recursive: true })
    expect(claims.take(world.spool.new, id)?.id).toBe(id)
  })

  it('that is released restores the event under its old name', () => {
    const world = makeWorld()
    const claims = new Claims(world.spool)
    const id = world.accept({})
    const claim = claims.take(world.spool.new, id)
    if (claim) claims.release(claim)
    expect(world.list('new')).toEqual([id])
  })

  it('fails for an event that is already claimed', () => {
    const world = makeWorld()
    const claims = new Claims(world.spool)
    const id = world.accept({})
    expect(claims.take(world.spool.new, id)).toBeDefined()
    expect(claims.take(world.spool.new, id)).toBeUndefined()
  })
})
