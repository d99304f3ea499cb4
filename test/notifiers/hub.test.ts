import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recordSchema } from '../../src/hub/record.ts'
import { hub } from '../../src/notifiers/hub.ts'
import { makeDelivery } from '../support/delivery.ts'
import { startFakeRedis } from '../support/fake-redis.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { failureOf, makeContext, makeMessage, testNotifier } from './_suite.ts'

const parse = (options: object) => hub.options.parse(options)

describe('notifiers: hub settings', () => {
  it('allows unencrypted Redis only on this machine', async () => {
    const options = parse({ url: 'redis://machine@hub.example:6379' })
    const error = await failureOf(hub.send(makeMessage(), options, makeContext()))
    expect(error).toMatchObject({ verdict: 'give-up' })
    expect(error.message).toContain('must begin with rediss://')
  })

  it.each(['https://hub.example', 'rediss://machine:secret@hub.example', 'rediss://hub.example/2'])(
    'rejects the URL %s',
    (url) => {
      expect(hub.options.safeParse({ url }).success).toBe(false)
    },
  )

  it('asks for a retry when nothing listens on the port', async () => {
    const options = parse({ url: 'redis://127.0.0.1:1' })
    const error = await failureOf(hub.send(makeMessage(), options, makeContext()))
    expect(error).toMatchObject({ verdict: 'retry', message: 'hub: nobody listens there' })
  })

  it('stops at its abort signal', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const options = parse({ url: `redis://127.0.0.1:${port}` })
    const context = makeContext({ signal: AbortSignal.timeout(50) })
    const error = await failureOf(hub.send(makeMessage(), options, context))
    expect(error).toMatchObject({ verdict: 'retry', message: 'hub: no answer in time' })
  })

  it('reports a server that does not speak the Redis protocol', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    server.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const options = parse({ url: `redis://127.0.0.1:${port}` })
    const error = await failureOf(hub.send(makeMessage(), options, makeContext()))
    expect(error.message).toBe('hub: it does not speak the protocol of Redis')
  })
})

describe('notifiers: hub: a message', () => {
  const NO_REDIS = 'hub: it does not speak the protocol of Redis'
  const send = (url: string, password?: string) =>
    hub.send(
      makeMessage(),
      parse({ url: url.replace('//', '//machine@'), password }),
      makeContext(),
    )

  it.each([
    ...[
      ':0',
      ':-1',
      '$-1',
      '$1\r\n1',
      '$0\r\n',
      '*0',
      '*-1',
      '*1\r\n:1',
      '+OK',
      '+QUEUED',
      '+1',
      '+',
    ],
  ])('is not handed over if the server answers %j', async (reply) => {
    let isRight = false
    const { url } = await startFakeRedis(() => (isRight ? ':1\r\n' : `${reply}\r\n`))
    expect(await failureOf(send(url))).toMatchObject({ verdict: 'retry', message: NO_REDIS })
    isRight = true
    expect(await send(url)).toContain('handed over')
  })

  it.each(['$-1', ':1', '*0', '+QUEUED', '$2\r\nOK2'])(
    'is not handed over if the server answers the password with %j',
    async (reply) => {
      const { url } = await startFakeRedis(([name]) =>
        name === 'AUTH' ? `${reply}\r\n` : ':1\r\n',
      )
      expect(await failureOf(send(url, 'secret'))).toMatchObject({ message: NO_REDIS })
    },
  )

  it('is sent over a new connection after a reply that nobody had asked for', async () => {
    const { url, connections } = await startFakeRedis(() => ':1\r\n:1\r\n')
    await send(url)
    await send(url)
    expect(connections()).toBe(2)
  })
})

describe.skipIf(!hasRedis)('notifiers: hub', () => {
  testNotifier({
    notifier: hub,
    accept: async () => {
      const redis = await startRedis()
      const arrived = async () => {
        const [line] = (await redis.ask('LRANGE', 'hb:in', '0', '-1')) as string[]
        const { title, body } = JSON.parse(line ?? '{}')
        return `${title}\n${body}`
      }
      return { options: { url: redis.url() }, arrived }
    },
  })

  it('keeps the order of messages that are sent at the same time', async () => {
    const redis = await startRedis()
    const options = parse({ url: redis.url() })
    const ids = Array.from({ length: 200 }, (_, index) => `event-${index}`)
    await Promise.all(
      ids.map((id) => hub.send(makeMessage({ id, title: id }), options, makeContext())),
    )
    const lines = (await redis.ask('LRANGE', 'hb:in', '0', '-1')) as string[]
    expect(lines.map((line) => JSON.parse(line).title)).toEqual(ids)
  })

  it('sends only the allowed fields', async () => {
    const redis = await startRedis()
    const canary = 'CANARY'
    const message = {
      ...makeMessage({ cwd: `/home/${canary}`, sessionId: canary, at: '2026-11-20T09:30:00.000Z' }),
      origin: { label: 'fix-it', project: 'shop', branch: 'main', host: canary, reply: canary },
      extra: canary,
    }
    const delivery = {
      ...makeDelivery('e1', { channel: 'team', session: canary, host: 'box-1' }),
      sessionEnv: { TOKEN: canary },
      questions: [
        { id: 'e1', at: 1, toolUseId: canary, transcriptPath: canary, title: canary, text: canary },
      ],
      template: canary,
      message: { ...message, markup: canary },
    }
    const context = makeContext({ delivery, sessionEnv: { TOKEN: canary } })
    await hub.send({ ...message, markup: canary }, parse({ url: redis.url() }), context)
    const [line = ''] = (await redis.ask('LRANGE', 'hb:in', '0', '-1')) as string[]
    expect(line).not.toContain(canary)
    expect(Object.keys(JSON.parse(line)).sort()).toEqual(
      [
        ...['v', 'type', 'id', 'host', 'channel', 'session', 'label', 'urgency', 'ageMs'],
        ...['kind', 'client', 'event', 'title', 'body', 'project', 'branch', 'count'],
      ].sort(),
    )
    expect(recordSchema.safeParse(JSON.parse(line)).success).toBe(true)
  })

  it.each([
    ['a wrong password', 'machine', 'wrong', 'hub: the hub refuses the user or the password'],
    [
      'a missing password',
      'machine',
      undefined,
      'hub: the hub asks for a password: set "password" of "hub"',
    ],
    [
      'a user without rights',
      'reader',
      'secret',
      'hub: the user of the hub may not do that; see: hookbell hub acl',
    ],
  ])('explains that the hub rejects %s', async (_, user, password, message) => {
    const redis = await startRedis({
      users: [
        'user default off',
        'user machine on >secret +rpush ~hb:in',
        'user reader on >secret +get ~*',
      ],
    })
    const options = parse({ url: redis.url(user), password })
    const error = await failureOf(hub.send(makeMessage(), options, makeContext()))
    expect(error).toMatchObject({ verdict: 'retry', message })
  })

  it('asks for a retry when the hub is full', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '100kb'] })
    const error = await failureOf(
      hub.send(makeMessage(), parse({ url: redis.url() }), makeContext()),
    )
    expect(error).toMatchObject({
      verdict: 'retry',
      message: 'hub: the hub is full: its Redis has reached maxmemory',
      hint: 'Nothing is lost: it waits here',
    })
  })

  it('reconnects by itself after Redis was killed and restarted', async () => {
    const redis = await startRedis()
    const options = parse({ url: redis.url() })
    const send = (id: string) => hub.send(makeMessage({ id }), options, makeContext())
    await send('first')
    await redis.stop('SIGKILL')
    expect((await failureOf(send('second'))).verdict).toBe('retry')
    await redis.start()
    await expect
      .poll(() =>
        send('second').then(
          () => 'sent',
          () => 'not yet',
        ),
      )
      .toBe('sent')
    expect(await redis.ask('LLEN', 'hb:in')).toBe(2)
  })
})
