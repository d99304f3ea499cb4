import { cpSync, existsSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { countOutcomes, makeWorld, retryById } from './_world.ts'

const fixture = join(import.meta.dirname, '../fixtures/state-0.1')
const slack = (url: string, path: string) => ({ type: 'slack', url: `${url}${path}` })

/** A spool of version 0.1 with something in each folder. */
async function makeOldWorld() {
  const { url, received } = await startReceiver()
  const world = makeWorld()
  cpSync(fixture, world.stateDir, { recursive: true })
  const [owner = ''] = readdirSync(world.spool.cur)
  utimesSync(join(world.spool.cur, owner), 1, 1)
  world.configure({
    channels: {
      file: { type: 'file', path: world.outFile },
      team: slack(url, '/team'),
      gone: slack(url, '/gone'),
    },
    routes: [{ on: ['Notification'], to: ['file'] }],
    lingerSeconds: 0,
  })
  return { world, told: () => received.map(({ path }) => path) }
}

describe('a state folder of version 0.1', () => {
  it('is read with the right outcome for each event', async () => {
    const { world } = await makeOldWorld()
    const byId = Object.fromEntries((await world.statuses()).map((one) => [one.id, one]))
    expect(countOutcomes(Object.values(byId))).toEqual({
      ...{ delivered: 1, suppressed: 2, waiting: 3, dead: 2 },
    })
    expect(byId.told).toMatchObject({ outcome: 'delivered', title: 'api: waiting for you' })
    expect(byId.desktopless?.channels).toMatchObject({ desktop: { state: 'unavailable' } })
    expect(byId.refused?.channels).toMatchObject({ gone: { state: 'exhausted' } })
    expect(byId.repeated?.reason).toBe('the same event as told, from your own hooks')
  })

  it('is finished without repeating a delivery', async () => {
    const { world, told } = await makeOldWorld()
    await world.untilIdle()
    // The deferred event goes only to the channel that had failed.
    expect(told()).toEqual(['/team'])
    expect(
      world
        .lines()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['claimed', 'waiting'])
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 4, suppressed: 2, dead: 2 })
    for (const folder of ['new', 'cur', 'deferred'] as const) expect(world.list(folder)).toEqual([])
    expect(existsSync(join(world.stateDir, 'spool/done'))).toBe(false)
    expect(existsSync(join(world.stateDir, 'worker.lock'))).toBe(false)
  })

  it('keeps its dead events, which can still be retried', async () => {
    const { world, told } = await makeOldWorld()
    await world.untilIdle()
    expect(readdirSync(world.spool.dead).sort()).toEqual(['nonsense', 'refused', 'refused.json'])
    await retryById(world, 'refused')
    await world.once()
    expect(told()).toEqual(['/team', '/gone'])
    expect(readdirSync(world.spool.dead)).toEqual(['nonsense'])
  })
})
