import { createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refusal, startSmtpServer } from '../../support/smtp.ts'
import { makeSend, type Setup, startChannel, withoutTls } from '../_email.ts'
import { allTextOf, failureOf } from '../_suite.ts'

const USER = 'canaryUser'
const PASSWORD = 'canary5ecret!pass'

describe('notifiers: email: responses of the mail server', () => {
  describe('a rejection by the server', () => {
    const at = (command: 'onMailFrom' | 'onRcptTo', status: number) => ({
      [command]: (_address: unknown, _session: unknown, callback: (error: Error) => void) =>
        callback(refusal(status, 'mailbox says no')),
    })

    it.each([
      ['onMailFrom', 451, 'retry'],
      ['onRcptTo', 450, 'retry'],
      ['onMailFrom', 550, 'give-up'],
      ['onRcptTo', 553, 'give-up'],
    ] as const)('in %s with status %i gives the verdict %s', async (command, status, verdict) => {
      const { send } = await startChannel({ server: at(command, status) })
      const error = await failureOf(send())
      expect(error.verdict).toBe(verdict)
      expect(error.message).toContain(`${status} `)
      expect(error.message).toContain('mailbox says no')
    })

    it.each([
      [452, 'retry'],
      [554, 'give-up'],
    ])('of the content with status %i gives the verdict %s', async (status, verdict) => {
      const { send } = await startChannel({
        server: {
          onData: (stream, _session, callback) => {
            stream.resume().on('end', () => callback(refusal(status, 'no room')))
          },
        },
      })
      expect(await failureOf(send())).toMatchObject({ verdict })
    })

    it('for the rest of the day is tried again in an hour', async () => {
      const { send } = await startChannel({
        server: {
          onRcptTo: (_address, _session, callback) =>
            callback(refusal(550, '5.4.5 Daily user sending limit exceeded')),
        },
      })
      expect(await failureOf(send())).toMatchObject({ verdict: 'retry', retryAfterMs: 3_600_000 })
    })

    describe('of one recipient', () => {
      const to = ['a@example.com', 'B@Example.com', 'c@example.com']
      /** @param refused by the first letter of a recipient */
      const refusing = (refused: Record<string, Error>): Setup => ({
        server: {
          onRcptTo: ({ address }, _session, callback) =>
            callback(refused[address.slice(0, 1).toLowerCase()] ?? null),
        },
        options: { to },
      })

      it('still delivers to the others', async () => {
        const { send, received } = await startChannel(refusing({ c: refusal(550, 'unknown') }))
        expect(await send()).toBe(
          '250 2.0.0 Ok: queued as 4F2A (refused: c@example.com: 550 unknown)',
        )
        expect(received[0]?.to).toEqual(['a@example.com', 'B@example.com'])
      })

      it('that is temporary makes the mail be sent again to those who lack it', async () => {
        const refused = { b: refusal(450, 'greylisted'), c: refusal(550, 'unknown') }
        const { send, received } = await startChannel(refusing(refused))
        const sent = await send()
        expect(sent).toEqual({
          answer:
            '250 2.0.0 Ok: queued as 4F2A (refused: B@example.com: 450 greylisted, c@example.com: 550 unknown)',
          remaining: ['B@Example.com', 'c@example.com'],
        })
        expect(received[0]?.to).toEqual(['a@example.com'])
      })

      it('is reported, but not as a failure, if the others have the mail already', async () => {
        const { send } = await startChannel(refusing({ b: refusal(450, 'greylisted') }))
        expect(await send({}, { remaining: ['B@Example.com'] })).toEqual({
          answer: 'The others have it (refused: B@example.com: 450 greylisted)',
          remaining: ['B@Example.com'],
        })
        const other = await startChannel(refusing({ b: refusal(550, 'unknown') }))
        expect(await other.send({}, { remaining: ['B@Example.com'] })).toBe(
          'The others have it (refused: B@example.com: 550 unknown)',
        )
      })
    })

    it('leads to a retry only for those who lack the mail, which names all recipients', async () => {
      const to = ['a@example.com', 'b@example.com']
      const { send, received } = await startChannel({ options: { to } })
      expect(await send({}, { remaining: ['b@example.com'] })).toBe('250 2.0.0 Ok: queued as 4F2A')
      expect(received[0]?.to).toEqual(['b@example.com'])
      expect(received[0]?.mail.to?.map(({ address }) => address)).toEqual(to)
    })

    it.each([
      ['ada@example.org', 'Ada@Example.org'],
      ['Ada Lovelace <ada@example.org>', 'ada@example.org'],
      ['ada@example.org', '"Lovelace, Ada" <ada@example.org>'],
      ['jörg@exämple.de', 'Jörg <JÖRG@xn--exmple-cua.de>'],
      ['a..b@example.org', 'A <a..b@example.org>'],
    ])('leads to a retry for %s, who is %s in the configuration by then', async (before, after) => {
      const { port, received } = await startSmtpServer({
        lenientAddressParsing: true,
        onRcptTo: ({ address }, _session, callback) =>
          callback(address === 'other@example.com' || isOver ? null : refusal(450, 'greylisted')),
      })
      let isOver = false
      const send = (person: string, context?: object) =>
        makeSend(`smtp://127.0.0.1:${port}`, { to: [person, 'other@example.com'] })({}, context)
      const first = await send(before)
      expect(first).toMatchObject({ remaining: [before] })
      isOver = true
      expect(await send(after, first as object)).toBe('250 2.0.0 Ok: queued as 4F2A')
      expect(received.map(({ to }) => to.length)).toEqual([1, 1])
      expect(received[0]?.to).toEqual(['other@example.com'])
      expect(received[1]?.to).not.toEqual(['other@example.com'])
    })

    it('leads to no retry when those who lack the mail were removed from the channel', async () => {
      const { send, received } = await startChannel()
      expect(await send({}, { remaining: ['b@example.com'] })).toBe(
        'Not sent again: the recipients without it were removed from the channel',
      )
      expect(received).toEqual([])
    })
  })

  it.each([
    ['smtps://127.0.0.1', withoutTls, 'it answers without encryption', 'smtp://'],
    ['smtp://127.0.0.1', { secure: true }, 'Greeting never received', 'smtps://'],
  ])('an error says what to use instead of %s', async (url, server, message, hint) => {
    const { send } = await startChannel({ url, server })
    expect(await failureOf(send())).toMatchObject({
      verdict: 'retry',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    })
  })

  it.each([
    ['+OK POP3 server ready', 'No mail is sent by this port'],
    ['* OK IMAP4rev1 ready', 'No mail is sent by this port'],
  ])('an error says that a port is wrong if it greets with %s', async (greeting, hint) => {
    const port = await startGreeter(greeting)
    expect(await failureOf(makeSend(`smtp://127.0.0.1:${port}`)())).toMatchObject({
      ...{ verdict: 'retry', hint: expect.stringContaining(hint) },
    })
  })

  it.each([
    ['onMailFrom', 553, '5.7.1 Sender address rejected: not owned by user me', '"from"'],
    ['onData', 554, '5.2.252 SendAsDenied; me@x.test not allowed to send as', '"from"'],
    ['onData', 551, '5.7.1 Not authorised to send from this header address', '"from"'],
    ['onRcptTo', 550, '5.1.1 no such user', undefined],
  ])('an error has a suitable hint if %s answers %i %s', async (command, status, text, hint) => {
    const refuse = (data: unknown, _session: unknown, callback: (error: Error) => void) => {
      if (data instanceof Readable) data.resume()
      callback(refusal(status, text))
    }
    const url = `smtp://${USER}:secret@127.0.0.1`
    const { send } = await startChannel({ url, server: { [command]: refuse } })
    expect((await failureOf(send())).hint).toEqual(hint && expect.stringContaining(hint))
  })

  it('an error says that an address may need SMTPUTF8', async () => {
    const { send } = await startChannel({
      server: {
        hideSMTPUTF8: true,
        onRcptTo: (_address, _session, callback) => callback(refusal(501, 'bad address')),
      },
      options: { to: ['jörg@example.com'] },
    })
    const hint = expect.stringContaining('SMTPUTF8')
    expect(await failureOf(send())).toMatchObject({ verdict: 'give-up', hint })
  })

  it.each(['smtp://127.0.0.1:1', 'smtps://mail.nowhere.invalid'])(
    'an error says what to check if there is no server: %s',
    async (smtp) => {
      const hint = expect.stringContaining('host and port')
      expect(await failureOf(makeSend(smtp)())).toMatchObject({ verdict: 'retry', hint })
    },
  )

  describe('a channel without user and password', () => {
    const hint = expect.stringContaining('no user and password')

    it('is dead at a server that requires a login', async () => {
      const { send } = await startChannel({ server: { authOptional: false } })
      const error = await failureOf(send())
      expect(error).toMatchObject({ verdict: 'give-up', isChannelDead: true, hint })
      expect(error.message).toContain('530 ')
    })

    it('gets a hint at the reason when the server does not relay mails', async () => {
      const { send } = await startChannel({
        server: {
          onRcptTo: (_address, _session, callback) =>
            callback(refusal(554, '5.7.1 Relay access denied')),
        },
      })
      expect(await failureOf(send())).toMatchObject({ isChannelDead: false, hint })
    })
  })

  describe('a channel with user and password', () => {
    const credentials = `${USER}:${encodeURIComponent(PASSWORD)}`
    const url = `smtp://${credentials}@127.0.0.1`

    it('logs in', async () => {
      const { send, received } = await startChannel({
        server: {
          onAuth: ({ username, password }, _session, callback) =>
            callback(null, { user: `${username}/${password}` }),
        },
        url,
      })
      expect(await send()).toBe('250 2.0.0 Ok: queued as 4F2A')
      expect(received[0]?.user).toBe(`${USER}/${PASSWORD}`)
    })

    it.each([
      [535, 'give-up', true],
      [454, 'retry', false],
    ])('whose login fails with %i gives the verdict %s', async (status, verdict, isChannelDead) => {
      const { send } = await startChannel({
        server: { onAuth: (_auth, _session, callback) => callback(refusal(status, 'not now')) },
        url,
      })
      expect(await failureOf(send())).toMatchObject({
        verdict,
        isChannelDead,
        hint: expect.stringContaining('password'),
      })
    })

    it('gets a hint when the provider accepts no passwords', async () => {
      const answer = '5.7.139 Authentication unsuccessful, basic authentication is disabled.'
      const { send } = await startChannel({
        server: { onAuth: (_auth, _session, callback) => callback(refusal(535, answer)) },
        url,
      })
      const hint = expect.stringContaining('takes no password from programs')
      expect(await failureOf(send())).toMatchObject({ isChannelDead: true, hint })
    })

    it.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])(
      'keeps both out of errors when the server repeats its %s login',
      async (method) => {
        const base64 = (text: string) => Buffer.from(text).toString('base64')
        const echo = [
          `AUTH PLAIN ${base64(`\0${USER}\0${PASSWORD}`)}`,
          `AUTH LOGIN ${base64(USER)} ${base64(PASSWORD)}`,
          `cram ${base64(`${USER} 0123456789abcdef`)}`,
          `${USER}:${PASSWORD}`,
          credentials,
        ].join(' | ')
        const { send } = await startChannel({
          server: {
            authMethods: [method],
            onAuth: (_auth, _session, callback) => callback(refusal(535, `you said ${echo}`)),
          },
          url,
        })
        const text = allTextOf(await failureOf(send()))
        expect(text).toContain('535 you said AUTH PLAIN [redacted]')
        const forms = [PASSWORD, USER, encodeURIComponent(PASSWORD)]
        for (const secret of [...forms, ...forms.map(base64), base64(`\0${USER}\0${PASSWORD}`)]) {
          expect(text).not.toContain(secret)
        }
      },
    )

    it('keeps both out of errors when nothing listens on the port', async () => {
      const error = await failureOf(makeSend(`${url}:1`)())
      expect(error.verdict).toBe('retry')
      expect(error.message).toContain('ECONNREFUSED')
      expect(allTextOf(error)).not.toMatch(/canary/)
    })
  })

  it.each(['greeting', 'answer'])(
    'a send stops at its abort signal when the server sends no %s',
    async (missing) => {
      const sockets: Socket[] = []
      const server = createServer((socket) => {
        sockets.push(socket.on('error', () => {}))
        if (missing === 'answer') socket.write('220 slow.test ESMTP\r\n')
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const { port } = server.address() as { port: number }
      const controller = new AbortController()
      const sending = failureOf(
        makeSend(`smtp://127.0.0.1:${port}`)({}, { signal: controller.signal }),
      )
      await expect.poll(() => sockets).toHaveLength(1)
      const closed = new Promise((resolve) => sockets[0]?.on('close', resolve).resume())
      controller.abort()
      expect(await sending).toMatchObject({ verdict: 'retry', message: 'email: no answer in time' })
      await closed
    },
  )

  it.each(['421 4.3.2 shutting down', '554 5.7.1 no mail from this network'])(
    'a send is retried when the server closes the connection with %s',
    async (greeting) => {
      const port = await startGreeter(greeting)
      const message = `email: Invalid greeting: ${greeting}`
      expect(await failureOf(makeSend(`smtp://127.0.0.1:${port}`)())).toMatchObject({
        ...{ verdict: 'retry', message, isChannelDead: false, hint: undefined },
      })
    },
  )
})

/** Starts a server that says one line and closes the connection. @returns its port */
async function startGreeter(greeting: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).end(`${greeting}\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}
