import { utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readJournal } from '../../src/journal/read.ts'
import { flush } from '../../src/worker/control.ts'
import { makeAuthority } from '../support/authority.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { refusal, startSmtpServer } from '../support/smtp.ts'
import { exited, makeWorld, startProgram, type World } from './_world.ts'

type Redis = Awaited<ReturnType<typeof startRedis>>

/** A machine that sends all messages to a hub. */
function makeMachine(redis: Pick<Redis, 'url'>, more: object = {}) {
  const world = makeWorld()
  const reconfigure = (changes: object) =>
    world.configure({
      ...{ channels: {}, hub: { url: redis.url(), channels: ['team'] }, lingerSeconds: 0 },
      ...{ routes: [{ on: ['*'], to: ['team'] }], noise: { off: ['cooldown', 'repeats'] } },
      ...{ retry: { firstDelaySeconds: 0.2, maxDelaySeconds: 0.5 } },
      ...changes,
    })
  reconfigure(more)
  return { ...world, reconfigure }
}

/** The records that the hub has received, in order. */
async function recordsIn(redis: Redis): Promise<{ [field: string]: unknown }[]> {
  const lines = (await redis.ask('LRANGE', 'hb:in', '0', '-1')) as string[]
  return lines.map((line) => JSON.parse(line))
}

const turns = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `turn ${from + index}`)

const webhookTo = (url: string) => ({ type: 'webhook', url, allowPrivateNetwork: true })

const both = (redis: Redis, team: object) => ({
  channels: { team },
  hub: { url: redis.url(), channels: ['team'], after: 'direct', directAfterMinutes: 1 / 60 },
})

/** A machine that falls back from the hub to its own channel after one second. */
function makeMachineWithBoth(redis: Redis, team: object) {
  const world = makeMachine(redis, both(redis, team))
  const accept = (message: string) =>
    world.accept({ message, session_id: 's', notification_type: 'auth_success' })
  return { ...world, tell: accept }
}

describe.skipIf(!hasRedis)('a machine with a hub', () => {
  it('reports once on another channel that the hub refuses it, and loses nothing', async () => {
    const redis = await startRedis({ users: ['user default on >right ~* +@all'] })
    const ops = await startReceiver({ script: [{ body: 'ok' }] })
    const hub = { url: redis.url(), channels: ['team'], password: 'wrong' }
    const settings = { hub, channels: { ops: { type: 'slack', url: ops.url } } }
    const machine = makeMachine(redis, settings)
    const ids = ['one', 'two'].map((message) => machine.accept({ message }))
    const running = machine.untilIdle()
    await expect.poll(() => ops.received.map(({ body }) => body)).toHaveLength(1)
    expect(ops.received[0]?.body).toMatch(
      /nothing gets through to the channel team any more.*hub: the hub refuses the user or the password/,
    )
    for (const id of ids)
      await expect
        .poll(async () => (await machine.statusOf(id))?.channels.team?.attempts)
        .toBeGreaterThan(2)
    machine.reconfigure({ ...settings, hub: { ...hub, password: 'right' } })
    await running
    expect(await Promise.all(ids.map(async (id) => (await machine.statusOf(id))?.outcome))).toEqual(
      ['delivered', 'delivered'],
    )
    expect(ops.received).toHaveLength(1)
  })

  it('trusts the authorities of extraCaFile without starting its worker twice', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const { port } = await startRedis({ tls: await authority.issue('IP:127.0.0.1') })
    const machine = makeMachine(
      { url: () => `rediss://127.0.0.1:${port}` },
      { extraCaFile: authority.file },
    )
    const id = machine.accept({ message: 'one' })
    expect(await exited(startProgram(builtWorker, machine))).toBe(0)
    expect((await machine.statusOf(id))?.channels.team).toMatchObject({ state: 'delivered' })
  })

  it('delivers directly while the hub is down, and uses the hub again once it is back', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const told = () => receiver.received.map(({ body }) => body.match(/turn \d+/)?.[0])
    const machine = makeMachineWithBoth(redis, webhookTo(receiver.url))
    await redis.stop()
    const [first] = turns(0, 10).map(machine.tell)
    await machine.untilIdle()
    expect(told()).toEqual(turns(0, 10))
    expect((await machine.statusOf(first ?? ''))?.channels.team).toMatchObject({
      state: 'delivered',
      detail: 'directly, since the hub takes nothing: ok',
    })
    await redis.start()
    turns(10, 15).map(machine.tell)
    await machine.untilIdle()
    expect((await recordsIn(redis)).map(({ body }) => body)).toEqual(turns(10, 15))
    expect(told()).toEqual(turns(0, 10))
  })

  it('uses the hub again for messages whose direct delivery failed', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver({ script: [404] })]
    const machine = makeMachineWithBoth(redis, webhookTo(receiver.url))
    await redis.stop()
    const [first] = turns(0, 3).map(machine.tell)
    const running = machine.untilIdle()
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
    await redis.start()
    await running
    // The hub and the direct delivery together count as one attempt.
    const attempts: number[] = []
    for await (const entry of readJournal(machine.stateDir))
      if (entry.id === first && 'attempt' in entry) attempts.push(entry.attempt)
    expect(attempts).toEqual(attempts.map((_, index) => index + 1))
    const bodies = (await recordsIn(redis)).map(({ body }) => body)
    expect(bodies.sort()).toEqual(turns(0, 3))
    expect(machine.dead()).toEqual([])
  })

  it.each([
    ['set', '${UNSET_SENDER}', 'not set'],
    ['fetched', '${SLOW_SENDER}', 'waits for'],
  ])('sends a mail only to those who lack it once its secret is %s', async (_, from, why) => {
    let isRefusing = true
    const { port, received } = await startSmtpServer({
      onRcptTo: ({ address }, _session, callback) =>
        callback(address === 'new@x.test' && isRefusing ? refusal(450, 'greylisted') : null),
    })
    const to = ['old@x.test', 'new@x.test']
    const mail = { type: 'email', smtp: `smtp://127.0.0.1:${port}`, from: 'a@x.test', to }
    const redis = await startRedis()
    const machine = makeMachineWithBoth(redis, mail)
    await redis.stop()
    const id = machine.tell('turn 0')
    const running = machine.untilIdle()
    await expect.poll(() => received.length).toBe(1)
    await redis.start()
    const sender = join(machine.folder, 'sender')
    const wait = `until [ -e ${sender} ]; do sleep 0.05; done; echo b@x.test`
    const secrets = { SLOW_SENDER: ['/bin/sh', '-c', wait] }
    machine.reconfigure({ ...both(redis, { ...mail, from }), secrets })
    const reasons = async () => (await machine.statusOf(id))?.channels.team?.detail
    await expect.poll(reasons).toContain(why)
    isRefusing = false
    writeFileSync(sender, '')
    writeFileSync(join(machine.configDir, 'secrets.env'), 'UNSET_SENDER=b@x.test\n', {
      mode: 0o600,
    })
    await running
    expect(received.map(({ to }) => to)).toEqual([['old@x.test'], ['new@x.test']])
    expect(await recordsIn(redis)).toEqual([])
    expect((await machine.statusOf(id))?.channels.team).toMatchObject({ state: 'delivered' })
  })

  it('keeps the order of a session across an outage of the hub', async () => {
    const redis = await startRedis()
    const world = makeMachine(redis)
    await redis.stop()
    const sockets: Socket[] = []
    const deaf = createServer((socket) => void sockets.push(socket.on('error', () => {}).resume()))
    deaf.listen(redis.port, '127.0.0.1')
    const accept = (index: number) =>
      world.accept({ message: `turn ${index}`, session_id: 's', notification_type: 'auth_success' })
    for (let index = 0; index < 20; index += 1) accept(index)
    const running = world.untilIdle()
    await expect.poll(() => sockets.reduce((sum, one) => sum + one.bytesRead, 0)).toBeGreaterThan(0)
    // Queued messages fail together with the one in progress, and more arrive before the retry.
    await expect.poll(() => world.list('new').length).toBe(0)
    deaf.close()
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => world.parked().length).toBeGreaterThan(3)
    for (let index = 20; index < 40; index += 1) accept(index)
    await redis.start()
    await running
    const bodies = (await recordsIn(redis)).map(({ body }) => body)
    expect(bodies).toEqual(Array.from({ length: 40 }, (_, index) => `turn ${index}`))
  })

  it('retries before later messages of a session while another channel is busy', async () => {
    const [redis, deaf] = [await startRedis(), await startReceiver({ script: ['blackhole'] })]
    const world = makeMachine(redis, {
      channels: { slow: { type: 'webhook', url: deaf.url, allowPrivateNetwork: true } },
      routes: [
        { on: ['Notification'], to: ['team'] },
        { on: ['Stop'], to: ['slow'] },
      ],
      deliveryTimeoutSeconds: 600,
    })
    await redis.stop()
    // More than the channel takes at once, so that something always waits for its turn.
    for (let index = 0; index < 6; index += 1)
      world.accept({ hook_event_name: 'Stop', session_id: `stop ${index}` })
    // More than are handed over at once, so that some are not tried before the failure.
    const messages = turns(0, 70)
    for (const message of messages)
      world.accept({ message, session_id: 's', notification_type: 'auth_success' })
    const running = world.once()
    await expect.poll(() => world.parked().length).toBeGreaterThan(0)
    await redis.start()
    const told = async () => (await recordsIn(redis)).filter(({ type }) => type !== 'answer')
    const bodies = async () => (await told()).map(({ body }) => body)
    await expect.poll(bodies).toEqual(messages)
    await deaf.close()
    await running
  })

  it.each([
    ['a later worker', (world: World) => world.untilIdle()],
    [
      '`drain`',
      (world: World) => {
        flush(world.stateDir)
        return world.once()
      },
    ],
  ])('keeps the order of a session when %s continues after an outage', async (_, goOn) => {
    const redis = await startRedis()
    const retry = { firstDelaySeconds: 3600, maxDelaySeconds: 3600 }
    const world = makeMachine(redis, { retry })
    const now = Date.now() / 1000
    const accept = (message: string) => {
      const event = { message, session_id: 's', notification_type: 'auth_success' }
      // As if the whole session had happened within one tick of the clock.
      utimesSync(join(world.spool.new, world.accept(event)), now, now)
    }
    await redis.stop()
    for (const message of turns(0, 20)) accept(message)
    await world.once()
    expect(world.parked().length).toBeGreaterThan(1)
    for (const message of turns(20, 40)) accept(message)
    await redis.start()
    await goOn(world)
    expect((await recordsIn(redis)).map(({ body }) => body)).toEqual(turns(0, 40))
  })

  it('tells the hub that a question was answered, with the id of its message', async () => {
    const redis = await startRedis()
    const world = makeMachine(redis)
    const ask = { hook_event_name: 'PermissionRequest', session_id: 's', tool_name: 'Bash' }
    world.accept(ask)
    await world.once()
    world.accept({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'go on' })
    await world.once()
    const [question, ...others] = await recordsIn(redis)
    const answer = others.find(({ type }) => type === 'answer')
    expect(question).toMatchObject({ kind: 'permission' })
    expect(answer).toMatchObject({
      session: question?.session,
      isForAll: true,
      questions: [String(question?.id).replace('.team', '')],
    })
  })

  it('does not tell the hub of an answer if nobody gave one', async () => {
    const redis = await startRedis()
    const world = makeMachine(redis)
    const of = { session_id: 's' }
    const limit = { hook_event_name: 'StopFailure', error: 'rate_limit' }
    world.accept({ ...of, hook_event_name: 'UserPromptSubmit', prompt: 'go' })
    world.accept({ ...of, hook_event_name: 'Stop' })
    await world.once()
    const before = (await recordsIn(redis)).length
    // No turn runs: a request of the client itself has failed, and so has a background agent.
    world.accept({ ...of, ...limit })
    world.accept({ ...of, ...limit, agent_id: 'a1' })
    await world.once()
    const later = (await recordsIn(redis)).slice(before)
    expect(later.filter(({ type }) => type === 'answer')).toEqual([])
  })

  it('tells the hub that one of two questions was answered, and only of that one', async () => {
    const redis = await startRedis()
    const world = makeMachine(redis)
    const ask = { hook_event_name: 'PermissionRequest', session_id: 's', tool_name: 'Bash' }
    const qwen = { client: 'qwen' }
    for (const tool_use_id of ['t1', 't2']) world.accept({ ...ask, tool_use_id }, qwen)
    await world.once()
    const [first] = await recordsIn(redis)
    // Later events of the same tool call are not further answers.
    for (const hook_event_name of ['PreToolUse', 'PostToolUse'])
      world.accept({ hook_event_name, session_id: 's', tool_use_id: 't1' }, qwen)
    await world.once()
    const answers = (await recordsIn(redis)).filter(({ type }) => type === 'answer')
    const questions = [String(first?.id).replace('.team', '')]
    expect(answers).toMatchObject([{ isForAll: false, questions }])
  })

  it('tells the hub that a question of droid was answered once droid asks the next one', async () => {
    const redis = await startRedis()
    const world = makeMachine(redis, { noise: { off: ['burst'] } })
    for (const count of [2, 1]) {
      const message = `Factory CLI needs permission to execute ${count} tool(s)`
      const notice = { notification_type: 'permission_prompt', session_id: 's', message }
      world.accept(notice, { client: 'droid' })
      await world.once()
    }
    const [first, ...others] = await recordsIn(redis)
    const questions = [String(first?.id).replace('.team', '')]
    const answers = others.filter(({ type }) => type === 'answer')
    expect(answers).toMatchObject([{ isForAll: false, questions }])
  })

  it('retries to tell the hub of an answer after a failure', async () => {
    const redis = await startRedis()
    const world = makeMachine(redis, { lingerSeconds: 1 })
    await redis.stop()
    world.accept({ hook_event_name: 'SessionEnd', session_id: 's' })
    const running = world.untilIdle()
    await expect.poll(() => world.list('new')).toEqual([])
    await redis.start()
    const types = async () => (await recordsIn(redis)).map(({ type }) => type)
    await expect.poll(types).toContain('answer')
    await running
  })
})
