import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeMutes } from '../../src/policy/mute-file.ts'
import { makeHome } from '../support/home.ts'
import { changeParked } from '../support/parked.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { exited, makeDue, makeWorld, startProgram } from './_world.ts'

const ask = {
  hook_event_name: 'PermissionRequest',
  session_id: 's1',
  tool_name: 'Bash',
  tool_use_id: 't1',
}
const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'No' }

/** Questions go to `desk` at once, to `phone` after one hour and to `mail` after two. */
async function makeSteps() {
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  const names = ['desk', 'phone', 'mail']
  const channels = Object.fromEntries(
    names.map((name, index) => [
      name,
      { type: 'slack', url: `${receivers[index]?.url}/services/x` },
    ]),
  )
  const world = makeWorld()
  const steps = [{ to: ['desk'] }, { after: '1h', to: ['phone'] }, { after: '2h', to: ['mail'] }]
  world.configure({
    channels,
    routes: [{ on: ['permission', 'failed'], steps }],
    lingerSeconds: 0,
  })
  const told = () =>
    names.filter((_, index) => (receivers[index]?.received.length ?? 0) > 0).join(' ')
  return { world, told }
}

describe('later steps of a route', () => {
  it('are made one after the other while nobody answers', async () => {
    const { world, told } = await makeSteps()
    const id = world.accept(ask)
    await world.once()
    expect(told()).toBe('desk')
    expect(world.parked()).toEqual([`${id}.mail`, `${id}.phone`])
    makeDue(world, `${id}.phone`)
    await world.once()
    expect(told()).toBe('desk phone')
    makeDue(world, `${id}.mail`)
    await world.once()
    expect(told()).toBe('desk phone mail')
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })

  it('are cancelled at once by an answer, with a reason', async () => {
    const { world, told } = await makeSteps()
    const id = world.accept(ask)
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'waiting' })
    world.accept(prompt)
    // The worker ends by itself, because the step that was due in an hour is cancelled.
    await world.untilIdle()
    expect(told()).toBe('desk')
    expect(world.parked()).toEqual([])
    const cancelled = { state: 'suppressed', detail: 'answered before it was told' }
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'delivered',
      channels: { phone: cancelled, mail: cancelled },
    })
  })

  it('remind on the same channel until somebody answers', async () => {
    const { url, received } = await startReceiver()
    const world = makeWorld()
    const [desk, ...later] = [
      { to: ['desk'] },
      ...['1h', '2h'].map((after) => ({ after, to: ['desk'] })),
    ]
    world.configure({
      channels: { desk: { type: 'webhook', url } },
      routes: [{ on: ['permission'], steps: [desk, ...later] }],
      lingerSeconds: 0,
    })
    const id = world.accept(ask)
    await world.once()
    expect(world.parked()).toEqual([`${id}.desk:2`, `${id}.desk:3`])
    makeDue(world, `${id}.desk:2`)
    await world.once()
    expect(world.parked()).toEqual([`${id}.desk:3`])
    // Otherwise a receiver would drop the second one as a copy.
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([id, `${id}~2`])
    world.accept(prompt)
    await world.untilIdle()
    expect([received.length, world.parked()]).toEqual([2, []])
    const delivered = { state: 'delivered' }
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'delivered',
      channels: { desk: delivered, 'desk:2': delivered, 'desk:3': { state: 'suppressed' } },
    })
  })

  it('are not cancelled by an answer in another session', async () => {
    const { world } = await makeSteps()
    const id = world.accept(ask)
    world.accept({ ...prompt, session_id: 's2' })
    await world.once()
    expect(world.parked()).toEqual([`${id}.mail`, `${id}.phone`])
  })

  it('for a failure are cancelled when a person sends the next prompt', async () => {
    const { world, told } = await makeSteps()
    world.accept({ hook_event_name: 'StopFailure', session_id: 's1', error: 'overloaded' })
    await world.once()
    world.accept(prompt)
    await world.untilIdle()
    expect(told()).toBe('desk')
    expect(world.parked()).toEqual([])
  })

  it.each([
    ['name', 'shop'],
    ['folder', '/srv/shop'],
  ])('are cancelled by a mute of their project, given by its %s', async (_, project) => {
    const { world, told } = await makeSteps()
    const accept = (cwd: string) => world.accept({ ...ask, session_id: cwd, cwd })
    const asked = ['/srv/shop', '/srv/other'].map(accept)
    await world.once()
    writeMutes(world.stateDir, [{ until: 0, questions: true, project }], Date.now())
    for (const id of asked) makeDue(world, `${id}.phone`)
    await world.once()
    expect(told()).toBe('desk phone')
    const [shop, other] = await Promise.all(asked.map(world.statusOf))
    expect(shop?.channels.phone).toMatchObject({
      state: 'suppressed',
      detail: `Muted without an end (project ${project}), questions too`,
    })
    expect(other?.channels.phone?.state).toBe('delivered')
  })

  it('to a channel that keeps a record are made although they are muted', async () => {
    const { world } = await makeSteps()
    world.configure({
      channels: {
        desk: { type: 'slack', url: 'http://127.0.0.1:1/x' },
        log: { type: 'file', path: world.outFile },
      },
      routes: [{ on: ['permission'], steps: [{ to: ['desk'] }, { after: '1h', to: ['log'] }] }],
      lingerSeconds: 0,
    })
    const id = world.accept(ask)
    await world.once()
    writeMutes(world.stateDir, [{ until: 0, questions: true }], Date.now())
    makeDue(world, `${id}.log`)
    await world.once()
    expect(world.lines().map((line) => line.id)).toEqual([id])
  })

  it('survive a kill of the worker', async () => {
    const { world, told } = await makeSteps()
    const id = world.accept(ask)
    const first = startProgram(builtWorker, world)
    await expect.poll(() => told()).toBe('desk')
    first.kill('SIGKILL')
    await exited(first)
    expect(world.parked()).toEqual([`${id}.mail`, `${id}.phone`])
    makeDue(world, `${id}.phone`)
    startProgram(builtWorker, world)
    await expect.poll(() => told()).toBe('desk phone')
  })

  it('that became due while the machine was off are made, unless they have expired', async () => {
    const { world, told } = await makeSteps()
    const id = world.accept(ask)
    const days = (count: number) => new Date(Date.now() - count * 86_400_000)
    utimesSync(join(world.spool.new, id), days(0), new Date(Date.now() - 90 * 60_000))
    await world.once()
    await world.once()
    expect(told()).toBe('desk phone')
    const times = { notBefore: days(3).getTime(), expires: days(2).getTime() }
    changeParked(world.spool, `${id}.mail`, ({ delivery, ...parked }) => ({
      ...parked,
      since: days(4).getTime(),
      delivery: { ...delivery, ...times },
    }))
    await world.once()
    expect(told()).toBe('desk phone')
    expect(world.parked()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({
      channels: { mail: { state: 'suppressed', detail: 'too late to be of use' } },
    })
  })

  it.each(['once', 'untilIdle'] as const)(
    'that became due while no worker ran are cancelled by an answer of that time: %s',
    async (run) => {
      const { world, told } = await makeSteps()
      const id = world.accept(ask)
      await world.once()
      makeDue(world, `${id}.phone`)
      world.accept(prompt)
      await world[run]()
      expect(told()).toBe('desk')
      expect(await world.statusOf(id)).toMatchObject({
        channels: { phone: { state: 'suppressed', detail: 'answered before it was told' } },
      })
    },
  )

  it('are explained by `why`', async () => {
    const { url } = await startReceiver()
    const home = await makeHome({
      channels: {
        team: { type: 'slack', url: `${url}/services/x` },
        phone: { type: 'slack', url: `${url}/services/y` },
      },
      routes: [{ on: ['permission'], steps: [{ to: ['team'] }, { after: '2m', to: ['phone'] }] }],
      lingerSeconds: 0,
    })
    home.accept({ ...ask, cwd: home.project })
    await home.run('worker', '--once')
    const { stdout } = await home.run('why')
    expect(stdout).toMatch(
      /phone +held by the rule steps: step 2 of route 1: 2m after the event, unless answered by then/,
    )
    home.accept({ ...prompt, cwd: home.project })
    await home.run('worker', '--once')
    const after = await home.run('why', '--session', 's1')
    expect(after.stdout).toMatch(/phone +\S+ \S+ suppressed: answered before it was told/)
  })
})
