import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { enforceCaps, type Removal } from '../../src/spool/caps.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeFolder } from '../support/folder.ts'
import { parkDead } from '../support/parked.ts'

const noCaps = { maxBytes: Number.POSITIVE_INFINITY, maxFiles: 1e9, reserveBytes: 0 }
const plenty = () => 1e12

async function makeFilled() {
  const spool = prepareSpool(await makeFolder())
  for (const [index, folder] of (['dead', 'corrupt', 'new', 'cards'] as const).entries()) {
    for (let age = 1; age <= 5; age += 1) {
      const path = join(spool[folder], `e${age}`)
      writeFileSync(path, 'x'.repeat(100))
      utimesSync(path, 1000 - age - index, 1000 - age - index)
    }
  }
  const removals: Removal[] = []
  const tell = async (removal: Removal) => void removals.push(removal)
  return { spool, removals, tell, left: (folder: 'dead' | 'corrupt') => readdirSync(spool[folder]) }
}

describe('the caps of dead and corrupt files', () => {
  it('remove the oldest files first, report each removal, and spare waiting events', async () => {
    const { spool, removals, tell, left } = await makeFilled()
    expect(await enforceCaps(spool, tell, { ...noCaps, maxFiles: 3 }, plenty)).toBe(4)
    expect([left('dead'), left('corrupt')]).toEqual([
      ['e1', 'e2', 'e3'],
      ['e1', 'e2', 'e3'],
    ])
    expect(removals.filter(({ folder }) => folder === 'dead')).toEqual([
      { folder: 'dead', name: 'e5', events: ['e5'], reason: 'more than 3 files were kept' },
      { folder: 'dead', name: 'e4', events: ['e4'], reason: 'more than 3 files were kept' },
    ])
    expect([readdirSync(spool.new), readdirSync(spool.cards)].map((all) => all.length)).toEqual([
      5, 5,
    ])
  })

  it('limit the total size in bytes', async () => {
    const { spool, tell, left } = await makeFilled()
    await enforceCaps(spool, tell, { ...noCaps, maxBytes: 250 }, plenty)
    expect(left('dead')).toEqual(['e1', 'e2'])
  })

  it('remove files until enough disk space is free', async () => {
    const { spool, tell, left } = await makeFilled()
    let free = 0
    const grows = () => {
      free += 10
      return free
    }
    await enforceCaps(spool, tell, { ...noCaps, reserveBytes: 35 }, grows)
    expect(left('corrupt')).toEqual(['e1', 'e2'])
  })

  it('remove nothing when the free space is unknown', async () => {
    const { spool, tell, left } = await makeFilled()
    rmSync(spool.dead, { recursive: true })
    await expect(enforceCaps(spool, tell, { ...noCaps, reserveBytes: 1 })).rejects.toThrow('ENOENT')
    expect(left('corrupt')).toHaveLength(5)
  })

  it('remove nothing at the caps themselves, or by default on a disk with room', async () => {
    const { spool, removals, tell } = await makeFilled()
    const exact = { maxBytes: 500, maxFiles: 5, reserveBytes: 7 }
    expect(await enforceCaps(spool, tell, exact, () => 7)).toBe(0)
    expect(await enforceCaps(spool, tell)).toBe(0)
    expect(removals).toEqual([])
  })

  it('remove a file or folder only after its removal is recorded, whatever it contains', async () => {
    const { spool, left } = await makeFilled()
    mkdirSync(join(spool.corrupt, 'folder/inside'), { recursive: true })
    writeFileSync(join(spool.dead, 'not an id'), '')
    const seen: unknown[] = []
    const tell = async ({ folder, name, events }: Removal) => {
      const path = join(spool[folder], name)
      await nextTurn()
      seen.push([folder, name, events, existsSync(path)])
      // Another process may remove the file meanwhile.
      if (name === 'e3') rmSync(path)
    }
    await enforceCaps(spool, tell, { ...noCaps, maxFiles: 0 }, plenty)
    expect([left('dead'), left('corrupt')]).toEqual([[], []])
    // A file in corrupt/ counts as no event, although its name may be the id of one.
    const names = ['e5', 'e4', 'e3', 'e2', 'e1']
    expect(seen).toEqual([
      ...names.map((name) => ['corrupt', name, [], true]),
      ['corrupt', 'folder', [], true],
      ...names.map((name) => ['dead', name, [name], true]),
      ['dead', 'not an id', [], true],
    ])
  })

  it('report the channel of a removed delivery', async () => {
    const { spool, removals, tell } = await makeFilled()
    parkDead(spool, { since: 0, reason: 'x', isHeld: false, delivery: makeDelivery('a') })
    await enforceCaps(spool, tell, { ...noCaps, maxFiles: 0 }, plenty)
    expect(removals).toContainEqual(expect.objectContaining({ events: ['a'], channel: 'file' }))
  })
})
