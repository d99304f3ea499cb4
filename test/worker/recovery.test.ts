import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listIfThere } from '../../src/fs/read.ts'
import { appendEntry } from '../../src/journal/journal.ts'
import { readJournal } from '../../src/journal/read.ts'
import { packageRoot } from '../../src/package-root.ts'
import { Store } from '../../src/spool/store.ts'
import { makeDelivery } from '../support/delivery.ts'
import { park } from '../support/parked.ts'
import { isFull } from '../support/runs.ts'
import { exited, makeWorld, readLines, retryById, startProgram, type World } from './_world.ts'

/** A world with two file channels, and an event whose worker died after claiming it. */
function makeCrash(world = makeWorld()) {
  const second = join(world.folder, 'second.jsonl')
  const channels = {
    file: { type: 'file', path: world.outFile },
    second: { type: 'file', path: second },
  }
  world.configure({ channels, routes: [{ on: ['*'], to: ['file', 'second'] }], lingerSeconds: 0 })
  const id = world.accept({ message: 'hello' })
  const owner = join(world.spool.cur, '4194305_1_other-boot')
  mkdirSync(owner)
  renameSync(join(world.spool.new, id), join(owner, id))
  const at = Date.now()
  const accepted = {
    at,
    id,
    type: 'accepted' as const,
    acceptedAt: at,
    event: 'Notification',
    kind: 'waiting',
    client: 'claude',
    sessionId: '',
    project: '',
    title: 'x',
    to: ['file', 'second'],
  }
  const delivered = (channel: string) =>
    appendEntry(world.stateDir, {
      at,
      id,
      type: 'delivered',
      channel,
      attempt: 1,
      ms: 1,
      answer: 'ok',
    })
  return { world, id, accepted, delivered, second }
}

async function typesOf({ stateDir }: World): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of readJournal(stateDir)) types.push(type)
  return types
}

/** Events that a worker has claimed. */
function idsIn({ spool }: World): string[] {
  return readdirSync(spool.cur).flatMap((owner) => listIfThere(join(spool.cur, owner)))
}

async function outcomeOf(world: World, id: string) {
  const status = await world.statusOf(id)
  return [status?.outcome, ...Object.keys(status?.channels ?? {}).sort()]
}

describe('after a crash', () => {
  it('before the first record, the event is delivered to all channels', async () => {
    const { world, id } = makeCrash()
    await world.once()
    expect(world.lines()).toHaveLength(1)
    expect(await outcomeOf(world, id)).toEqual(['delivered', 'file', 'second'])
  })

  it('between two channels, the event is delivered only to the other one', async () => {
    const { world, id, accepted, delivered } = makeCrash()
    await appendEntry(world.stateDir, accepted)
    await delivered('file')
    expect(await outcomeOf(world, id)).toEqual(['waiting', 'file'])
    await world.once()
    expect(world.lines()).toEqual([])
    expect(await outcomeOf(world, id)).toEqual(['delivered', 'file', 'second'])
    expect(await typesOf(world)).toEqual(['accepted', 'delivered', 'delivered'])
  })

  it('between two channels, an event without a name is delivered only to the other one', async () => {
    const { world, accepted, delivered, second } = makeCrash()
    await appendEntry(world.stateDir, { ...accepted, event: 'unknown', kind: 'other' })
    await delivered('file')
    await world.once()
    expect([world.lines(), readLines(second)].map(({ length }) => length)).toEqual([0, 1])
    expect(await typesOf(world)).toEqual(['accepted', 'delivered', 'delivered'])
  })

  it('between the first attempt and the record of the event, it is delivered and recorded', async () => {
    const { world, id, delivered, second } = makeCrash()
    await delivered('file')
    await world.once()
    expect([world.lines(), readLines(second)].map(({ length }) => length)).toEqual([0, 1])
    expect(await typesOf(world)).toEqual(['delivered', 'accepted', 'delivered'])
    expect(await world.statusOf(id)).toMatchObject({
      ...{ event: 'Notification', client: 'claude', to: ['file', 'second'] },
      outcome: 'delivered',
    })
  })

  it('before the reason why an event goes nowhere is recorded, it is recorded once', async () => {
    const { world, id, accepted } = makeCrash()
    const trace = [
      { by: 'route 1', verdict: 'matched' as const, because: 'it is a Notification' },
      { by: 'idle', verdict: 'suppress' as const, because: 'the turn was announced' },
    ]
    await appendEntry(world.stateDir, { ...accepted, to: [], trace })
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({
      ...{ outcome: 'suppressed', reason: 'the turn was announced' },
    })
    const again = world.accept({ message: 'hello' })
    renameSync(join(world.spool.new, again), join(world.spool.new, `${id}~1`))
    await world.once()
    expect(await typesOf(world)).toEqual(['accepted', 'suppressed'])
    expect([world.list('new'), idsIn(world), world.lines()]).toEqual([[], [], []])
  })

  it('before it is recorded that no route matches an event, the next worker records it', async () => {
    const { world, id, accepted } = makeCrash()
    await appendEntry(world.stateDir, { ...accepted, to: [] })
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({
      ...{ outcome: 'suppressed', reason: 'no route for waiting' },
    })
  })

  it('an event that comes back to the same worker is not delivered again', async () => {
    const { world, id, accepted, second } = makeCrash()
    const path = join(world.configDir, 'config.json')
    const config = JSON.parse(readFileSync(path, 'utf8'))
    world.configure({ ...config, lingerSeconds: 600 })
    await appendEntry(world.stateDir, accepted)
    const running = world.untilIdle()
    await expect.poll(async () => await outcomeOf(world, id)).toContain('delivered')
    const stillThere = () => [...world.list('new'), ...idsIn(world)]
    await expect.poll(stillThere).toEqual([])
    const again = world.accept({ message: 'hello' })
    renameSync(join(world.spool.new, again), join(world.spool.new, `${id}~1`))
    await expect.poll(stillThere).toEqual([])
    world.configure({ ...config, lingerSeconds: 0 })
    await running
    expect([world.lines(), readLines(second)].map(({ length }) => length)).toEqual([1, 1])
  })

  it('between the last record and the last rename, no delivery is repeated', async () => {
    const { world, accepted, delivered } = makeCrash()
    await appendEntry(world.stateDir, accepted)
    await delivered('file')
    await delivered('second')
    await world.untilIdle()
    expect(world.lines()).toEqual([])
    expect(world.list('new')).toEqual([])
    expect(readdirSync(world.spool.cur)).toEqual([])
  })

  it.each([
    ['of a question and its alarm, the alarm is raised', 'permission', false, 1],
    ['of a question and its end, no second alarm is raised', 'permission', true, 1],
    ['of another message and its end, no alarm is raised', 'done', false, 0],
  ])('between the failure %s', async (_, kind, isRaised, count) => {
    const { world, id, accepted } = makeCrash()
    const [to, at] = [['phone'], Date.now()]
    world.configure({ channels: { phone: { type: 'webhook', url: 'https://a.example/' } } })
    const people = kind === 'permission' ? { people: to } : {}
    await appendEntry(world.stateDir, { ...accepted, kind, to, ...people })
    const failed = { at, id, channel: 'phone', attempt: 1, reason: 'no such phone' }
    await appendEntry(world.stateDir, { ...failed, type: 'exhausted' })
    const raised = { at, id, type: 'undelivered' as const, reason: 'phone: no such phone' }
    if (isRaised) await appendEntry(world.stateDir, raised)
    await world.once()
    expect((await typesOf(world)).filter((type) => type === 'undelivered')).toHaveLength(count)
    const reason = (await world.statusOf(id))?.reason
    expect(reason).toContain(count > 0 ? 'phone: no such phone' : '')
  })

  it('an event that was begun is finished although the routes have changed', async () => {
    const { world, id, accepted, delivered } = makeCrash()
    await appendEntry(world.stateDir, accepted)
    await delivered('second')
    world.configure({
      channels: { file: { type: 'file', path: world.outFile } },
      routes: [{ on: ['Stop'], to: ['file'] }],
      lingerSeconds: 0,
    })
    await world.once()
    expect(world.lines()).toHaveLength(1)
    expect(await outcomeOf(world, id)).toEqual(['delivered', 'file', 'second'])
  })

  it.each([
    ['is due already', 0],
    ['is due soon', Date.now() + 50],
  ])(
    'a delivery that was parked before it was recorded is made once when it %s',
    async (_, notBefore) => {
      const { world, id, accepted, delivered } = makeCrash()
      await appendEntry(world.stateDir, accepted)
      await delivered('file')
      const delivery = { ...makeDelivery(id), channel: 'second', notBefore }
      park(world.spool, {
        ...{ since: Date.now(), reason: 'x', isHeld: false },
        delivery,
      })
      await world.untilIdle()
      expect(world.lines()).toEqual([])
      expect(readLines(join(world.folder, 'second.jsonl'))).toHaveLength(1)
      expect(await outcomeOf(world, id)).toEqual(['delivered', 'file', 'second'])
      expect(await typesOf(world)).toEqual(['accepted', 'delivered', 'delivered'])
    },
  )
})

describe('an event that was set aside because workers crashed while they had it', () => {
  it('is delivered and recorded like a new one when a person retries it', async () => {
    const world = makeWorld()
    const id = world.accept({ message: 'hello', session_id: 's' })
    renameSync(join(world.spool.new, id), join(world.spool.new, `${id}~3`))
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'dead' })
    await retryById(world, id)
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({
      ...{ event: 'Notification', sessionId: 's', to: ['file'], outcome: 'delivered' },
    })
  })
})

describe('parked deliveries', () => {
  it('that another process adds after the worker has listed them do not wait for the next worker', async () => {
    const world = makeWorld()
    const running = world.untilIdle()
    const why = { since: 0, reason: 'x', isHeld: false }
    park(world.spool, { ...why, delivery: makeDelivery('e') })
    await running
    expect(world.lines()).toMatchObject([{ id: 'e' }])
  })

  const due = (notBefore: number, since: number, now: number) => {
    const { spool, stateDir } = makeWorld()
    const delivery = makeDelivery('e', { notBefore })
    park(spool, { since, reason: 'x', isHeld: false, delivery })
    const store = new Store({ stateDir, now: () => now })
    onTestFinished(() => store.close())
    return [store.due(), store.nextDueInMs()]
  }

  it('are due when their time is reached', () => {
    expect(due(5000, 1000, 4999)).toEqual([[], 1])
    expect(due(5000, 1000, 5000)).toEqual([['e.file'], 0])
  })

  it('are due at once, not hours later, when the clock was set back', () => {
    expect(due(7_200_000, 7_100_000, 10)).toEqual([['e.file'], 0])
  })
})

describe.runIf(isFull)('100,000 waiting events', () => {
  it('are delivered with less than 200 MiB of memory', async () => {
    const world = makeWorld()
    for (let index = 0; index < 100_000; index += 1) {
      const text = `hookbell-event 1\nclient: claude\n\n{"hook_event_name":"Stop","last_assistant_message":"${index}"}`
      writeFileSync(join(world.spool.new, `e${index}`), text)
    }
    const worker = startProgram(join(packageRoot(), 'dist/worker.cjs'), world)
    let peakMiB = 0
    const timer = setInterval(() => {
      try {
        const status = readFileSync(`/proc/${worker.pid}/status`, 'utf8')
        peakMiB = Math.max(peakMiB, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
      } catch {}
    }, 50)
    await exited(worker)
    clearInterval(timer)
    expect(world.lines()).toHaveLength(100_000)
    expect(peakMiB).toBeLessThan(200)
    console.log(`100,000 events: ${Math.round(peakMiB)} MiB`)
  })
})
