import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Outcome } from '../../../src/deliver/attempt.ts'
import type { Delivery } from '../../../src/delivery.ts'
import { listIfThere } from '../../../src/fs/read.ts'
import { flush } from '../../../src/worker/control.ts'
import { runDelivery } from '../../../src/worker/dispatch/card-run.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { makeDelivery } from '../../support/delivery.ts'
import { changeParked, damageParked, park, parkedOf, setCrashes } from '../../support/parked.ts'
import { type Step, startReceiver } from '../../support/receiver.ts'
import { makeWorld, type World } from '../_world.ts'

const HOUR_MS = 3600_000

/** Lets a worker take the first due delivery and queue it for its destination. */
async function queueFirst(world: World) {
  const { deps } = openWorker(world)
  onTestFinished(() => deps.store.close())
  const texts: WeakRef<object>[] = []
  const queue: { load(): Promise<Delivery>; end(outcome: Outcome): void }[] = []
  deps.deliverer.deliver = ({ message }, load) => {
    texts.push(new WeakRef(message))
    return new Promise((end) => queue.push({ load, end }))
  }
  const [id = ''] = deps.store.due()
  const claim = deps.store.claimDelivery(id)
  if (!claim) throw new Error('nothing is due')
  let running: Promise<void> | undefined
  await new Promise<void>((onQueued) => {
    running = runDelivery(claim, deps, onQueued)
  })
  return { texts, queue, running }
}

/** A world with the channel `team`, and with the given delivery parked for it after a failure. */
async function makeParked(changes: Partial<Delivery>, script: Step[]) {
  const { url, received } = await startReceiver({ script })
  const world = makeWorld()
  world.configure({
    channels: { team: { type: 'slack', url: `${url}/services/x` } },
    routes: [{ on: ['permission'], to: ['team'] }],
    retry: { firstDelaySeconds: 600 },
    noise: { burstSeconds: 60 },
    lingerSeconds: 0,
  })
  const delivery = makeDelivery('e', { channel: 'team', ...changes })
  park(world.spool, { since: 1, reason: 'x', isHeld: false, delivery })
  return { world, received }
}

function parkedIn({ spool }: World, name: string) {
  return parkedOf(spool, name)?.delivery
}

function claimed({ spool }: World): string[] {
  return readdirSync(spool.cur).flatMap((owner) => listIfThere(join(spool.cur, owner)))
}

describe('a delivery that failed', () => {
  it.each([0, 1, 3])(
    'is not repeated if its worker ended after recording that it was delivered: %s crashes',
    async (crashes) => {
      const { world, received } = await makeParked({ attempts: 1 }, [200])
      const parked = parkedOf(world.spool, 'e.team')
      await world.once()
      expect(received).toHaveLength(1)
      if (parked) park(world.spool, parked)
      setCrashes(world.spool, 'e.team', crashes)
      await world.once()
      expect(received).toHaveLength(1)
      expect([world.parked(), world.dead(), claimed(world)]).toEqual([[], [], []])
      expect(await world.statusOf('e')).toMatchObject({
        channels: { team: { state: 'delivered' } },
      })
    },
  )

  it.each([
    ['is tried again if two workers ended before', 2, 1, []],
    ['is given up if three workers ended before', 3, 0, ['e.team']],
  ] as const)('%s', async (_, crashes, sent, dead) => {
    const { world, received } = await makeParked({ attempts: 1 }, [200])
    setCrashes(world.spool, 'e.team', crashes)
    await world.once()
    expect(received).toHaveLength(sent)
    expect([world.parked(), world.dead(), claimed(world)]).toEqual([[], dead, []])
    const state = sent > 0 ? 'delivered' : 'exhausted'
    expect(await world.statusOf('e')).toMatchObject({ channels: { team: { state } } })
  })

  it('is sent if the worker that ended had recorded only a failure', async () => {
    const { world, received } = await makeParked({ attempts: 1 }, [200])
    setCrashes(world.spool, 'e.team', 1)
    const failed = { at: 1, id: 'e', type: 'deferred', channel: 'team', attempt: 1, reason: 'x' }
    const line = `${JSON.stringify({ ...failed, until: 2 })}\n`
    writeFileSync(join(world.stateDir, 'journal.jsonl'), line, { mode: 0o600 })
    await world.once()
    expect(received).toHaveLength(1)
  })

  it('does not count as tried while it was held, however long the machine was off', async () => {
    const before = Date.now()
    const { world } = await makeParked({ notBefore: before - 48 * HOUR_MS }, [500])
    await world.once()
    expect(world.dead()).toEqual([])
    expect(parkedIn(world, 'e.team')?.firstTriedAt).toBeGreaterThanOrEqual(before)
  })

  it('does not keep its text in memory while it is queued, and reads it again', async () => {
    const { world } = await makeParked({ attempts: 1, firstTriedAt: 1 }, [])
    const { texts, queue, running } = await queueFirst(world)
    await expect
      .poll(() => {
        collectGarbage()
        return texts.filter((one) => one.deref() !== undefined).length
      })
      .toBe(0)
    expect(texts).toHaveLength(1)
    expect(await queue[0]?.load()).toMatchObject({ id: 'e.team', message: { title: 'title of e' } })
    queue[0]?.end({ type: 'released' })
    await running
    expect(world.parked()).toEqual(['e.team'])
  })

  it('does not age when a person retries it long before its time', async () => {
    const now = Date.now()
    const tried = { attempts: 10, firstTriedAt: now - HOUR_MS, notBefore: now + 48 * HOUR_MS }
    const { world, received } = await makeParked(tried, [500])
    flush(world.stateDir)
    await world.once()
    expect(received).toHaveLength(1)
    expect(world.dead()).toEqual([])
    expect(parkedIn(world, 'e.team')).toMatchObject({ attempts: 11, firstTriedAt: now - HOUR_MS })
  })

  it('is left to a later worker, unattempted, behind another one that fails again', async () => {
    const { world, received } = await makeParked({ attempts: 1, firstTriedAt: 1 }, [500])
    const delivery = makeDelivery('f', { channel: 'team', attempts: 1, firstTriedAt: 1 })
    park(world.spool, { since: 1, reason: 'x', isHeld: false, delivery })
    await world.once()
    expect(received).toHaveLength(1)
    expect(received[0]?.body).not.toContain('title of f')
    expect([claimed(world), world.parked()]).toEqual([[], ['e.team', 'f.team']])
    expect([parkedIn(world, 'e.team')?.attempts, parkedIn(world, 'f.team')?.attempts]).toEqual([
      2, 1,
    ])
  })

  it('counts as tried just now if the clock was set back since then', async () => {
    const tried = { attempts: 1, firstTriedAt: Date.now() + HOUR_MS, notBefore: 2 }
    const { world } = await makeParked(tried, [500])
    await world.once()
    expect(parkedIn(world, 'e.team')?.firstTriedAt).toBeLessThanOrEqual(Date.now())
  })

  it('is set aside without a fault if its file is damaged', async () => {
    const { world, received } = await makeParked({}, [200])
    damageParked(world.spool, 'e.team')
    expect(await world.once()).toEqual({ handled: 1, faults: [] })
    expect(world.list('corrupt')).toHaveLength(1)
    expect(received).toEqual([])
  })
})

describe('a group of held deliveries', () => {
  it('becomes one message, which stays whole while it is queued', async () => {
    const { world } = await makeParked({ attempts: 1, notBefore: Date.now() + HOUR_MS }, [])
    for (const event of ['f', 'g', 'h']) {
      const delivery = makeDelivery(event, { channel: 'team' })
      const why = { since: 1, reason: 'x', isHeld: true, group: 'g' }
      park(world.spool, { ...why, delivery })
    }
    const { queue, running } = await queueFirst(world)
    expect(queue).toHaveLength(1)
    expect((await queue[0]?.load())?.events.toSorted()).toEqual(['f', 'g', 'h'])
    queue[0]?.end({ type: 'released' })
    await running
    expect(world.parked().toSorted()).toEqual(['e.team', 'f.team', 'g.team', 'h.team'])
  })
})

describe('a burst of held questions', () => {
  const ask = (id: string) => ({
    ...{ hook_event_name: 'PermissionRequest', session_id: 's1', tool_name: 'Bash' },
    ...{ tool_use_id: id, tool_input: { command: `make ${id}` } },
  })

  it('keeps waiting, without those that a person answers, and is sent in the order of its events', async () => {
    const { world, received } = await makeParked({}, [200])
    const qwen = { client: 'qwen' }
    const [, ...held] = ['one', 'two', 'three', 'four'].map((id) => world.accept(ask(id), qwen))
    await world.once()
    const [two = '', three = '', four = ''] = held
    const waiting = () => world.parked().map((name) => name.replace(/~0$/, ''))
    expect(waiting().sort()).toEqual(held.map((id) => `${id}.team`).sort())
    const answer = { hook_event_name: 'PreToolUse', session_id: 's1', tool_use_id: 'three' }
    world.accept(answer, qwen)
    await world.once()
    expect(waiting().sort()).toEqual([`${two}.team`, `${four}.team`].sort())
    expect(claimed(world)).toEqual([])
    expect(await world.statusOf(three)).toMatchObject({ outcome: 'suppressed' })
    for (const name of world.parked()) {
      changeParked(world.spool, name, ({ delivery, ...parked }) => ({
        ...parked,
        delivery: { ...delivery, notBefore: 2 },
      }))
    }
    await world.once()
    const [last = ''] = received.map(({ body }) => String(JSON.parse(body).text)).slice(-1)
    expect(last.match(/make \w+/g)).toEqual(['make two', 'make four'])
    expect([claimed(world), waiting()]).toEqual([[], []])
  })
})
