import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Store } from '../../../src/spool/store.ts'
import { WorkerMemory } from '../../../src/worker/memory.ts'
import { StillSessions } from '../../../src/worker/watch/still-sessions.ts'
import { makeWorld } from '../_world.ts'

const MINUTE = 60_000
const told = { on: ['stands-still'], to: ['file'] }
const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'Fix it' }

/** A session whose agent got a prompt an hour ago, and what a worker with a clock finds from then on. */
async function makeStill({ routes = [told], events = [prompt] as object[] } = {}) {
  const world = makeWorld({ routes })
  const start = Date.now() - 60 * MINUTE
  for (const [at, event] of events.entries()) {
    const id = world.accept(event)
    utimesSync(join(world.spool.new, id), start / 1000, start / 1000 + at)
  }
  await world.once()
  const config = { config: { routes } } as never
  const startWorker = (wall: number) => {
    const clock = { wall, awake: 1000 }
    const store = new Store(world)
    onTestFinished(() => store.close())
    const still = new StillSessions({
      ...{ store, memory: new WorkerMemory(world.stateDir), config: () => config },
      ...{ now: () => clock.wall, awakeNow: () => clock.awake },
    })
    /** @returns the events about sessions that have come to stand still */
    const after = async (minutes: number, { asleep = false } = {}) => {
      clock.wall += minutes * MINUTE
      if (!asleep) clock.awake += minutes * MINUTE
      const claims = await still.takeStill()
      const bodies = claims.map(({ path }) =>
        JSON.parse(readFileSync(path, 'utf8').split('\n\n')[1] ?? ''),
      )
      for (const claim of claims) store.release(claim)
      return bodies
    }
    return { still, after }
  }
  return { ...startWorker(start), world, startWorker }
}

describe('a session that stands still while it should work', () => {
  it('is told once until its agent shows a sign of life, also by a later worker', async () => {
    const { after, still, startWorker, world } = await makeStill()
    expect(await after(0)).toEqual([])
    expect(still.nextLookInMs()).toBe(30_000)
    expect(await after(9)).toEqual([])
    expect(await after(2)).toMatchObject([{ session_id: 's1' }])
    expect(await after(20)).toEqual([])
    expect(still.nextLookInMs()).toBeUndefined()
    await world.once()
    expect(world.lines()).toMatchObject([
      {
        ...{ sessionId: 's1', title: expect.stringContaining('stands-still') },
        body: expect.stringContaining('no sign of life since'),
      },
    ])
    const later = startWorker(Date.now())
    expect([...(await later.after(0)), ...(await later.after(11))]).toEqual([])
    world.accept(prompt)
    await world.once()
    const again = startWorker(Date.now())
    expect([...(await again.after(0)), ...(await again.after(11))]).toHaveLength(1)
  })

  it('gets its time again after the machine has slept', async () => {
    const { after } = await makeStill()
    await after(1)
    expect(await after(600, { asleep: true })).toEqual([])
    expect(await after(9)).toEqual([])
    expect(await after(2)).toHaveLength(1)
  })

  it.each([
    ['asks', [prompt, { ...prompt, hook_event_name: 'PermissionRequest', tool_name: 'Bash' }]],
    ['is done', [prompt, { ...prompt, hook_event_name: 'Stop' }]],
    ['has ended', [prompt, { ...prompt, hook_event_name: 'SessionEnd' }]],
  ])('is none that %s, and no worker stays for that', async (_, events) => {
    const { after, still } = await makeStill({ events })
    expect([...(await after(0)), ...(await after(20))]).toEqual([])
    expect(still.nextLookInMs()).toBeUndefined()
  })

  it('is not watched if no route names the event', async () => {
    const { still } = await makeStill({ routes: [{ on: ['*'], to: ['file'] }] })
    expect(still.nextLookInMs()).toBeUndefined()
  })

  it('is told by a worker, which stays for that', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'hrtime'] })
    onTestFinished(() => void vi.useRealTimers())
    const world = makeWorld({ routes: [told] })
    const id = world.accept(prompt)
    const ended = world.untilIdle()
    const handled = async (one: string) =>
      await vi.waitFor(async () => expect((await world.statusOf(one))?.title).toBeTruthy(), 120_000)
    await handled(id)
    for (const _ of [1, 2]) {
      vi.advanceTimersByTime(6 * MINUTE)
      // It wakes the worker.
      await handled(world.accept({ hook_event_name: 'SessionStart', session_id: 's2' }))
    }
    expect(await ended).toMatchObject({ faults: [] })
    expect(world.lines()).toMatchObject([{ sessionId: 's1' }])
  })
})
