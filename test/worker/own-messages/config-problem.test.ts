import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { flush } from '../../../src/worker/control.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { ConfigProblem } from '../../../src/worker/own-messages/config-problem.ts'
import { makeHome } from '../../support/home.ts'
import { holdAnswer, startReceiver } from '../../support/receiver.ts'
import { makeWorld, type World } from '../_world.ts'

/** The environment of a session without a desktop. */
const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' }

/** A world in which the alarm about a broken configuration arrives in the same file as the events. */
function makeTelling() {
  const world = makeWorld()
  const settings = (lingerSeconds: number) =>
    JSON.stringify({
      channels: { desktop: { type: 'file', path: world.outFile } },
      routes: [{ on: ['*'], to: ['desktop'] }],
      lingerSeconds,
    })
  world.configure(settings(600))
  const path = join(world.configDir, 'config.json')
  return {
    ...world,
    settings,
    write: (text: string) => writeFileSync(path, text),
    bodies: () => world.lines().map(({ body }) => body),
  }
}

/** The check of a worker whose clocks only `pass` moves. */
function makeChecked() {
  const world = makeTelling()
  const { deps } = openWorker(world)
  onTestFinished(() => deps.store.close())
  let passed = 0
  const startedAt = Date.now()
  const clocks = { now: () => startedAt + passed, steadyNow: () => passed }
  const problem = new ConfigProblem({ ...deps, ...clocks })
  return {
    ...world,
    problem,
    config: deps.config,
    store: deps.store,
    now: clocks.now,
    check: () => problem.check(deps.config.get(), () => {}),
    pass: (ms: number) => {
      passed += ms
    },
  }
}

it.each([
  ['{"chanels":{}}', /unknown key\. Did you mean "channels"\? Until it is fixed, /],
  ['{"lingerSeconds":"9"}', /not a string\. Write it without quotes\. Until it is fixed, /],
])('a configuration that is broken is reported in whole sentences: %s', async (text, expected) => {
  const { check, pass, store, write } = makeChecked()
  write(text)
  await check()
  pass(2000)
  const claim = await check()
  const report = claim && store.readDelivery(claim)
  expect(report?.delivery.message.body).toMatch(expected)
})

describe('a configuration that is being saved', () => {
  it.each(['', '{ "channels": { "des'])(
    'is not reported while only %j of it is written',
    async (half) => {
      const { check, config, pass, problem, settings, write } = makeChecked()
      expect(await check()).toBeUndefined()
      write(half)
      expect(await check()).toBeUndefined()
      expect(problem.nextInMs).toBe(2000)
      expect(config.get()).toMatchObject({ source: 'last good', config: { lingerSeconds: 600 } })
      pass(1999)
      expect(await check()).toBeUndefined()
      write(settings(0))
      pass(5000)
      expect(await check()).toBeUndefined()
      expect(problem.nextInMs).toBeUndefined()
    },
  )

  it('is not reported by a worker that starts while the file behind a link is moved away', async () => {
    const { check, configDir, folder, now, pass, problem } = makeChecked()
    const dotfiles = join(folder, 'dotfiles')
    const target = join(dotfiles, 'hookbell.json')
    mkdirSync(dotfiles)
    rmSync(join(configDir, 'config.json'))
    symlinkSync('linked.json', join(configDir, 'config.json'))
    symlinkSync(target, join(configDir, 'linked.json'))
    const changeOf = (path: string) => statSync(path).ctimeMs
    await expect
      .poll(() => {
        writeFileSync(target, '{}')
        rmSync(target)
        return changeOf(dotfiles)
      })
      .toBeGreaterThan(changeOf(configDir))
    pass(changeOf(configDir) + 2000 - now())
    expect(await check()).toBeUndefined()
    expect(problem.nextInMs).toBeGreaterThan(0)
    pass(changeOf(dotfiles) + 2000 - now())
    expect(await check()).toBeDefined()
  })

  it('is reported once it has been broken for two seconds, even if it was changed meanwhile', async () => {
    const { check, pass, write } = makeChecked()
    await check()
    write('{')
    await check()
    pass(1500)
    write('{ "channels"')
    expect(await check()).toBeUndefined()
    pass(1500)
    expect(await check()).toBeUndefined()
    pass(500)
    expect(await check()).toBeDefined()
    expect(await check()).toBeUndefined()
  })
})

/** A world whose only channel is a phone. Named `desktop`, it gets the reports of a broken configuration. */
async function makeShowing(channel = 'desktop', more: object = {}) {
  const shown = new Map<string, { title: string; message: string }>()
  const outage = { isOn: false, answer: async (): Promise<object> => ({}) }
  const { url: server, received } = await startReceiver({
    script: [
      async ({ method, path, body }) => {
        if (outage.isOn) return { status: 503 }
        if (method === 'DELETE')
          return { status: shown.delete(path.split('/').at(-1) ?? '') ? 200 : 404 }
        const { sequence_id, title, message } = JSON.parse(body)
        shown.set(sequence_id, { title, message })
        await outage.answer()
        return { body: JSON.stringify({ id: 'x', event: 'message', sequence_id }) }
      },
    ],
  })
  const world = makeWorld()
  const phone = { type: 'ntfy', server, topic: 'shop' }
  const good = JSON.stringify({ channels: { [channel]: phone }, lingerSeconds: 0, ...more })
  world.configure(good)
  await world.once()
  return { ...world, good, outage, received, shown: () => [...shown.values()] }
}

describe('the report of a broken configuration', () => {
  it('has a title that names hookbell and the problem', async () => {
    const { configure, once, shown } = await makeShowing()
    configure('nonsense')
    await once()
    expect(shown()).toMatchObject([
      {
        title: 'hookbell: the configuration cannot be used',
        message: expect.stringMatching(/config\.json:1:1: not JSON/),
      },
    ])
  })

  it('is withdrawn by a later worker once the file is right again', async () => {
    const { configure, good, once, shown } = await makeShowing()
    configure('nonsense')
    await once()
    await once()
    expect(shown()).toHaveLength(1)
    configure(good)
    await once()
    expect(shown()).toEqual([])
  })

  it('is replaced by that of the next mistake', async () => {
    const { configure, once, shown } = await makeShowing()
    configure('nonsense')
    await once()
    configure('{"chanels":{}}')
    await once()
    expect(shown()).toMatchObject([{ message: expect.stringContaining('unknown key') }])
  })
})

describe('the report of a broken configuration that comes late', () => {
  it('is withdrawn if the file was corrected while it was on its way', async () => {
    const { accept, configure, good, outage, shown, statusOf, untilIdle } = await makeShowing()
    configure(good.replace('"lingerSeconds":0', '"lingerSeconds":600'))
    const answer = holdAnswer()
    outage.answer = answer.step
    const running = untilIdle()
    accept({ hook_event_name: 'FutureEvent' }, { env })
    configure('nonsense')
    await expect.poll(() => shown().length).toBe(1)
    configure(good)
    const id = accept({ hook_event_name: 'FutureEvent' }, { env })
    await expect.poll(() => statusOf(id)).toBeDefined()
    answer.give()
    await running
    expect(shown()).toEqual([])
  })

  it('is not sent by a later worker if the file was corrected while its channel was down', async () => {
    const { configure, good, parked, outage, once, shown, stateDir } = await makeShowing()
    outage.isOn = true
    configure('nonsense')
    await once()
    expect(parked()).toHaveLength(1)
    configure(good)
    await once()
    outage.isOn = false
    flush(stateDir)
    await once()
    expect([shown(), parked()]).toEqual([[], []])
  })

  it('is not sent by a later worker after another mistake was reported', async () => {
    const { configure, parked, outage, once, shown, stateDir } = await makeShowing()
    outage.isOn = true
    configure('nonsense')
    await once()
    configure('{"chanels":{}}')
    await once()
    // The first one may have come due meanwhile, and been dropped.
    expect(parked()).not.toEqual([])
    outage.isOn = false
    flush(stateDir)
    await once()
    expect(shown()).toMatchObject([{ message: expect.stringContaining('unknown key') }])
  })

  it('is withdrawn by a later worker if its channel was down when the file was corrected', async () => {
    const { configure, good, outage, once, shown } = await makeShowing()
    configure('nonsense')
    await once()
    outage.isOn = true
    configure(good)
    await once()
    expect(shown()).toHaveLength(1)
    outage.isOn = false
    await once()
    expect(shown()).toEqual([])
  })
})

describe('the report of a broken configuration without a desktop', () => {
  it('is sent once on another channel, and is withdrawn from there', async () => {
    const { accept, configure, good, once, shown } = await makeShowing('phone')
    configure('nonsense')
    accept({ hook_event_name: 'FutureEvent' }, { env })
    await once()
    await once()
    expect(shown()).toMatchObject([{ title: 'hookbell: the configuration cannot be used' }])
    configure(good)
    await once()
    expect(shown()).toEqual([])
  })

  it('is sent and withdrawn there by a running worker too', async () => {
    const { accept, configure, good, shown, statuses, untilIdle } = await makeShowing('phone')
    const outcomes = async () => (await statuses()).map(({ outcome }) => outcome)
    configure(good.replace('"lingerSeconds":0', '"lingerSeconds":600'))
    const running = untilIdle()
    accept({ hook_event_name: 'FutureEvent' }, { env })
    configure('nonsense')
    // A message that is still being sent cannot be withdrawn.
    await expect.poll(outcomes).toContain('delivered')
    configure(good)
    accept({ hook_event_name: 'FutureEvent' }, { env })
    await running
    expect(shown()).toEqual([])
  })

  it('is not sent there if the configuration was corrected while that channel was down', async () => {
    const { accept, configure, good, outage, received, shown, untilIdle } =
      await makeShowing('phone')
    configure(good.replace('"lingerSeconds":0', '"lingerSeconds":600'))
    outage.isOn = true
    const running = untilIdle()
    accept({ hook_event_name: 'FutureEvent' }, { env })
    configure('nonsense')
    await expect.poll(() => received.length).toBeGreaterThan(0)
    outage.isOn = false
    configure(good)
    accept({ hook_event_name: 'FutureEvent' }, { env })
    await running
    expect(shown()).toEqual([])
  })
})

/** Reports the problem, and ends like a worker that is killed before it sends the report. */
async function reportOnly(world: World) {
  const { deps } = openWorker(world)
  deps.lastSession.env = env
  const inAMinute = () => Date.now() + 60_000
  await new ConfigProblem({ ...deps, now: inAMinute }).check(deps.config.get(), () => {})
  deps.store.releaseAll()
}

describe('the report of a broken configuration whose worker has ended', () => {
  it('does not depend on the routes', async () => {
    const routes = [{ on: ['done'], to: ['phone'] }]
    const world = await makeShowing('phone', { routes })
    world.configure('nonsense')
    await reportOnly(world)
    await world.once()
    expect(world.shown()).toMatchObject([
      {
        title: 'hookbell: the configuration cannot be used',
        message: expect.stringContaining('not JSON'),
      },
    ])
  })

  it('is sent on another channel if the first one fails later', async () => {
    const { accept, configure, good, outage, once, received, shown, stateDir } =
      await makeShowing('phone')
    const { channels } = JSON.parse(good)
    const lost = await startReceiver({ script: [503, 401] })
    const first = { ...channels.phone, server: lost.url }
    configure({ channels: { first, ...channels }, lingerSeconds: 0 })
    await once()
    outage.isOn = true
    configure('nonsense')
    accept({ hook_event_name: 'FutureEvent' }, { env })
    await once()
    expect([lost.received.length, received.length]).toEqual([1, 0])
    outage.isOn = false
    flush(stateDir)
    await once()
    expect(lost.received).toHaveLength(2)
    expect(shown().map(({ title }) => title)).toContain(
      'hookbell: the configuration cannot be used',
    )
  })
})

describe('a broken configuration', () => {
  it('is reported by a running worker', async () => {
    const { accept, bodies, settings, untilIdle, write } = makeTelling()
    const running = untilIdle()
    accept({ message: 'before' })
    await expect.poll(bodies).toEqual(['before'])
    write('nonsense')
    accept({ message: 'meanwhile' })
    await expect.poll(() => bodies().length).toBe(3)
    expect(bodies()).toContain('meanwhile')
    expect(bodies().join()).toContain('not JSON')
    write(settings(0))
    accept({ message: 'after' })
    await running
  })

  it('is reported by a single run before it ends, even if the file was changed just now', async () => {
    const { bodies, once, write } = makeTelling()
    await once()
    write('nonsense')
    await once()
    expect(bodies()).toEqual([expect.stringContaining('not JSON')])
  })

  it('is reported at once if the file was last changed a minute ago', async () => {
    const { check, pass, write } = makeChecked()
    write('nonsense')
    pass(60_000)
    expect(await check()).toBeDefined()
  })
})

it('a broken configuration that two workers notice at the same moment is reported once', async () => {
  const home = await makeHome()
  const good = JSON.stringify({
    channels: { desktop: { type: 'file', path: join(home.home, 'out.jsonl') } },
    routes: [{ on: ['*'], to: ['desktop'] }],
  })
  await home.writeConfig(good)
  await home.runAlone('worker', '--once')
  await home.writeConfig(`${good}}`)
  const once = () => home.runAlone('worker', '--once')
  expect(await Promise.all([once(), once()])).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }])
  expect(home.read('out.jsonl').match(/not JSON/g)).toHaveLength(1)
})
