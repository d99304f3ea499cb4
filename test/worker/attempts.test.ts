import { once } from 'node:events'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { flush } from '../../src/worker/control.ts'
import { makeDelivery } from '../support/delivery.ts'
import { changeParked, park, parkedOf } from '../support/parked.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { refusal, startSmtpServer } from '../support/smtp.ts'
import {
  countOutcomes,
  exited,
  makeDue,
  makeWorld,
  readLines,
  startProgram,
  type World,
} from './_world.ts'

const DAY_MS = 24 * 3600_000
const slack = (url: string) => ({ type: 'slack', url: `${url}/services/x` })
const entriesOf = (world: World) => readLines<JournalEntry>(join(world.stateDir, 'journal.jsonl'))
const deferredIn = (world: World) => entriesOf(world).filter(({ type }) => type === 'deferred')

describe('300 mails to a server that is down', () => {
  it('are recorded once per attempt, not each time they reach the head of the queue', async () => {
    let attempts = 0
    const server = createServer((socket) => {
      attempts += 1
      socket.on('error', () => {}).destroy()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const mail = { type: 'email', smtp: `smtp://127.0.0.1:${port}`, from: 'a@b.example' }
    const retry = { firstDelaySeconds: 0.2, maxDelaySeconds: 1 }
    const world = makeWorld({ channels: { mail: { ...mail, to: ['c@d.example'] } }, retry })
    for (let index = 0; index < 300; index += 1) world.accept({ message: `${index}` })
    const running = world.untilIdle()
    await expect
      .poll(() => entriesOf(world).filter(({ type }) => type === 'accepted'))
      .toHaveLength(300)
    await expect.poll(() => deferredIn(world).length).toBeGreaterThanOrEqual(8)
    const parked = world.parked().length
    const [deferred, entries] = [deferredIn(world).length, entriesOf(world).length]
    expect(deferred).toBeLessThanOrEqual(attempts)
    expect(entries).toBeLessThanOrEqual(300 + 300 + attempts)
    expect(parked).toBeLessThanOrEqual(attempts)
    world.configure({ channels: { file: { type: 'file', path: world.outFile } }, lingerSeconds: 0 })
    await running
  })
})

describe('a mail that the server takes for some recipients only', () => {
  const mailTo = (port: number, ...to: string[]) => ({
    ...{ type: 'email', smtp: `smtp://127.0.0.1:${port}`, from: 'a@x.test', to },
  })

  it('is tried again for the others, and nobody gets it twice', async () => {
    let tries = 0
    const { port, received } = await startSmtpServer({
      onRcptTo: ({ address }, _session, callback) => {
        if (address === 'new@x.test') tries += 1
        callback(address === 'new@x.test' && tries < 3 ? refusal(450, 'greylisted') : null)
      },
    })
    const mail = mailTo(port, 'old@x.test', 'new@x.test')
    const world = makeWorld({ channels: { mail } })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    expect(received.map(({ to }) => to)).toEqual([['old@x.test'], ['new@x.test']])
    expect(new Set(received.map(({ mail: { messageId } }) => messageId)).size).toBe(1)
    const told = entriesOf(world).filter((one) => 'channel' in one && one.channel === 'mail')
    expect(told).toMatchObject([
      {
        ...{ type: 'deferred', attempt: 1 },
        reason: '250 2.0.0 Ok: queued as 4F2A (refused: new@x.test: 450 greylisted)',
      },
      {
        ...{ type: 'deferred', attempt: 2 },
        reason: 'The others have it (refused: new@x.test: 450 greylisted)',
      },
      { type: 'delivered', attempt: 3, answer: '250 2.0.0 Ok: queued as 4F2A' },
    ])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })

  it('does not delay other mails, and counts as delivered when the other recipients are given up', async () => {
    const { port, received } = await startSmtpServer({
      onRcptTo: ({ address }, _session, callback) =>
        callback(address === 'full@x.test' ? refusal(452, 'mailbox full') : null),
    })
    const mail = mailTo(port, 'me@x.test', 'full@x.test')
    const retry = { firstDelaySeconds: 600, maxAttempts: 2 }
    const world = makeWorld({ channels: { mail }, retry })
    const [first = '', second = ''] = ['1', '2'].map((message) => world.accept({ message }))
    await world.once()
    expect(received.map(({ to }) => to)).toEqual([['me@x.test'], ['me@x.test']])
    for (const id of [first, second]) makeDue(world, `${id}.mail`)
    await world.once()
    expect(received).toHaveLength(2)
    expect(world.dead()).toEqual([])
    for (const id of [first, second])
      expect((await world.statusOf(id))?.channels.mail).toMatchObject({
        ...{ state: 'delivered', attempts: 2 },
        detail: 'The others have it (refused: full@x.test: 452 mailbox full)',
      })
  })

  it('counts as delivered when the server refuses it later, since one recipient has it', async () => {
    let isOpen = true
    const { port, received } = await startSmtpServer({
      onMailFrom: (_address, _session, callback) =>
        callback(isOpen ? null : refusal(550, 'not from you')),
      onRcptTo: ({ address }, _session, callback) =>
        callback(address === 'new@x.test' ? refusal(450, 'greylisted') : null),
    })
    const mail = mailTo(port, 'old@x.test', 'new@x.test')
    const retry = { firstDelaySeconds: 600 }
    const world = makeWorld({ channels: { mail }, routes: [{ on: ['*'], to: ['mail'] }], retry })
    const id = world.accept({ hook_event_name: 'PermissionRequest', tool_name: 'Bash' })
    await world.once()
    isOpen = false
    makeDue(world, `${id}.mail`)
    await world.once()
    expect(received).toHaveLength(1)
    expect(world.dead()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'delivered',
      channels: {
        mail: {
          ...{ state: 'delivered', attempts: 2 },
          detail: 'others have it; email: Mail command failed: 550 not from you',
        },
      },
    })
  })
})

describe('more messages than are kept in memory, for a destination that fails', () => {
  it('are sent unchanged once it works again', async () => {
    let isUp = false
    const { url, received } = await startReceiver({
      script: [() => ({ status: isUp ? 200 : 503 })],
    })
    const world = makeWorld()
    const config = (lingerSeconds: number) => ({
      channels: { team: { type: 'webhook', url, allowPrivateNetwork: true } },
      routes: [{ on: ['*'], to: ['team'], urgency: 'critical', template: 'brief' }],
      noise: { off: ['cooldown', 'repeats'] },
      retry: { firstDelaySeconds: 600 },
      lingerSeconds,
    })
    mkdirSync(join(world.configDir, 'templates/plain'), { recursive: true, mode: 0o700 })
    writeFileSync(join(world.configDir, 'templates/plain/brief.liquid'), 'from brief')
    world.configure(config(600))
    for (let index = 0; index < 510; index += 1)
      world.accept({ message: `number ${index}.`, session_id: `s${index}` })
    const running = world.untilIdle()
    const accepted = () => entriesOf(world).filter(({ type }) => type === 'accepted')
    await expect.poll(accepted).toHaveLength(510)
    await expect.poll(() => world.parked()).not.toEqual([])
    isUp = true
    const counts = async () => {
      flush(world.stateDir)
      return countOutcomes(await world.statuses())
    }
    await expect.poll(counts, { interval: 1000 }).toEqual({ delivered: 510 })
    world.configure(config(0))
    // Otherwise the worker sees the change only at its next heartbeat.
    flush(world.stateDir)
    await running
    const sent = received.map(({ body }) => JSON.parse(body).data)
    expect(new Set(sent.map(({ sessionId }) => sessionId)).size).toBe(510)
    const looks = sent.map(({ kind, urgency, title }) => `${kind} ${urgency} ${title}`)
    expect([...new Set(looks)]).toEqual(['waiting critical from brief'])
  })
})

describe('a message that is queued behind failed ones', () => {
  it('is left to a later worker, which repeats nothing that was delivered', async () => {
    // Four are sent at the same time and fail together, before the fifth one has begun.
    const fail = async () => {
      await expect.poll(() => received).toHaveLength(4)
      return { status: 500 }
    }
    const { url, received } = await startReceiver({ script: [fail, fail, fail, fail, 200] })
    const channels = { team: { type: 'webhook', url } }
    const world = makeWorld({ channels, retry: { firstDelaySeconds: 600 } })
    const ids = [1, 2, 3, 4, 5].map((index) => world.accept({ message: `${index}` }))
    await world.once()
    expect(received).toHaveLength(4)
    const [left = '', ...others] = world.list('new')
    expect(others).toEqual([])
    const failed = ids.filter((id) => left !== `${id}~0`)
    expect(failed).toHaveLength(4)
    expect(world.parked().sort()).toEqual(failed.map((id) => `${id}.team`).sort())
    await world.once()
    expect(countOutcomes(await world.statuses())).toEqual({ waiting: 4, delivered: 1 })
    expect(received).toHaveLength(5)
    expect(world.lines()).toHaveLength(5)
    expect(world.list('new')).toEqual([])
  })
})

describe('a Retry-After header', () => {
  it('of one channel is obeyed although another channel of the event is due earlier', async () => {
    const times: number[] = []
    const limited = await startReceiver({
      script: [
        () => {
          times.push(performance.now())
          return times.length === 1 ? { status: 429, headers: { 'retry-after': '3' } } : {}
        },
      ],
    })
    const failing = await startReceiver({ script: [500, 500, 500, 200] })
    const world = makeWorld({ channels: { a: slack(limited.url), b: slack(failing.url) } })
    world.accept({ message: 'one' })
    await world.untilIdle()
    expect(failing.received).toHaveLength(4)
    expect(times).toHaveLength(2)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2990)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 1 })
  })

  /** A receiver asks for a wait, its worker is killed, and an event for another channel to the same service follows. */
  async function makeKilled(seconds: number, { isSecret = false } = {}) {
    const times: number[] = []
    const answer = () => {
      times.push(performance.now())
      return times.length > 1 ? {} : { status: 429, headers: { 'retry-after': `${seconds}` } }
    }
    const { url } = await startReceiver({ script: [answer] })
    // A worker runs the command when it starts, and has the secret a little later.
    const secrets = isSecret ? { secrets: { URL: ['/bin/echo', `${url}/services/x`] } } : {}
    const team = isSecret ? { type: 'slack', url: '${URL}' } : slack(url)
    const config = {
      ...secrets,
      channels: { a: team, b: team },
      routes: [
        { on: ['Notification'], to: ['a'] },
        { on: ['Stop'], to: ['b'] },
      ],
    }
    const world = makeWorld(config)
    const id = world.accept({ message: 'one' })
    const worker = startProgram(builtWorker, world)
    const name = `${id}.a`
    // Without its secret it is parked too, before the first attempt.
    await expect.poll(() => parkedOf(world.spool, name)?.isAsked).toBe(true)
    worker.kill('SIGKILL')
    await exited(worker)
    world.accept({ hook_event_name: 'Stop' })
    return { world, times, config, name }
  }

  it.each([
    ['', false],
    [', although it must fetch a secret first', true],
  ])('is obeyed by the next worker too%s', async (_, isSecret) => {
    const { world, times } = await makeKilled(3, { isSecret })
    await world.untilIdle()
    expect(times).toHaveLength(3)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2990)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 2 })
  })

  it('is obeyed by a single run that must fetch a secret first', async () => {
    const { world, times } = await makeKilled(600, { isSecret: true })
    await world.once()
    expect(times).toHaveLength(1)
    expect(world.list('new')).toHaveLength(1)
  })

  type Killed = Awaited<ReturnType<typeof makeKilled>>
  const rewrite = ({ world, name }: Killed, changes: object) => {
    changeParked(world.spool, name, (before) => ({ ...before, ...changes }))
  }

  it.each<[string, (killed: Killed) => void]>([
    ['a person flushes the queue', ({ world }) => flush(world.stateDir)],
    ['the configuration changes', ({ world, config }) => world.configure(config)],
    ['the clock is set back', (killed) => rewrite(killed, { since: Date.now() + DAY_MS })],
    ['the response had no such header', (killed) => rewrite(killed, { isAsked: undefined })],
  ])('delays the messages of the next worker unless %s', async (_, change) => {
    const killed = await makeKilled(600)
    const { world, times } = killed
    await world.once()
    expect(times).toHaveLength(1)
    expect(world.list('new')).toHaveLength(1)
    change(killed)
    await world.once()
    expect(times.length).toBeGreaterThan(1)
    expect(world.list('new')).toEqual([])
  })
})

describe('a worker on a machine that was off for days', () => {
  it('retries an old event like a new one', async () => {
    const { url, received } = await startReceiver({ script: [500, 500, 200] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const id = world.accept({ message: 'hello' })
    const at = new Date(Date.now() - 3 * DAY_MS)
    utimesSync(join(world.spool.new, id), at, at)
    await world.untilIdle()
    expect(received).toHaveLength(3)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })

  it('does not count the time without attempts towards the maximum age', async () => {
    const { url, received } = await startReceiver({ script: [500, 500, 200] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const tried = Date.now() - 3 * DAY_MS
    const delivery = makeDelivery('e', {
      ...{ channel: 'team', attempts: 40, firstTriedAt: tried - 3600_000, notBefore: tried + 1000 },
    })
    const wait = { since: tried, reason: 'x', isHeld: false }
    park(world.spool, { ...wait, delivery })
    world.configure({
      channels: { team: slack(url) },
      lingerSeconds: 0,
      retry: { firstDelaySeconds: 0.05, maxDelaySeconds: 0.2 },
    })
    await world.untilIdle()
    expect(received).toHaveLength(3)
    expect(readdirSync(world.spool.dead)).toEqual([])
  })
})

describe('a held delivery that is sent days late', () => {
  it('gets all its attempts, as if it had been due just now', async () => {
    const { url, received } = await startReceiver({ script: [500, 500, 500, 500, 500, 500, 200] })
    const team = { type: 'webhook', url, allowPrivateNetwork: true }
    const world = makeWorld({ channels: { team } })
    const heldAt = Date.now() - 3 * DAY_MS
    const held = { since: heldAt, reason: 'x', isHeld: true }
    park(world.spool, {
      ...held,
      delivery: makeDelivery('e', { channel: 'team', notBefore: heldAt + 1000 }),
    })
    await world.untilIdle()
    expect(received).toHaveLength(7)
    expect(readdirSync(world.spool.dead)).toEqual([])
  })
})

describe('a spool file', () => {
  it.each(['claude', 'hookbell'])(
    'that names a channel is routed like any other event: %s',
    async (client) => {
      const { url, received } = await startReceiver()
      const world = makeWorld()
      const channels = { file: { type: 'file', path: world.outFile }, secret: slack(url) }
      world.configure({ channels, routes: [{ on: ['*'], to: ['file'] }], lingerSeconds: 0 })
      const text = `hookbell-event 1\nclient: ${client}\nchannel: secret\n\n{"hook_event_name":"Stop"}`
      writeFileSync(join(world.spool.new, 'e1'), text)
      await world.untilIdle()
      expect(world.lines().map(({ id }) => id)).toEqual(['e1'])
      expect(received).toEqual([])
    },
  )
})

describe('a parked delivery', () => {
  it('contains no secret, even if the receiver and the agent repeat one', async () => {
    const canary = 'canary-7f3a9c1e5b'
    const { url } = await startReceiver({
      script: [({ path }) => ({ status: 500, body: `no ${path} ${canary}` })],
    })
    const world = makeWorld()
    writeFileSync(join(world.configDir, 'secrets.env'), `CANARY=${canary}\n`, { mode: 0o600 })
    world.configure({
      channels: { team: { type: 'slack', url: `${url}/services/\${CANARY}` } },
      routes: [{ on: ['*'], to: ['team'] }],
      retry: { firstDelaySeconds: 600 },
    })
    world.accept({ message: `it is ${canary}`, cwd: `/srv/${canary}`, session_id: canary })
    await world.once()
    const [name = ''] = world.parked()
    const parked = parkedOf(world.spool, name)
    expect(parked?.delivery.message.body).toContain('[redacted]')
    expect(JSON.stringify(parked)).not.toContain(canary)
  })
})
