import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ownerToken, thisProcess } from '../../src/spool/lock/owner.ts'
import { putRequest } from '../../src/spool/requests.ts'
import { Store } from '../../src/spool/store.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeFolder } from '../support/folder.ts'
import {
  claimParked,
  listParked,
  park,
  parkDead,
  removeParked,
  setCrashes,
  textOfParked,
} from '../support/parked.ts'
import { buildProgram } from '../support/program.ts'
import { makeWorld } from '../worker/_world.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0

async function watchNew() {
  const stateDir = await makeFolder()
  const store = new Store({ stateDir })
  let calls = 0
  const watcher = store.watch(() => {
    calls += 1
  })
  onTestFinished(() => {
    watcher.close()
    store.close()
  })
  const arrive = (name: string) => {
    const temporary = join(store.spool.tmp, name)
    writeFileSync(temporary, 'hookbell-event 1\nclient: claude\n\n{}')
    renameSync(temporary, join(store.spool.new, name))
  }
  return { stateDir, store, arrive, calls: () => calls }
}

it.runIf(process.platform === 'linux')(
  'a store does not report its own claims as changes',
  async () => {
    const { store, arrive, calls } = await watchNew()
    arrive('event-1')
    await expect.poll(calls).toBe(1)
    expect(store.claimEvent('event-1')).toBeDefined()
    expect(existsSync(join(store.spool.new, 'event-1'))).toBe(false)
    // Notifications arrive in order, so any notification about the claim has arrived with this one.
    arrive('event-2')
    await expect.poll(calls).toBeGreaterThan(1)
    expect(calls()).toBe(2)
  },
)

it('a store reports that something is asked of the worker', async () => {
  const { stateDir, calls } = await watchNew()
  putRequest(stateDir, 'flush')
  await expect.poll(calls).toBeGreaterThan(0)
})

describe.skipIf(process.platform === 'win32')('a process that can open no more files', () => {
  it('leaves events and deliveries where they are, and reads them when it can again', async () => {
    const { spool, stateDir } = makeWorld()
    writeFileSync(join(spool.new, 'event-1'), 'hookbell-event 1\nclient: claude\n\n{}')
    const why = { since: 0, reason: 'x', isHeld: false }
    park(spool, { ...why, delivery: makeDelivery('parked') })
    parkDead(spool, { ...why, delivery: makeDelivery('dead') })
    const program = await buildProgram('test/spool/_reader.ts')
    const { stdout } = await execa('sh', [
      ...['-c', 'ulimit -n 256 && exec "$0" "$@"'],
      ...[process.execPath, program, stateDir],
    ])
    expect(JSON.parse(stdout)).toEqual({
      during: ['EMFILE', 'EMFILE', 'EMFILE'],
      after: ['{}', 'parked.file', 'nothing'],
    })
    expect([spool.corrupt, spool.new, spool.dead].flatMap((folder) => readdirSync(folder))).toEqual(
      [],
    )
    expect(listParked(spool)).toEqual(['dead.file'])
  })
})

it('a store sets aside a folder, a link and a damaged file among the cards', async () => {
  const { spool, stateDir } = makeWorld()
  mkdirSync(join(spool.cards, 'folder.json'))
  symlinkSync('/etc/passwd', join(spool.cards, 'link.json'))
  symlinkSync('/nowhere', join(spool.cards, 'dangling.json'))
  writeFileSync(join(spool.cards, 'damaged.json'), '{')
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  for (const id of store.due()) {
    const claim = store.claimDelivery(id)
    expect(claim && store.readDelivery(claim)).toBeUndefined()
  }
  expect(readdirSync(spool.cards)).toEqual([])
  expect(readdirSync(spool.corrupt)).toHaveLength(4)
})

describe('a held delivery that is to be reviewed', () => {
  const notBefore = Date.now() + 3600_000

  it('is due after its release if it is claimed when the review is requested', async () => {
    const { stateDir } = makeWorld()
    const store = new Store({ stateDir })
    onTestFinished(() => store.close())
    const delivery = makeDelivery('held', { notBefore })
    await store.keep({ state: 'held', reason: 'x', delivery })
    const claim = store.claimDelivery('held.file')
    store.review([delivery.id])
    expect(store.due()).toEqual([])
    if (claim) await store.releaseDelivery(claim)
    expect([store.due(), store.hasReviews()]).toEqual([['held.file'], true])
  })

  it('is due although a worker has crashed while it had the delivery', () => {
    const { spool, stateDir } = makeWorld()
    const delivery = makeDelivery('held', { notBefore })
    park(spool, { since: 0, reason: 'x', isHeld: true, delivery })
    setCrashes(spool, 'held.file', 1)
    const store = new Store({ stateDir })
    onTestFinished(() => store.close())
    store.review([delivery.id])
    expect(store.due()).toEqual(['held.file'])
  })
})

it('a store lists an event of a later version once, and leaves it where it is', () => {
  const { spool, stateDir } = makeWorld()
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  writeFileSync(join(spool.new, 'later'), 'hookbell-event 2\nclient: claude\n\n{}')
  const names = () => store.waiting({ max: 10, isLater: () => false }).map(({ name }) => name)
  expect(names()).toEqual(['later'])
  const claim = store.claimEvent('later')
  expect(claim && store.readEvent(claim)).toBeUndefined()
  expect([names(), store.hasWaiting(), readdirSync(spool.new)]).toEqual([[], false, ['later']])
})

it('a worker leaves a card of a later version where it is, and does not wait for it', async () => {
  const world = makeWorld()
  const { spool } = world
  park(spool, {
    ...{ since: 0, reason: 'x', isHeld: false },
    delivery: makeDelivery('later'),
  })
  const { file: path, text } = textOfParked(spool, 'later.file')
  const later = text.replace('hookbell-card 1', 'hookbell-card 2')
  writeFileSync(path, later)
  const id = world.accept({ message: 'ours' })
  await world.untilIdle()
  expect(readFileSync(path, 'utf8')).toBe(later)
  expect(readdirSync(spool.corrupt)).toEqual([])
  expect(world.lines()).toMatchObject([{ id }])
})

it('a store lists a new event although many that may have crashed a worker wait', () => {
  const { spool, stateDir } = makeWorld()
  for (const [index, name] of ['a~1', 'b~1', 'c~1', 'new'].entries()) {
    writeFileSync(join(spool.new, name), '')
    utimesSync(join(spool.new, name), index, index)
  }
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  const names = store.waiting({ max: 2, isLater: () => false }).map(({ name }) => name)
  expect(names).toEqual(['new', 'a~1', 'b~1'])
})

describe('parked deliveries', () => {
  function makeParked() {
    const { spool, stateDir } = makeWorld()
    const store = new Store({ stateDir })
    onTestFinished(() => store.close())
    const park = (event: string, more: object, isHeld = true) =>
      store.keep({
        state: isHeld ? 'held' : 'deferred',
        reason: 'x',
        delivery: makeDelivery(event, { notBefore: Date.now() + 3600_000, ...more }),
      })
    return { spool, store, park }
  }

  it('are written without blocking other work, and are known once they are on the disk', async () => {
    const { spool, store, park } = makeParked()
    const parking = park('held', {})
    expect(listParked(spool)).toEqual([])
    expect(store.isKept('held', 'file')).toBe(false)
    expect(store.willBeDue('held', 'file')).toBe(true)
    await parking
    expect(listParked(spool)).toEqual(['held.file'])
    expect(store.isKept('held', 'file')).toBe(true)
  })

  it('are not due before the worker that parks them knows that they are on the disk', async () => {
    const { spool, store, park } = makeParked()
    let isWaitingToSend = false
    const parking = park('failed', { notBefore: 0 }, false).then(() => {
      isWaitingToSend = true
    })
    let looks = 0
    while (!isWaitingToSend) {
      store.reclaimAbandoned()
      expect(store.due()).toEqual([])
      if (readdirSync(spool.cards).length > 0) looks += 1
      await nextTurn()
    }
    await parking
    expect(looks).toBeGreaterThan(0)
    expect(store.due()).toEqual(['failed.file'])
  })

  it('are due at once if the configuration changed while they were written', async () => {
    const { store, park } = makeParked()
    const parking = park('failed', {}, false)
    store.makeDue(0)
    await parking
    expect(store.due()).toEqual(['failed.file'])
  })

  it('are due at once if their review was requested while they were written', async () => {
    const { store, park } = makeParked()
    const parking = park('held', {})
    store.review([makeDelivery('held').id])
    await parking
    expect(store.due()).toEqual(['held.file'])
  })

  it('are reviewed if they are held and belong to the session of a new event', async () => {
    const { store, park } = makeParked()
    await park('mine', { session: 's1' })
    await park('other', { session: 's2' })
    await park('failed', { session: 's1' }, false)
    store.reviewHeld('s1')
    expect([store.due(), store.hasReviews()]).toEqual([['mine.file'], true])
  })

  it('that failed stay due once they are made due, and do not count as reviews', async () => {
    const { store, park } = makeParked()
    await park('failed', {}, false)
    store.makeDue(0)
    store.reclaimAbandoned()
    expect([store.due(), store.hasReviews()]).toEqual([['failed.file'], false])
  })

  it('are due in the order of acceptance, and do not wake the worker while they are paused', async () => {
    const { store, park } = makeParked()
    for (const at of [3, 1, 2]) await park(`e${at}`, { acceptedAt: at }, false)
    store.makeDue(0)
    expect(store.due()).toEqual(['e1.file', 'e2.file', 'e3.file'])
    expect(store.nextDueInMs((name) => name.startsWith('e'))).toBeUndefined()
  })

  it('are known by event and channel, also while they are claimed', async () => {
    const { store, park } = makeParked()
    await park('e', {})
    const known = () => {
      return [store.isKept('e', 'file'), store.isKept('e', 'x'), store.isKept('x', 'file')]
    }
    expect(known()).toEqual([true, false, false])
    store.claimDelivery('e.file')
    expect(known()).toEqual([true, false, false])
    expect(store.willBeDue('e', 'file')).toBe(true)
  })

  it.each([2, 3])(
    'of one event leave nothing behind if one of %i is settled while another one is taken off the card',
    async (count) => {
      const { spool, store, park } = makeParked()
      const channels = ['a', 'b', 'c'].slice(0, count)
      const idOf = (channel: string) => `e.${channel}`
      for (const channel of channels)
        await park('e', { id: idOf(channel), channel, notBefore: 0 }, false)
      const settle = async (channel: string) => {
        const claim = store.claimDelivery(idOf(channel))
        if (!claim) throw new Error(`${channel} cannot be claimed`)
        await store.finishDelivery(claim)
      }
      const first = settle('a')
      await nextTurn()
      await Promise.all([first, settle('b')])
      expect(store.deliveries()).toEqual(channels.slice(2).map(idOf))
      for (const channel of channels.slice(2)) await settle(channel)
      expect([readdirSync(spool.cards), store.nextDueInMs()]).toEqual([[], undefined])
    },
  )

  it('go back to the next worker if the disk has no room for another channel', async () => {
    const { spool, park } = makeParked()
    await park('e', { channel: 'a' })
    const away = `${spool.tmp}.away`
    renameSync(spool.tmp, away)
    await expect(park('e', { channel: 'b' })).rejects.toThrow('ENOENT')
    expect(readdirSync(spool.cards)).toEqual(['e.json'])
    renameSync(away, spool.tmp)
    await park('e', { channel: 'b' })
    expect(listParked(spool)).toEqual(['e.a', 'e.b'])
  })

  it('are found one after the other if a crash has left two cards with the same channel', () => {
    const { spool, store } = makeParked()
    park(spool, { since: 0, reason: 'x', isHeld: false, delivery: makeDelivery('e.1') })
    const { file, text } = textOfParked(spool, 'e.1.file')
    writeFileSync(file.replace('.json', '~1.json'), text)
    store.reclaimAbandoned()
    const files = [1, 2, 3].map(() => store.claimDelivery('e.1.file')?.file)
    expect(files.sort()).toEqual(['e.1.json', 'e.1~1.json', undefined])
  })

  it('wake the worker when the next one is due, unless another process has removed it', async () => {
    const { spool, store, park } = makeParked()
    const now = Date.now()
    for (const hours of [2, 1, 3]) await park(`e${hours}`, { notBefore: now + hours * 3600_000 })
    const hoursToNext = () => Math.round((store.nextDueInMs() ?? 0) / 3600_000)
    expect([hoursToNext(), store.due(), store.hasReviews()]).toEqual([1, [], false])
    removeParked(spool, 'e1.file')
    store.reclaimAbandoned()
    expect(hoursToNext()).toBe(2)
  })

  it('are due at once if the clock was set back since', () => {
    const { spool, store } = makeParked()
    const later = (hours: number) => Date.now() + hours * 3600_000
    const why = { since: later(1), reason: 'x', isHeld: false }
    const delivery = makeDelivery('e', { notBefore: later(2) })
    park(spool, { ...why, delivery })
    store.reclaimAbandoned()
    expect(store.due()).toEqual(['e.file'])
  })

  it('of a group are found without those of other groups', async () => {
    const { store } = makeParked()
    for (const group of ['a', 'b'])
      await store.keep({
        ...{ state: 'held', reason: 'x', group },
        delivery: makeDelivery(group, { notBefore: 1 }),
      })
    expect(store.dueInGroup('a')).toEqual(['a.file'])
  })

  it('of another process are found within a second', () => {
    vi.useFakeTimers({ toFake: ['hrtime'] })
    onTestFinished(() => void vi.useRealTimers())
    const { spool, store } = makeParked()
    const found = () => [store.due(), store.isStale()]
    const why = { since: 0, reason: 'x', isHeld: false }
    park(spool, { ...why, delivery: makeDelivery('late') })
    expect(found()).toEqual([[], true])
    vi.advanceTimersByTime(1000)
    expect(found()).toEqual([['late.file'], false])
    expect(found()).toEqual([['late.file'], true])
  })

  it('are read again when another process has replaced them', async () => {
    const { spool, store, park: parkHere } = makeParked()
    await parkHere('again', {})
    const why = { since: 0, reason: 'x', isHeld: false }
    park(spool, { ...why, delivery: makeDelivery('again') })
    store.reclaimAbandoned()
    expect(store.due()).toEqual(['again.file'])
  })
})

it('a store finds a due delivery of a dead worker at once, even just after listing the folder', () => {
  const { spool, stateDir } = makeWorld()
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  const why = { since: 0, reason: 'x', isHeld: false }
  park(spool, { ...why, delivery: makeDelivery('left') })
  claimParked(spool, 'left.file', ownerToken({ ...thisProcess(), started: '1' }))
  store.reclaimAbandoned()
  expect([store.due(), listParked(spool)]).toEqual([['left.file'], ['left.file~1']])
})

describe.skipIf(!hasStrace)('releasing many parked deliveries', () => {
  /** The number of system calls for files in cards/ by a process that claims and releases them all. */
  async function callsFor(count: number): Promise<number> {
    const { folder, spool, stateDir } = makeWorld()
    for (let index = 0; index < count; index += 1) {
      const delivery = makeDelivery(`e${index}`)
      park(spool, { since: 0, reason: 'x', isHeld: false, delivery })
    }
    const program = await buildProgram('test/spool/_releaser.ts')
    const log = join(folder, 'calls.log')
    const traced = ['-f', '-qq', '-o', log, '-e', 'trace=%file']
    const { stdout } = await execa('strace', [...traced, process.execPath, program, stateDir])
    expect(stdout).toBe(`${count}`)
    return readFileSync(log, 'utf8').split(`${spool.cards}/`).length
  }

  it('takes the same number of system calls for each, however many there are', async () => {
    expect(await callsFor(300)).toBeLessThan(20 * (await callsFor(30)))
  })
})

it.skipIf(!hasStrace)('a card whose folder cannot be synced is not left behind', async () => {
  const { spool, stateDir } = makeWorld()
  const program = await buildProgram('test/spool/_keeper.ts')
  // The file is synced first, then its folder.
  const inject = ['-e', 'trace=fsync', '-e', 'inject=fsync:error=ENOSPC:when=2']
  const words = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, program, stateDir]
  // With one thread for files, strace counts all calls.
  const { stdout } = await execa('strace', words, { env: { UV_THREADPOOL_SIZE: '1' } })
  expect([stdout, listParked(spool), readdirSync(spool.tmp)]).toEqual(['not kept', [], []])
})
