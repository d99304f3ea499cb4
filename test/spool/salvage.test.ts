import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { salvage } from '../../src/spool/salvage.ts'
import { buildProgram } from '../support/program.ts'
import { runs } from '../support/runs.ts'
import { makeWorld } from '../worker/_world.ts'

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

  it('does not replace a waiting event of the same name', () => {
    const { spool } = makeLeft(EVENT)
    writeFileSync(join(spool.new, 'left-1'), 'other')
    expect(salvage(spool, now)).toBe(0)
    expect(readFileSync(join(spool.new, 'left-1'), 'utf8')).toBe('other')
  })
})

describe('events of a front door that cannot sync', () => {
  let program = ''
  beforeAll(async () => {
    program = await buildProgram('test/spool/_syncer.ts')
  })

  it.skipIf(!hasStrace)('are synced to the disk by the worker, and then their folder', () => {
    const { spool, stateDir, folder } = makeWorld()
    for (const name of ['a', 'b']) writeFileSync(join(spool.new, name), EVENT)
    mkdirSync(join(spool.new, 'folder'))
    symlinkSync('/etc/passwd', join(spool.new, 'link'))
    const log = join(folder, 'log')
    const trace = ['-f', '-y', '-qq', '-o', log, '-e', 'trace=fsync']
    const words = [...trace, process.execPath, program, stateDir]
    expect(spawnSync('strace', words, { encoding: 'utf8' }).stdout).toBe('2\n')
    const synced = [...readFileSync(log, 'utf8').matchAll(/<([^>]*)>\)\s+= 0/g)]
    expect(synced.map(([, path]) => path)).toEqual([`${spool.new}/a`, `${spool.new}/b`, spool.new])
  })
})
