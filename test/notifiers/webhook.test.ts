import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhook } from '../../src/notifiers/webhook.ts'
import { startFaultServer } from '../support/fault-server.ts'
import { type Step, startReceiver } from '../support/receiver.ts'
import { allTextOf, failureOf, makeContext, makeMessage, testHttpNotifier } from './_suite.ts'

const CANARY = 'canary5ecretToken'
const SIGNING = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`
const OTHER_SIGNING = `whsec_${Buffer.from('abcdefabcdefabcdefabcdef').toString('base64')}`

const start = async (options: object = {}, script: Step[] = [200]) => {
  const receiver = await startReceiver({ script })
  const channel = webhook.options.parse({ url: `${receiver.url}/hook`, ...options })
  const send = (fields = {}, context = {}) =>
    webhook.send(makeMessage(fields), channel, makeContext(context))
  const first = () => receiver.received[0] ?? expect.fail('nothing received')
  return { receiver, send, first }
}

describe('notifiers: webhook', () => {
  testHttpNotifier({
    notifier: webhook,
    options: (url) => ({
      url: `${url}/in/${CANARY}`,
      headers: { Authorization: `Bearer ${CANARY}` },
      signingSecrets: [SIGNING],
    }),
    secret: CANARY,
  })

  it('posts JSON in the format of Standard Webhooks', async () => {
    const { send, first } = await start()
    await send()
    expect(first()).toMatchObject({ method: 'POST', path: '/hook' })
    expect(first().headers['content-type']).toBe('application/json')
    expect(JSON.parse(first().body)).toMatchInlineSnapshot(`
      {
        "data": {
          "at": "2026-11-20T09:30:00.000Z",
          "body": "The agent wants to run the tests",
          "client": "claude",
          "event": "Notification",
          "host": "",
          "id": "01J9ZK3QHV",
          "kind": "permission",
          "project": "shop",
          "sessionId": "b7c1",
          "title": "Permission needed in shop",
          "urgency": "normal",
        },
        "timestamp": "2026-11-20T09:30:00.000Z",
        "type": "hookbell.permission",
      }
    `)
  })

  it('sends the same idempotency key for each attempt of an event', async () => {
    const { send, receiver } = await start({}, [500, 200])
    await failureOf(send({ id: 'event-1' }))
    await send({ id: 'event-1' }, { attempt: 2 })
    for (const { headers } of receiver.received) {
      expect(headers).toMatchObject({ 'webhook-id': 'event-1', 'idempotency-key': 'event-1' })
    }
  })

  it('signs requests so that the Standard Webhooks library accepts them', async () => {
    const { send, first } = await start({ signingSecrets: [SIGNING, OTHER_SIGNING] })
    await send({ body: 'é 😀 "quoted"' })
    const headers = first().headers as Record<string, string>
    for (const secret of [SIGNING, OTHER_SIGNING]) {
      expect(new Webhook(secret).verify(first().body, headers)).toMatchObject({
        type: 'hookbell.permission',
      })
    }
    expect(() => new Webhook(SIGNING).verify(`${first().body} `, headers)).toThrow('signature')
  })

  it('signs nothing without a secret', async () => {
    const { send, first } = await start()
    await send()
    expect(first().headers).not.toHaveProperty('webhook-signature')
  })

  it('sends the headers of the channel', async () => {
    const { send, first } = await start({
      headers: { 'X-Token': 'abc' },
      contentType: 'application/vnd.x+json',
    })
    await send()
    expect(first().headers).toMatchObject({
      'x-token': 'abc',
      'content-type': 'application/vnd.x+json',
      'user-agent': 'hookbell',
    })
  })

  it.each([
    { 'Webhook-Id': 'x' },
    { 'webhook-signature': 'x' },
    { 'Idempotency-Key': 'x' },
    { 'Content-Type': 'text/plain' },
    { Host: 'x' },
    { 'Content-Length': '1' },
    { 'Transfer-Encoding': 'chunked' },
    { 'a b': 'x' },
    { '': 'x' },
    { good: 'a\r\nEvil: b' },
    { good: 'é' },
  ])('rejects the headers %j', (headers) => {
    const url = 'https://example.com'
    expect(webhook.options.safeParse({ url, headers }).success).toBe(false)
  })

  it.each(['whsec_', 'whsec_c2hvcnQ=', 'whsk_0123456789abcdef0123456789abcdef', 'word'])(
    'rejects the signing secret %s',
    (secret) => {
      const options = { url: 'https://example.com', signingSecrets: [secret] }
      expect(webhook.options.safeParse(options).success).toBe(false)
    },
  )

  it.each(['ftp://example.com', 'https://user:pass@example.com', 'example.com', 'https://'])(
    'rejects the URL %s',
    (url) => {
      expect(webhook.options.safeParse({ url }).success).toBe(false)
    },
  )

  it.each([
    [201, 'created', 'created'],
    [202, '', '202 Accepted'],
    [204, '', '204 No Content'],
  ])('treats status %i as a success', async (status, body, answer) => {
    const { send } = await start({}, [{ status, body }])
    expect(await send()).toBe(answer)
  })

  it.each(['stall', 'cut', 'drip', 'endless'] as const)(
    'counts a message as delivered by the status alone, even if the body ends in the fault %s',
    async (fault) => {
      const server = await startFaultServer([{ fault, body: 'thank you' }])
      onTestFinished(() => server.close())
      const channel = webhook.options.parse({ url: server.url })
      await webhook.send(makeMessage(), channel, makeContext())
    },
  )

  it.each([301, 302, 307, 308])('treats the redirect %i as a failure', async (status) => {
    const { send } = await start({}, [{ status, headers: { location: 'https://example.com' } }])
    expect(await failureOf(send())).toMatchObject({ hint: expect.stringContaining('Redirects') })
  })

  it('gives up after status 410, with a hint to remove the channel', async () => {
    const { send } = await start({}, [410])
    expect(await failureOf(send())).toMatchObject({
      verdict: 'give-up',
      hint: expect.stringContaining('remove'),
    })
  })

  it('keeps its signature and the values of its headers out of errors', async () => {
    const repeat: Step = ({ headers }) => ({
      status: 400,
      body: `${headers['webhook-signature']} ${headers['x-key']} ${headers.authorization?.slice(7)}`,
    })
    const headers = { 'X-Key': 'keykeykey', Authorization: 'Bearer opaque.word' }
    const { send, first } = await start({ headers, signingSecrets: [SIGNING] }, [repeat])
    const text = allTextOf(await failureOf(send()))
    for (const secret of ['keykeykey', 'opaque.word', first().headers['webhook-signature']]) {
      expect(text).not.toContain(secret)
    }
  })

  describe('allowed addresses', () => {
    const sendTo = (url: string, fields = {}) =>
      webhook.send(makeMessage(), webhook.options.parse({ url, ...fields }), makeContext())

    it.each([
      'https://10.0.0.1',
      'https://192.168.1.10/x',
      'https://0xa000001/',
      'https://[fd12::1]',
      'https://[::ffff:10.0.0.1]',
    ])('exclude the private address %s by default', async (url) => {
      expect(await failureOf(sendTo(url))).toMatchObject({
        verdict: 'give-up',
        message: expect.stringContaining('private network'),
        hint: expect.stringContaining('allowPrivateNetwork'),
      })
    })

    it.each([
      'https://169.254.169.254/latest/meta-data',
      'https://2852039166/',
      'https://０xa9.254.169.254/',
      'https://169。254。169。254/',
      'https://[::ffff:a9fe:a9fe]',
      'https://[64:ff9b::a9fe:a9fe]',
      'https://[fe80::1]',
      'https://[fd00:ec2::254]',
      'https://100.100.100.200/',
      'https://0/',
      'https://255.255.255.255',
    ])('never include %s', async (url) => {
      const error = await failureOf(sendTo(url, { allowPrivateNetwork: true }))
      expect(error).toMatchObject({ verdict: 'give-up', hint: undefined })
      expect(error.message).toContain('an address that messages are not sent to')
    })

    it('exclude public addresses without encryption', async () => {
      const error = await failureOf(sendTo('http://1.1.1.1', { allowPrivateNetwork: true }))
      expect(error).toMatchObject({
        verdict: 'give-up',
        message: expect.stringContaining('not encrypted'),
      })
    })

    it.each(['127.0.0.1', 'localhost', '2130706433', '127.1'])(
      'include this machine when it is written as %s',
      async (name) => {
        const { url } = await startReceiver()
        expect(await sendTo(url.replace('127.0.0.1', name))).toBe('ok')
      },
    )
  })
})
