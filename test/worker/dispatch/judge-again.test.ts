import { describe, expect, it } from 'vitest'
import type { Delivery } from '../../../src/delivery.ts'
import { writeMutes } from '../../../src/policy/mute-file.ts'
import { flush, purge } from '../../../src/worker/control.ts'
import { deliverTo } from '../../../src/worker/run.ts'
import { parkDead, parkedOf, removeParked } from '../../support/parked.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { makeDue, makeWorld, retryById, type World } from '../_world.ts'

const quiet = [{ from: '00:00', to: '24:00', timeZone: 'UTC' }]
const stop = (session: string) => ({ hook_event_name: 'Stop', session_id: session })
const HOUR_MS = 3600_000

type Config = { quietHours?: object[]; team?: object; lingerSeconds?: number }

/** A world whose channel `team` fails until `isUp` is set. The channel `file` keeps a record. */
async function makeFailingWorld() {
  const receiver = { isUp: false }
  const { url, received } = await startReceiver({
    script: [() => ({ status: receiver.isUp ? 200 : 503 })],
  })
  const world = makeWorld()
  const configure = ({ quietHours = [], team = {}, lingerSeconds = 0 }: Config = {}) =>
    world.configure({
      channels: {
        file: { type: 'file', path: world.outFile },
        team: { type: 'slack', url: `${url}/services/x`, ...team },
      },
      routes: [{ on: ['*'], to: ['file', 'team'] }],
      noise: { quietHours },
      retry: { firstDelaySeconds: 600 },
      lingerSeconds,
    })
  configure()
  /** Retries as if the waiting times had passed. @returns the requests that arrived then */
  const retry = async () => {
    for (const name of world.parked()) makeDue(world, name)
    const before = received.length
    await world.once()
    return received.slice(before)
  }
  return { world, receiver, received, configure, retry }
}

const textOf = ({ body }: Received) => String(JSON.parse(body).text)

function parkedIn(world: World): Delivery[] {
  return world.parked().flatMap((name) => parkedOf(world.spool, name)?.delivery ?? [])
}

/** Gives up the parked delivery, as after its last attempt. */
function giveUp({ spool, parked }: World) {
  const [name = ''] = parked()
  const last = parkedOf(spool, name)
  if (last) parkDead(spool, last)
  removeParked(spool, name)
}

describe('a message that failed, and that a person has answered since', () => {
  const session = { session_id: 's1' }
  const question = { hook_event_name: 'PermissionRequest', ...session, tool_name: 'Bash' }
  const failed = { hook_event_name: 'StopFailure', ...session, error: 'overloaded' }
  const asking = { ...stop('s1'), last_assistant_message: 'Shall I go on?' }
  const idle = { hook_event_name: 'Notification', ...session, notification_type: 'idle_prompt' }

  it.each([
    ['a question', question, [], ['Bash']],
    ['a failure', failed, [], ['failed']],
    ['a turn that asks', asking, [], ['asks you']],
    ['an idle notice', idle, [], ['waiting for you']],
    ['a turn that asks nothing', stop('s1'), ['done'], ['done']],
  ])(
    'is sent only if it is still news, or if its channel has no noise rules: %s',
    async (_, event, ...told) => {
      for (const [index, noise] of [undefined, false].entries()) {
        const { world, receiver, configure, retry } = await makeFailingWorld()
        const team = noise === undefined ? {} : { noise }
        configure({ team })
        world.accept(event)
        await world.once()
        world.accept({ hook_event_name: 'UserPromptSubmit', ...session, prompt: 'Go on' })
        await world.once()
        receiver.isUp = true
        const texts = (await retry()).map(textOf).filter((text) => !text.includes('Go on'))
        expect(texts).toEqual((told[index] ?? []).map((word) => expect.stringContaining(word)))
      }
    },
  )
})

describe('a message that failed before quiet hours', () => {
  it('is held during quiet hours, and sent at their end', async () => {
    const { world, receiver, configure, retry } = await makeFailingWorld()
    const id = world.accept(stop('s1'))
    await world.once()
    receiver.isUp = true
    configure({ quietHours: quiet })
    expect(await retry()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'waiting',
      channels: {
        team: { state: 'held', attempts: 1, detail: expect.stringMatching(/^quiet hours until/) },
      },
    })
    configure()
    expect(await retry()).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })

  it('becomes one message with the others that wait for the end of quiet hours', async () => {
    const { world, receiver, configure, retry } = await makeFailingWorld()
    for (const session of ['s1', 's2']) {
      world.accept(stop(session))
      await retry()
    }
    receiver.isUp = true
    configure({ quietHours: quiet })
    expect(await retry()).toEqual([])
    configure()
    const texts = (await retry()).map(textOf)
    expect(texts).toHaveLength(1)
    expect(texts[0]).toContain('and 1 more')
  })

  it.each([
    ['it is a permission question', {}, { hook_event_name: 'PermissionRequest' }],
    ['its kind is an exception', { quietHours: [{ ...quiet[0], except: ['done'] }] }, stop('s1')],
    ['its channel has no noise rules', { team: { noise: false } }, stop('s1')],
  ])('is sent during quiet hours if %s', async (_, more, event) => {
    const { world, receiver, configure, retry } = await makeFailingWorld()
    world.accept(event)
    await world.once()
    receiver.isUp = true
    configure({ quietHours: quiet, ...more })
    expect(await retry()).toHaveLength(1)
  })

  it('does not age during quiet hours', async () => {
    const { world, configure, retry } = await makeFailingWorld()
    world.accept(stop('s1'))
    await world.once()
    const [before] = parkedIn(world)
    configure({ quietHours: quiet })
    const startedAt = Date.now()
    expect(await retry()).toEqual([])
    const [held] = parkedIn(world)
    const heldMs = (held?.notBefore ?? 0) - startedAt
    expect(heldMs).toBeGreaterThan(HOUR_MS)
    const agedMs = (held?.firstTriedAt ?? 0) - (before?.firstTriedAt ?? 0)
    expect(Math.abs(agedMs - heldMs)).toBeLessThan(60_000)
  })

  it('is sent during quiet hours if a person retries it', async () => {
    const { world, receiver, configure } = await makeFailingWorld()
    const id = world.accept(stop('s1'))
    await world.once()
    giveUp(world)
    configure({ quietHours: quiet })
    writeMutes(world.stateDir, [{ until: 0, questions: true }], Date.now())
    receiver.isUp = true
    await retryById(world, id)
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({ channels: { team: { state: 'delivered' } } })
  })

  it('is tried during quiet hours after `hookbell flush`, but not again after that', async () => {
    const { world, receiver, configure, retry } = await makeFailingWorld()
    const id = world.accept(stop('s1'))
    await world.once()
    configure({ quietHours: quiet })
    flush(world.stateDir)
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({
      channels: { team: { state: 'deferred', attempts: 2 } },
    })
    receiver.isUp = true
    expect(await retry()).toEqual([])
    // A flush does not release messages that quiet hours hold.
    flush(world.stateDir)
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({ channels: { team: { state: 'held' } } })
  })

  it('is delivered during quiet hours if the attempt after a flush succeeds', async () => {
    const { world, receiver, configure } = await makeFailingWorld()
    const id = world.accept(stop('s1'))
    await world.once()
    configure({ quietHours: quiet })
    receiver.isUp = true
    flush(world.stateDir)
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({ channels: { team: { state: 'delivered' } } })
  })

  it('is held until the end of quiet hours if a retry by hand fails too', async () => {
    const { world, receiver, configure, retry } = await makeFailingWorld()
    const id = world.accept(stop('s1'))
    await world.once()
    giveUp(world)
    configure({ quietHours: quiet })
    await retryById(world, id)
    await world.once()
    receiver.isUp = true
    expect(await retry()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({ channels: { team: { state: 'held' } } })
  })
})

describe('messages that are queued behind a failed one when quiet hours begin', () => {
  it('are held with it', async () => {
    const { world, receiver, received, configure } = await makeFailingWorld()
    configure({ lingerSeconds: 600 })
    const running = world.untilIdle()
    const ids = ['s1', 's2', 's3'].map((session) => world.accept(stop(session)))
    await expect.poll(() => world.lines()).toHaveLength(3)
    await expect.poll(() => world.parked()).toHaveLength(1)
    expect(received).toHaveLength(1)
    receiver.isUp = true
    // A changed configuration retries everything at once.
    configure({ quietHours: quiet })
    const states = async () =>
      await Promise.all(ids.map(async (id) => (await world.statusOf(id))?.channels.team?.state))
    await expect.poll(states).toEqual(['held', 'held', 'held'])
    expect(received).toHaveLength(1)
    await purge(world.stateDir)
    await running
  })
})

describe('a later step, when the step before it reached nobody', () => {
  it.each([
    ['waits for the end of quiet hours', quiet, 'held', 0],
    ['is sent at once if there are no quiet hours', [], 'delivered', 1],
  ])('%s', async (_, quietHours, state, count) => {
    const first = await startReceiver({ script: [503, 404] })
    const { url, received } = await startReceiver()
    const world = makeWorld()
    const configure = (hours: object[]) =>
      world.configure({
        channels: {
          pager: { type: 'slack', url: `${first.url}/services/x`, noise: false },
          team: { type: 'slack', url: `${url}/services/x` },
        },
        routes: [{ on: ['*'], steps: [{ to: ['pager'] }, { after: '1h', to: ['team'] }] }],
        noise: { quietHours: hours },
        retry: { firstDelaySeconds: 600 },
        lingerSeconds: 0,
      })
    configure([])
    const id = world.accept({ hook_event_name: 'StopFailure', session_id: 's1' })
    await world.once()
    configure(quietHours)
    makeDue(world, `${id}.pager`)
    await world.once()
    expect((await world.statusOf(id))?.channels).toMatchObject({
      ...{ pager: { state: 'exhausted' }, team: { state } },
    })
    expect(received.filter(({ body }) => !body.includes('gets through'))).toHaveLength(count)
  })
})

describe('a message that a person requests by its channel', () => {
  it('is sent whatever is muted, and in quiet hours', async () => {
    const { world, receiver, received, configure } = await makeFailingWorld()
    configure({ quietHours: quiet })
    writeMutes(world.stateDir, [{ until: 0, questions: true }], Date.now())
    receiver.isUp = true
    const event = Buffer.from(JSON.stringify({ hook_event_name: 'StopFailure', message: 'x' }))
    await deliverTo('team', { body: event, env: {} }, world)
    expect(received).toHaveLength(1)
  })
})

describe('a summary of two sessions that waits for its next attempt', () => {
  it.each([
    ['dropped when everything is muted', {}, 0],
    ['sent although one of its sessions is muted', { session: 's1' }, 1],
    ['sent although the project of one of them is muted', { project: 'shop' }, 1],
  ])('is %s', async (_, mute, count) => {
    const { world, receiver, configure, retry } = await makeFailingWorld()
    configure({ quietHours: quiet })
    for (const session of ['s1', 's2']) world.accept({ ...stop(session), cwd: '/srv/shop' })
    await world.once()
    configure()
    expect((await retry()).map(textOf)).toEqual([expect.stringContaining('and 1 more')])
    expect(world.parked()).toHaveLength(2)
    receiver.isUp = true
    writeMutes(world.stateDir, [{ until: 0, questions: true, ...mute }], Date.now())
    expect(await retry()).toHaveLength(count)
  })
})

describe('a message that waits for its next attempt', () => {
  it('is dropped when everything is muted, with the reason', async () => {
    const { world, receiver, retry } = await makeFailingWorld()
    const id = world.accept({ ...stop('s1'), hook_event_name: 'PermissionRequest' })
    await world.once()
    receiver.isUp = true
    writeMutes(world.stateDir, [{ until: 0, questions: true }], Date.now())
    expect(await retry()).toEqual([])
    expect(world.parked()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({
      channels: {
        file: { state: 'delivered' },
        team: { state: 'suppressed', attempts: 1, detail: 'Muted without an end, questions too' },
      },
    })
  })

  it.each([
    ['its session is muted', { session: 's1' }, 0],
    ['another session is muted', { session: 's2' }, 1],
    ['its project is muted', { project: 'shop' }, 0],
    ['another project is muted', { project: 'other' }, 1],
    ['the folder of its project is muted', { project: '/srv/shop' }, 0],
  ])('is checked against mutes by its own origin when %s', async (_, mute, count) => {
    const { world, receiver, retry } = await makeFailingWorld()
    world.accept({ ...stop('s1'), cwd: '/srv/shop' })
    await world.once()
    receiver.isUp = true
    writeMutes(world.stateDir, [{ until: 0, questions: true, ...mute }], Date.now())
    expect(await retry()).toHaveLength(count)
  })
})
