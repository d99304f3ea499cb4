import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasProc } from '../../src/spool/lock/owner.ts'
import { nextSalvageInMs, salvage, syncWaiting } from '../../src/spool/salvage.ts'
import { buildProgram } from '../support/program.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type World } from '../worker/_world.ts'

const HEADER = 'hookbell-event 1\nclient: droid\n\n'
const EVENT = `${HEADER}{"hook_event_name":"Stop","text":"}"}`
const now = Date.now()
const isRoot = process.getuid?.() === 0
const hasStrace = spawnSync('strace', ['-V']).status === 0

/** The remains of a front door that wrote `text` a minute ago and was killed. */
function makeLeft(text: string | Buffer, name = 'left-1', ageMs = 60_000) {
  const { spool, ...world } = makeWorld()
  const path = join(spool.tmp, name)
  writeFileSync(path, text)
  const at = new Date(now - ageMs)
  utimesSync(path, at, at)
  return { ...world, spool, path }
}

describe('an event that a killed hook left in tmp/', () => {
  it('is accepted once, unchanged, if it is complete', () => {
    const { spool } = makeLeft(EVENT)
    expect(salvage(spool, now)).toBe(1)
    expect(salvage(spool, now)).toBe(0)
    expect(readdirSync(spool.tmp)).toEqual([])
    expect(readFileSync(join(spool.new, 'left-1'), 'utf8')).toBe(EVENT)
  })

  it('is delivered', async () => {
    const { spool, once, lines } = makeLeft(EVENT)
    salvage(spool, now)
    await once()
    expect(lines()).toMatchObject([{ id: 'left-1' }])
  })

  it('stays when any part of it is missing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: EVENT.length - 1 }), (size) => {
        const { spool } = makeLeft(EVENT.slice(0, size))
        expect(salvage(spool, now)).toBe(0)
      }),
      { numRuns: runs(EVENT.length) },
    )
  })

  it.each([
    ['its writer may still be running', EVENT, 'left', 20_000],
    ['it is from the future', EVENT, 'left', -60_000],
    ['it is not an object', `${HEADER}[1]`, 'left', 60_000],
    ['it was cut at the size limit', `${HEADER}{"a":"${'x'.repeat(1024 * 1024)}"}`, 'left', 60_000],
    ['its name is invalid', EVENT, '.left', 60_000],
    ['it is the 64 KiB that a front door reserves first', ' '.repeat(65536), 'left', 60_000],
  ])('stays when %s', (_, text, name, ageMs) => {
    const { spool } = makeLeft(text, name, ageMs)
    expect(salvage(spool, now)).toBe(0)
    expect(readdirSync(spool.tmp)).toEqual([name])
  })

  it.each([
    ['it is young', EVENT, 'left', 20_000, 10_000],
    ['it has just been written', EVENT, 'left', 0, 30_000],
    ['it is old enough', EVENT, 'left', 30_000, undefined],
    ['it is from the future', EVENT, 'left', -1000, undefined],
    ['it is cut', EVENT.slice(0, -1), 'left', 20_000, undefined],
    ['its name is invalid', EVENT, '.left', 20_000, undefined],
  ])(
    'shows how long to wait until it may be accepted, if at all: %s',
    (_, text, name, ageMs, expected) => {
      const { spool } = makeLeft(text, name, ageMs)
      mkdirSync(join(spool.tmp, 'folder'))
      symlinkSync('/dev/null', join(spool.tmp, 'link'))
      const ms = nextSalvageInMs(spool, now)
      // The disk may round the time of the file.
      expect(ms && Math.ceil(ms / 10) * 10).toBe(expected)
    },
  )

  it('stays when it is a link or a folder', () => {
    const { spool, path } = makeLeft(EVENT, 'target')
    symlinkSync(path, join(spool.tmp, 'link'))
    mkdirSync(join(spool.tmp, 'folder'))
    salvage(spool, now)
    expect(readdirSync(spool.tmp).sort()).toEqual(['folder', 'link'])
  })

  it.skipIf(!isRoot)('stays when another user owns it', () => {
    const { spool, path } = makeLeft(EVENT)
    chownSync(path, 54321, 54321)
    expect(salvage(spool, now)).toBe(0)
    expect(existsSync(path)).toBe(true)
  })

  it('stays while it cannot be moved', () => {
    const { spool, path } = makeLeft(EVENT)
    rmSync(spool.new, { recursive: true })
    expect(salvage(spool, now)).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(EVENT)
  })

  it('does not replace a waiting event of the same name', () => {
    const { spool } = makeLeft(EVENT)
    writeFileSync(join(spool.new, 'left-1'), 'other')
    expect(salvage(spool, now)).toBe(0)
    expect(readFileSync(join(spool.new, 'left-1'), 'utf8')).toBe('other')
  })
})

describe('a worker that receives events from a front door', () => {
  let program = ''
  beforeAll(async () => {
    program = await buildProgram('test/spool/_syncer.ts')
  })

  /** What the program prints, and the paths that it synced and renamed, in order. */
  function runTraced({ stateDir, folder }: Pick<World, 'stateDir' | 'folder'>, what = 'sync') {
    const log = join(folder, 'log')
    const trace = ['-f', '-y', '-qq', '-o', log, '-e', 'trace=fsync,/^rename']
    const words = [...trace, process.execPath, program, stateDir, what]
    const { stdout } = spawnSync('strace', words, { encoding: 'utf8' })
    const calls = [...readFileSync(log, 'utf8').matchAll(/(?:<([^>]*)>|, "([^"]*)")\)\s+= 0/g)]
    return { stdout, calls: calls.map(([, synced, to]) => synced ?? `to ${to}`) }
  }

  it.skipIf(!hasStrace)('syncs them to the disk, and then their folder', () => {
    const world = makeWorld()
    const { spool } = world
    for (const name of ['a', 'b']) writeFileSync(join(spool.new, name), EVENT)
    mkdirSync(join(spool.new, 'folder'))
    symlinkSync('/etc/passwd', join(spool.new, 'link'))
    expect(runTraced(world)).toEqual({
      ...{ stdout: '2\n', calls: [`${spool.new}/a`, `${spool.new}/b`, spool.new] },
    })
  })

  it.skipIf(!hasStrace)('syncs an event that was left in tmp/ before accepting it', () => {
    const world = makeLeft(EVENT)
    const { spool, path } = world
    expect(runTraced(world, 'salvage')).toEqual({
      ...{ stdout: '1\n', calls: [path, `to ${spool.new}/left-1`, spool.new] },
    })
  })

  it.skipIf(!hasProc())('leaves no file open', () => {
    const { spool } = makeLeft(EVENT)
    const before = readdirSync('/proc/self/fd').length
    expect([salvage(spool, now), syncWaiting(spool)]).toEqual([1, 1])
    expect(readdirSync('/proc/self/fd')).toHaveLength(before)
  })
})
