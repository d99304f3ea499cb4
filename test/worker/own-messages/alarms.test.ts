import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { appendEntry } from '../../../src/journal/journal.ts'
import { readJournalOf } from '../../../src/journal/read.ts'
import { WorkerMemory } from '../../../src/worker/memory.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { makeDelivery } from '../../support/delivery.ts'
import { makeHome } from '../../support/home.ts'
import { deadOf } from '../../support/parked.ts'
import { builtWorker } from '../../support/program.ts'
import { hasPty, startPty } from '../../support/pty.ts'
import { holdAnswer, type Step, startReceiver } from '../../support/receiver.ts'
import { exited, makeWorld, noteCrashes, retryById, startProgram, type World } from '../_world.ts'

const session_id = 's1'
const ask = {
  hook_event_name: 'PermissionRequest',
  session_id,
  tool_name: 'Bash',
  tool_input: { command: 'make' },
}
const failed = { hook_event_name: 'StopFailure', session_id: 's2', error: 'overloaded' }
/** A desktop bus that does not exist, as in a session over SSH. */
const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' }

/** Questions go to a desktop that does not exist, ends of turns to `team`, failures to `ops`. */
async function makeChannels(teamScript: Step[] = [404], opsScript: Step[] = [200]) {
  const team = await startReceiver({ script: teamScript })
  const ops = await startReceiver({ script: opsScript })
  const world = makeWorld()
  world.configure({
    channels: {
      desk: { type: 'desktop' },
      team: { type: 'slack', url: `${team.url}/services/x` },
      ops: { type: 'slack', url: `${ops.url}/services/x` },
    },
    routes: [
      { on: ['permission'], to: ['desk'] },
      { on: ['done'], to: ['team'] },
      { on: ['failed'], to: ['ops'] },
    ],
    lingerSeconds: 0,
  })
  const tell = async (event: object, more: object = env) => {
    const id = world.accept(event, { env: more as Record<string, string> })
    await world.untilIdle()
    return id
  }
  const textsOf = (receiver: typeof ops) => receiver.received.map(({ body }) => body)
  return { world, tell, team: () => textsOf(team), ops: () => textsOf(ops) }
}

async function typesOf(world: World, id: string) {
  const types: string[] = []
  for await (const { type } of readJournalOf(world.stateDir, new Set([id]))) types.push(type)
  return types
}

/** The questions that the next message has to mention. */
function unreachedIn({ stateDir }: World): unknown[] {
  return new WorkerMemory(stateDir).unreached().map(({ id, asked }) => ({ id, text: asked }))
}

describe('a question that reaches nobody', () => {
  it('is undelivered, and is mentioned once, in the next message that gets through', async () => {
    const { world, tell, ops } = await makeChannels()
    const id = await tell(ask)
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'undelivered',
      reason: expect.stringMatching(/^desk: desktop: .*; its terminal could not be rung$/),
    })
    expect(await typesOf(world, id)).toEqual(['accepted', 'unavailable', 'undelivered'])
    const next = await tell(failed)
    expect(ops()).toHaveLength(1)
    expect(ops()[0]).toMatch(/1 question reached nobody: \S.*: permission needed · Bash: make/)
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'delivered',
      channels: { ops: { state: 'delivered', detail: 'told late' } },
    })
    expect(await world.statusOf(next)).toMatchObject({ outcome: 'delivered' })
    const late: unknown[] = []
    for await (const entry of readJournalOf(world.stateDir, new Set([id])))
      if (entry.type === 'delivered') late.push(entry.summary)
    expect(late).toEqual([next])
    await tell({ ...failed, session_id: 's3', error: 'server_error' })
    expect(ops()).toHaveLength(2)
    expect(ops()[1]).not.toContain('reached nobody')
  })

  it('is not mentioned on a channel that nobody reads', async () => {
    const { world, tell } = await makeChannels()
    const id = await tell(ask)
    const { url, received } = await startReceiver()
    world.configure({
      channels: { program: { type: 'webhook', url, allowPrivateNetwork: true } },
      routes: [{ on: ['failed'], to: ['program'] }],
      lingerSeconds: 0,
    })
    await tell(failed)
    expect(received.map(({ body }) => body.includes('reached nobody'))).toEqual([false])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'undelivered' })
  })

  it('is mentioned by a later worker, again when the first message about it fails', async () => {
    const { world, tell } = await makeChannels()
    await tell(ask)
    await tell({ ...ask, tool_input: { command: 'make test' } })
    const receiver = await startReceiver({ script: [500, 200] })
    world.configure({
      channels: { team: { type: 'slack', url: `${receiver.url}/services/x` } },
      routes: [{ on: ['failed'], to: ['team'] }],
      lingerSeconds: 0,
      retry: { firstDelaySeconds: 0.05 },
    })
    await tell(failed)
    expect(
      receiver.received.map(({ body }) =>
        /2 questions reached nobody: \S.*: permission needed · Bash: make test/.test(body),
      ),
    ).toEqual([true, true])
  })

  it('is only counted, not quoted, on a channel with minimal clearance', async () => {
    const { world, tell } = await makeChannels()
    await tell(ask)
    const receiver = await startReceiver()
    world.configure({
      channels: {
        team: { type: 'slack', url: `${receiver.url}/services/x`, clearance: 'minimal' },
      },
      routes: [{ on: ['failed'], to: ['team'] }],
      lingerSeconds: 0,
    })
    await tell(failed)
    const [{ body = '' } = {}] = receiver.received
    expect(body).toContain('1 question reached nobody')
    expect(body).not.toContain('make')
  })

  it('is mentioned by its title alone if the journal keeps no texts', async () => {
    const { world, tell, ops } = await makeChannels()
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ ...settings, journal: { text: false } })
    await tell(ask)
    await tell(failed)
    expect(ops()[0]).toMatch(/1 question reached nobody: \S+: permission needed/)
    expect(readFileSync(join(world.stateDir, 'journal.jsonl'), 'utf8')).not.toContain('make')
    expect(readFileSync(join(world.stateDir, 'checkpoint.json'), 'utf8')).not.toContain('make')
  })

  it.skipIf(!hasPty)('rings the bell of its terminal', async () => {
    const { world, tell } = await makeChannels()
    const pty = await startPty()
    const id = await tell(ask, { ...env, HOOKBELL_TTY: pty.tty })
    await expect.poll(pty.received).toContain('\x07')
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'undelivered',
      reason: expect.stringContaining('the bell of its terminal was rung'),
    })
  })

  it('is undelivered only when a channel for people failed, even if a record was written', async () => {
    const { world, tell, ops } = await makeChannels()
    const channels = { desk: { type: 'desktop' }, log: { type: 'file', path: world.outFile } }
    world.configure({ channels, routes: [{ on: ['*'], to: ['log'] }], lingerSeconds: 0 })
    const recorded = await tell(ask)
    expect(await world.statusOf(recorded)).toMatchObject({ outcome: 'delivered' })
    world.configure({ channels, routes: [{ on: ['*'], to: ['log', 'desk'] }], lingerSeconds: 0 })
    const unseen = await tell(ask)
    expect(await world.statusOf(unseen)).toMatchObject({
      outcome: 'undelivered',
      channels: { log: { state: 'delivered' } },
      reason: expect.stringMatching(/^desk: desktop: [^;]*; its terminal could not be rung$/),
    })
    expect(ops()).toEqual([])
  })

  it('is still mentioned in the next message after a later step has recorded it in a file', async () => {
    const { world, tell, ops } = await makeChannels()
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    const channels = { ...settings.channels, log: { type: 'file', path: world.outFile } }
    const steps = [{ to: ['desk'] }, { after: '1h', to: ['log'] }]
    const routes = [{ on: ['permission'], steps }, ...settings.routes.slice(1)]
    world.configure({ ...settings, channels, routes })
    const id = await tell(ask)
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'undelivered',
      channels: { log: { state: 'delivered' } },
    })
    await tell(failed)
    expect(ops()[0]).toMatch(/1 question reached nobody: \S.*: permission needed · Bash: make/)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })

  it('is dead, not undelivered, if only its record could not be written', async () => {
    const { world, tell } = await makeChannels()
    const channels = { log: { type: 'file', path: world.folder } }
    world.configure({ channels, routes: [{ on: ['permission'], to: ['log'] }], lingerSeconds: 0 })
    const id = await tell(ask)
    expect(await typesOf(world, id)).toEqual(['accepted', 'exhausted'])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'dead' })
  })

  it('is not undelivered if it was delivered on one of its channels for people', async () => {
    const { world, tell, ops } = await makeChannels()
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ ...settings, routes: [{ on: ['permission'], to: ['desk', 'ops'] }] })
    const id = await tell(ask)
    expect(await typesOf(world, id)).not.toContain('undelivered')
    expect(await world.statusOf(id)).toMatchObject({
      ...{ outcome: 'delivered', channels: { desk: { state: 'unavailable' } } },
    })
    await tell({ ...ask, tool_input: { command: 'make test' } })
    expect(ops().map((body) => body.includes('reached nobody'))).toEqual([false, false])
  })

  it('is undelivered once if several channels fail at the same time', async () => {
    const { world, tell } = await makeChannels([404], [404])
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ ...settings, routes: [{ on: ['permission'], to: ['team', 'ops'] }] })
    const id = await tell(ask)
    const types = await typesOf(world, id)
    expect(types.filter((type) => type === 'undelivered')).toHaveLength(1)
  })

  it('is kept with its own text when it failed as a part of a summary', async () => {
    const world = makeWorld({ channels: { desk: { type: 'desktop' } } })
    const { deps } = openWorker(world)
    const ids = ['e1', 'e2']
    for (const id of ids) {
      const about = { acceptedAt: 1, event: 'PermissionRequest', client: 'claude', sessionId: '' }
      const entry = { at: 1, id, type: 'accepted' as const, ...about, project: '', title: 'x' }
      await appendEntry(world.stateDir, { ...entry, kind: 'permission', to: ['desk'] })
      const failed = { at: 2, id, type: 'unavailable' as const, channel: 'desk', attempt: 1 }
      await appendEntry(world.stateDir, { ...failed, reason: 'no desktop' })
    }
    const questions = ids.map((id) => ({
      ...{ id, at: 1, toolUseId: '', transcriptPath: '', title: 'Bash', text: `make ${id}` },
    }))
    const delivery = makeDelivery('e1', { channel: 'desk', kind: 'permission', events: ids })
    const summary = { ...delivery, questions }
    const outcome = { type: 'unavailable', attempt: 1, reason: 'no desktop' } as const
    await deps.alarms.ended(summary, { ...outcome, delivery: summary })
    expect(unreachedIn(world)).toEqual(ids.map((id) => ({ id, text: `Bash · make ${id}` })))
  })

  it('is undelivered if workers crashed while they had its message', async () => {
    const { world } = await makeChannels([500])
    const { channels } = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ channels, routes: [{ on: ['permission'], to: ['team'] }], lingerSeconds: 0 })
    const id = world.accept(ask, { env })
    await world.once()
    noteCrashes(world, `${id}.team`)
    await world.once()
    expect(await typesOf(world, id)).toEqual(['accepted', 'deferred', 'exhausted', 'undelivered'])
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'undelivered',
      reason: expect.stringMatching(/^team: the worker ended 3 times while it had this delivery; /),
    })
  })

  it('becomes undelivered at the next worker when the first one crashed before recording that', async () => {
    const { world, tell } = await makeChannels()
    const id = await tell(ask)
    const journal = join(world.stateDir, 'journal.jsonl')
    const lines = readFileSync(journal, 'utf8').split('\n')
    writeFileSync(journal, lines.filter((line) => !line.includes('"undelivered"')).join('\n'))
    // The state after the crash: the event is in progress but not finished.
    const again = world.accept(ask)
    renameSync(join(world.spool.new, again), join(world.spool.new, `${id}~1`))
    await world.untilIdle()
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'undelivered' })
  })

  it('is undelivered again when it fails again after a retry by hand, in the same worker', async () => {
    const { url } = await startReceiver({ script: [400] })
    const world = makeWorld()
    const configure = (lingerSeconds: number) =>
      world.configure({
        channels: { team: { type: 'slack', url: `${url}/services/x` } },
        routes: [{ on: ['permission'], to: ['team'] }],
        lingerSeconds,
      })
    configure(600)
    const id = world.accept(ask, { env })
    const running = world.untilIdle()
    const undelivered = async () =>
      (await typesOf(world, id)).filter((type) => type === 'undelivered')
    await expect.poll(undelivered).toHaveLength(1)
    await retryById(world, id)
    await expect.poll(() => world.dead()).toHaveLength(1)
    configure(0)
    await running
    expect(await undelivered()).toHaveLength(2)
    expect(unreachedIn(world)).toMatchObject([{ id }])
  })

  it('is not mentioned in its own message or in later ones if a retry by hand delivers it', async () => {
    const { url, received } = await startReceiver({ script: [400, 200] })
    const world = makeWorld()
    world.configure({
      channels: { team: { type: 'slack', url: `${url}/services/x` } },
      routes: [{ on: ['permission', 'failed'], to: ['team'] }],
      lingerSeconds: 0,
    })
    const id = world.accept(ask, { env })
    await world.untilIdle()
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'undelivered' })
    await retryById(world, id)
    await world.untilIdle()
    world.accept(failed)
    await world.untilIdle()
    expect(received.map(({ body }) => body.includes('reached nobody'))).toEqual(
      Array(3).fill(false),
    )
  })

  it('makes `status` fail and say what to do', async () => {
    const home = await makeHome({ channels: { desk: { type: 'desktop' } }, lingerSeconds: 0 })
    home.accept({ ...ask, cwd: home.project })
    await home.run('worker', '--once')
    const { stdout, exitCode } = await home.run('status')
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^events +1: 1 undelivered;/m)
    expect(stdout).toMatch(
      /1 question reached nobody; the first: Droid · api-server: permission needed \(desk: /,
    )
    expect(stdout).toContain('hookbell doctor')
    const why = await home.run('why')
    expect(why.stdout).toMatch(/nobody +\S+ \S+ was reached: desk: desktop: /)
    expect(why.stdout).toMatch(/result +undelivered/)
  })
})

describe('a channel that rejects every message', () => {
  const done = { hook_event_name: 'Stop', session_id: 's3', duration_ms: 60_000 }

  it('is reported once, on another working channel, with advice', async () => {
    const { world, tell, team, ops } = await makeChannels()
    await tell(done)
    expect(team()).toHaveLength(1)
    expect(ops()).toHaveLength(1)
    expect(ops()[0]).toMatch(
      /hookbell: nothing gets through to the channel team any more.*slack: 404/,
    )
    expect(ops()[0]).toContain('hookbell test team')
    await tell(done)
    expect([team().length, ops().length]).toEqual([2, 1])
    expect(world.dead()).toHaveLength(2)
  })

  it('is reported without the answer of its receiver to a channel that gets no text', async () => {
    const { world, tell, ops } = await makeChannels([{ status: 404, body: 'no_service' }])
    const config = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    config.channels.ops.clearance = 'minimal'
    world.configure(config)
    await tell(done)
    expect(ops()[0]).toMatch(/ nothing gets through to the channel team any more.*Correct it in /)
    expect(ops()[0]).not.toContain('no_service')
  })

  it('is reported by the next worker if the first one was killed before it could', async () => {
    const { world, ops } = await makeChannels()
    const { deps } = openWorker(world)
    const delivery = makeDelivery('e1', { channel: 'team', sessionEnv: env })
    const outcome = { type: 'exhausted', attempt: 1, reason: 'slack: 404', delivery } as const
    await deps.alarms.ended(delivery, { ...outcome, isChannelDead: true })
    // The worker was killed before it could record what it had put on a card.
    await deps.journal.written()
    const journal = join(world.stateDir, 'journal.jsonl')
    const lines = readFileSync(journal, 'utf8').split('\n')
    writeFileSync(journal, lines.filter((line) => !line.includes('"accepted"')).join('\n'))
    deps.store.releaseAll()
    await world.once()
    const words = /through to the channel team any more.*slack: 404.*hookbell test team/
    expect(ops()).toMatchObject([expect.stringMatching(words)])
    const clients = (await world.statuses()).map(({ client }) => client)
    expect(clients).toEqual(['hookbell', 'hookbell'])
  })

  it('is reported by the next worker if the first one was asked to end meanwhile', async () => {
    const answer = holdAnswer({ status: 404 })
    const { world, team, ops } = await makeChannels([answer.step])
    const worker = startProgram(builtWorker, world)
    for (let count = 0; count < 2; count += 1) world.accept(done, { env })
    await expect.poll(() => team().length).toBe(1)
    worker.kill()
    // It has given back the second event.
    await expect.poll(() => world.list('new')).toHaveLength(1)
    answer.give()
    expect([await exited(worker), ops()]).toEqual([0, []])
    await world.once()
    expect(ops()).toMatchObject([expect.stringContaining('through to the channel team any more')])
  })

  it('is reported before a worker ends that runs only once', async () => {
    const { world, ops } = await makeChannels()
    world.accept(done, { env })
    await world.once()
    expect(ops()).toHaveLength(1)
  })

  it('is reported on the desktop if there is no other channel', async () => {
    const { world, tell } = await makeChannels()
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    const { team } = settings.channels
    world.configure({ ...settings, channels: { team }, routes: [{ on: ['done'], to: ['team'] }] })
    await tell(done)
    const own = (await world.statuses()).filter(({ client }) => client === 'hookbell')
    expect(own.map(({ to }) => to)).toEqual([['desktop']])
  })

  it('is not reported again after a question has reached nobody', async () => {
    const { tell, team, ops } = await makeChannels()
    await tell(done)
    await tell(ask)
    await tell(done)
    expect([team().length, ops().length]).toEqual([2, 1])
  })

  it('is reported later on the same channel if that one fails for a while', async () => {
    const { world, tell, ops } = await makeChannels([404], [500, 200])
    const settings = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ ...settings, retry: { firstDelaySeconds: 0.05 } })
    await tell(done)
    expect(ops().map((body) => body.includes('the channel team'))).toEqual([true, true])
    const own = (await world.statuses()).filter(({ client }) => client === 'hookbell')
    expect(own.map(({ to }) => to)).toEqual([['desk'], ['ops']])
  })

  it('is reported again when it fails after it had worked in between', async () => {
    const { tell, ops } = await makeChannels([404, 200, 404])
    for (let round = 0; round < 3; round += 1) await tell(done)
    expect(ops()).toHaveLength(2)
  })

  it('is reported nowhere when every other channel fails too, each tried once', async () => {
    const { world, tell, team, ops } = await makeChannels([404], [400])
    await tell(done)
    expect([team().length, ops().length]).toEqual([1, 1])
    const name = world.dead().find((one) => one.endsWith('.ops')) ?? ''
    expect(deadOf(world.spool, name)?.delivery.sessionEnv).toEqual(env)
  })

  it('is not used to report that another one rejects every message', async () => {
    const { tell, team, ops } = await makeChannels([404], [200, 404])
    await tell(done)
    await tell(failed)
    expect([team().length, ops().length]).toEqual([1, 2])
  })

  it('is not reported when it only rejects the message itself (status 400)', async () => {
    const { tell, ops } = await makeChannels([400])
    await tell(done)
    expect(ops()).toEqual([])
  })
})
