import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../../src/journal/entry.ts'
import { appendEntry } from '../../../src/journal/journal.ts'
import { reviewSteps } from '../../../src/worker/dispatch/settle.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { makeDelivery } from '../../support/delivery.ts'
import { makeHome } from '../../support/home.ts'
import { type Step, startReceiver } from '../../support/receiver.ts'
import { makeWorld, noteCrashes, quickRetry, readLines } from '../_world.ts'

const ask = { hook_event_name: 'PermissionRequest', session_id: 's1', tool_name: 'Bash' }
const broke = { hook_event_name: 'StopFailure', session_id: 's1', error: 'overloaded' }
const steps = [
  { to: ['desk', 'file'] },
  { after: '1h', to: ['phone'] },
  { after: '2h', to: ['mail'] },
]

/** A route with three steps: a desktop that does not exist, then two receivers later. */
async function makeSteps(phoneScript: Step[] = [], more: object = {}) {
  const [phone, mail] = [await startReceiver({ script: phoneScript }), await startReceiver()]
  const world = makeWorld()
  world.configure({
    channels: {
      desk: { type: 'desktop' },
      file: { type: 'file', path: world.outFile },
      phone: { type: 'slack', url: `${phone.url}/services/x` },
      mail: { type: 'slack', url: `${mail.url}/services/x` },
    },
    routes: [{ on: ['permission', 'failed', 'done'], steps }],
    retry: quickRetry,
    lingerSeconds: 0,
    ...more,
  })
  const told = () =>
    Object.entries({ phone, mail })
      .filter(([, { received }]) => received.length > 0)
      .map(([name]) => name)
      .join(' ')
  const tell = async (event: object, env: Record<string, string> = {}) => {
    const id = world.accept(event, { env })
    await world.once()
    return id
  }
  return { world, phone, tell, told }
}

describe('a step after a step that reached nobody', () => {
  it.each([
    ['a question', ask],
    ['a failure', broke],
  ])('receives %s at once, while the steps after it keep their time', async (_, event) => {
    const { world, tell, told } = await makeSteps()
    const id = await tell(event)
    expect(told()).toBe('phone')
    expect(world.parked()).toEqual([`${id}.mail`])
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'waiting',
      channels: { desk: { state: 'unavailable' }, phone: { state: 'delivered' } },
    })
    const entries = readLines<JournalEntry>(join(world.stateDir, 'journal.jsonl'))
    const why = { type: 'held', channel: 'phone', reason: 'the steps before it reached nobody' }
    expect(entries).toContainEqual(expect.objectContaining(why))
  })

  it('is followed at once by the next step if it fails for good', async () => {
    const { world, tell, told } = await makeSteps([404, 404])
    const id = await tell(ask)
    expect(told()).toBe('phone mail')
    // The outcome is not `undelivered`, because the mail was delivered.
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'dead',
      channels: { phone: { state: 'exhausted' }, mail: { state: 'delivered' } },
    })
  })

  it('receives a question at once if workers crashed while they had its message', async () => {
    const { world, phone, told } = await makeSteps([500])
    const { channels, ...rest } = JSON.parse(
      readFileSync(join(world.configDir, 'config.json'), 'utf8'),
    )
    const routes = [
      { on: ['permission'], steps: [{ to: ['phone'] }, { after: '1h', to: ['mail'] }] },
    ]
    world.configure({ ...rest, channels, routes, retry: { firstDelaySeconds: 60 } })
    const id = world.accept(ask)
    await world.once()
    expect(world.parked()).toEqual([`${id}.mail`, `${id}.phone`])
    noteCrashes(world, `${id}.phone`)
    await world.untilIdle()
    expect(phone.received).toHaveLength(1)
    expect(told()).toBe('phone mail')
    expect(world.dead()).toEqual([`${id}.phone`])
    expect(readdirSync(world.spool.cur)).toEqual([])
  })

  it('is sent at once on all its channels', async () => {
    const { world, tell, told } = await makeSteps()
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    const both = [{ to: ['desk'] }, { after: '1h', to: ['phone', 'mail'] }]
    world.configure({ ...settings, routes: [{ on: ['permission'], steps: both }] })
    await tell(ask)
    expect(told()).toBe('phone mail')
    expect(world.parked()).toEqual([])
  })

  it('keeps its time if the message is the end of a turn', async () => {
    const { world, tell, told } = await makeSteps()
    const id = await tell({ hook_event_name: 'Stop', session_id: 's1' })
    expect(told()).toBe('')
    expect(world.parked()).toEqual([`${id}.mail`, `${id}.phone`])
  })

  it('keeps its time if a channel of an earlier step is being retried', async () => {
    const { world, phone, tell } = await makeSteps([500], { retry: { firstDelaySeconds: 60 } })
    world.configure({
      channels: {
        phone: { type: 'slack', url: `${phone.url}/services/x` },
        file: { type: 'file', path: world.outFile },
      },
      routes: [{ on: ['permission'], steps: [{ to: ['phone'] }, { after: '1h', to: ['file'] }] }],
      retry: { firstDelaySeconds: 60 },
      lingerSeconds: 0,
    })
    const id = await tell(ask)
    expect(await world.statusOf(id)).toMatchObject({
      channels: { phone: { state: 'deferred' }, file: { state: 'held' } },
    })
  })

  it.each([
    ['was told', []],
    ['is tried again', [500]],
  ])('keeps its time if another channel of the failed step %s', async (_, script) => {
    const { world, tell } = await makeSteps(script)
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    const routes = [
      {
        on: ['permission'],
        steps: [{ to: ['desk', 'phone'] }, { after: '1h', to: ['mail'] }],
      },
    ]
    world.configure({ ...settings, routes, retry: { firstDelaySeconds: 60 } })
    const id = await tell(ask)
    expect(world.parked()).toContain(`${id}.mail`)
    expect(await world.statusOf(id)).toMatchObject({
      channels: { desk: { state: 'unavailable' }, mail: { state: 'held' } },
    })
  })

  it('keeps its time if the step before it only writes a record', async () => {
    const { world, tell } = await makeSteps()
    const { channels, ...rest } = JSON.parse(
      readFileSync(join(world.configDir, 'config.json'), 'utf8'),
    )
    const routes = [
      { on: ['permission'], steps: [{ to: ['file'] }, { after: '1h', to: ['phone'] }] },
    ]
    world.configure({ ...rest, channels, routes })
    const id = await tell(ask)
    expect(world.parked()).toEqual([`${id}.phone`])
  })

  it('keeps its time if the record of the step before it cannot be written', async () => {
    const { world, tell } = await makeSteps()
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    const file = { type: 'file', path: world.folder }
    const routes = [
      { on: ['permission'], steps: [{ to: ['file'] }, { after: '1h', to: ['phone'] }] },
    ]
    world.configure({ ...settings, channels: { ...settings.channels, file }, routes })
    const id = await tell(ask)
    expect(await world.statusOf(id)).toMatchObject({
      channels: { file: { state: 'exhausted' }, phone: { state: 'held' } },
    })
  })

  it('is not tried again before its time when another channel of its step fails', async () => {
    const { world } = await makeSteps()
    const { deps } = openWorker(world)
    const [id, at, notBefore] = ['e', Date.now(), Date.now() + 3600_000]
    const note = (entry: object) =>
      appendEntry(world.stateDir, { at, id, ...entry } as JournalEntry)
    const why = { reason: 'x', until: notBefore, attempt: 1 }
    const about = {
      acceptedAt: at,
      event: 'PermissionRequest',
      kind: 'permission',
      client: 'claude',
    }
    const to = ['desk', 'phone', 'mail', 'file']
    await note({ type: 'accepted', ...about, sessionId: '', project: '', title: 'x', to })
    for (const channel of to.slice(1)) await note({ type: 'held', channel, ...why })
    await note({ type: 'deferred', channel: 'phone', ...why })
    for (const channel of ['desk', 'mail']) await note({ type: 'unavailable', channel, ...why })
    for (const channel of ['phone', 'file']) {
      const delivery = makeDelivery(id, { channel, notBefore })
      const state = channel === 'file' ? 'held' : 'deferred'
      await deps.store.keep({ state, reason: 'x', delivery })
    }
    await reviewSteps({ kind: 'permission', events: [id] }, deps)
    expect(deps.store.due()).toEqual(['e.file'])
  })

  it('does not include a message that another rule holds, which keeps its time', async () => {
    const { world, tell } = await makeSteps([], { noise: { burstSeconds: 60 } })
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    settings.channels.desk.noise = false
    const routes = [
      { on: ['permission'], to: ['desk', 'phone'] },
      { on: ['failed'], steps },
    ]
    world.configure({ ...settings, routes })
    await tell({ ...ask, tool_use_id: 't1' })
    const second = await tell({ ...ask, tool_use_id: 't2' })
    expect(await world.statusOf(second)).toMatchObject({
      channels: { desk: { state: 'unavailable' }, phone: { state: 'held' } },
    })
  })

  it('is held during quiet hours', async () => {
    const quietHours = [{ from: '00:00', to: '24:00' }]
    const { world, tell, told } = await makeSteps([], { noise: { quietHours } })
    const path = join(world.configDir, 'config.json')
    const config = JSON.parse(readFileSync(path, 'utf8'))
    config.channels.desk.noise = false
    world.configure(config)
    const id = await tell(broke)
    expect(told()).toBe('')
    expect(await world.statusOf(id)).toMatchObject({
      channels: { desk: { state: 'unavailable' }, phone: { state: 'held' } },
    })
  })

  it('is brought forward by the next worker if the first one ended before it could', async () => {
    const { world, told } = await makeSteps()
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    const { desk, file } = settings.channels
    world.configure({ ...settings, channels: { ...settings.channels, desk: file } })
    const id = world.accept(ask)
    const event = readFileSync(join(world.spool.new, id))
    await world.once()
    expect(told()).toBe('')
    // The state after a crash: the failure is recorded, but the event is not finished.
    world.configure({ ...settings, channels: { ...settings.channels, desk } })
    const journal = join(world.stateDir, 'journal.jsonl')
    const failed = { at: 1, id, type: 'unavailable', channel: 'desk', attempt: 1, reason: 'gone' }
    appendFileSync(journal, `${JSON.stringify(failed)}\n`)
    writeFileSync(join(world.spool.new, `${id}~0`), event)
    await world.once()
    expect(told()).toBe('phone')
  })

  it('is explained by `why`', async () => {
    const { url } = await startReceiver()
    const home = await makeHome({
      channels: {
        desk: { type: 'desktop' },
        team: { type: 'slack', url: `${url}/services/x` },
      },
      routes: [{ on: ['permission'], steps: [{ to: ['desk'] }, { after: '2m', to: ['team'] }] }],
      lingerSeconds: 0,
    })
    home.accept({ ...ask, cwd: home.project })
    await home.run('worker', '--once')
    const { stdout } = await home.run('why')
    expect(stdout).toMatch(/team +held by the rule steps: step 2 of route 1: 2m after the event/)
    expect(stdout).toMatch(/team +\S+ \S+ due at once: the steps before it reached nobody/)
    expect(stdout).toMatch(/result +delivered: team/)
  })
})
