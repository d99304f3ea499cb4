import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { email } from '../../src/notifiers/email.ts'
import { mailboxFault, mailboxKey } from '../../src/text/mailbox.ts'
import { anyCharacter } from '../support/any-character.ts'
import { makeDelivery } from '../support/delivery.ts'
import { runs } from '../support/runs.ts'
import { startSmtpServer } from '../support/smtp.ts'
import { makeSend, startChannel, withoutTls } from './_email.ts'
import { testNotifier } from './_suite.ts'

const lowerCased = ({ local, domain }: { local: string; domain: string }) =>
  mailboxKey(`${local}@${domain}`)

describe('notifiers: email', () => {
  testNotifier({
    notifier: email,
    accept: async () => {
      const { port, received } = await startSmtpServer()
      return {
        options: {
          smtp: `smtp://127.0.0.1:${port}`,
          from: 'bell@example.com',
          to: ['me@example.com'],
        },
        arrived: async () => `${received[0]?.mail.subject}\n${received[0]?.mail.text}`,
      }
    },
  })

  it('sends the same content as text and as HTML', async () => {
    const { send, received } = await startChannel()
    const title = 'Build <failed> & stopped'
    const answer = await send({ title, body: 'Line 1\nLine 2', markup: '<p>Line 1<br>Line 2</p>' })
    expect(answer).toBe('250 2.0.0 Ok: queued as 4F2A')
    const { mail, from, to } = received[0] ?? expect.fail('no mail')
    expect({ from, to }).toEqual({ from: 'bell@example.com', to: ['me@example.com'] })
    expect(mail.subject).toBe(title)
    expect(mail.text).toMatchInlineSnapshot(`
      "Build <failed> & stopped

      Line 1
      Line 2

      -- 
      shop · claude · b7c1 · 2026-11-20 09:30
      "
    `)
    expect(mail.html).toMatchInlineSnapshot(`
      "<!doctype html>
      <html>
      <head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Build &lt;failed&gt; &amp; stopped</title></head>
      <body style="font: 15px/1.5 system-ui, sans-serif; max-width: 42em; margin: 1em auto; padding: 0 1em; overflow-wrap: break-word">
      <h1 style="font-size: 1.2em">Build &lt;failed&gt; &amp; stopped</h1>
      <p>Line 1<br>Line 2</p>
      <p style="color: #777; font-size: 0.85em; border-top: 1px solid #8884; padding-top: 0.6em; margin-top: 1.6em">shop · claude · b7c1 · 2026-11-20 09:30</p>
      </body>
      </html>

      "
    `)
  })

  it('converts plain text to HTML if there is no markup', async () => {
    const { send, received } = await startChannel()
    await send({ body: 'a <b>\nc & d' })
    expect(received[0]?.mail.html).toContain('<p>a &lt;b&gt;<br>\nc &amp; d</p>')
  })

  it('sends one mail to all recipients, with the subject prefix', async () => {
    const to = ['a@example.com', 'b@example.com']
    const { send, received } = await startChannel({ options: { to, subjectPrefix: '[agents]' } })
    await send({ title: 'Done' })
    expect(received).toHaveLength(1)
    expect(received[0]?.to).toEqual(to)
    expect(received[0]?.mail.subject).toBe('[agents] Done')
  })

  it('sends to people with their names, in the name of the sender', async () => {
    const { send, received } = await startChannel({
      options: {
        from: '"Agents, all of them" <bell@example.com>',
        to: ['Ada Lovelace <ada@example.org>', '"Müller, Jörg" <jm@exämple.de>', 'me@example.com'],
      },
    })
    await send()
    const { mail, from, to } = received[0] ?? expect.fail('no mail')
    // The server of the tests decodes domains.
    expect(to).toEqual(['ada@example.org', 'jm@exämple.de', 'me@example.com'])
    expect(from).toBe('bell@example.com')
    expect(mail.from).toEqual({ name: 'Agents, all of them', address: 'bell@example.com' })
    expect(mail.to).toEqual([
      { name: 'Ada Lovelace', address: 'ada@example.org' },
      { name: 'Müller, Jörg', address: 'jm@xn--exmple-cua.de' },
      { name: '', address: 'me@example.com' },
    ])
  })

  it('sends to an address with letters that need SMTPUTF8', async () => {
    const from = 'glöckchen@exämple.de'
    const { send, received } = await startChannel({ options: { from, to: ['jörg@exämple.de'] } })
    await send()
    expect(received).toMatchObject([{ from, to: ['jörg@exämple.de'], isUtf8: true }])
    expect(received[0]?.raw).toMatch(/^From: hookbell <glöckchen@exämple.de>\r$/m)
    expect(received[0]?.mail.messageId).toMatch(/@hookbell\.xn--exmple-cua\.de>$/)
  })

  it('sends once to a person who is named twice', async () => {
    const to = ['Ada <ada@example.org>', 'ada@EXAMPLE.org', 'ADA@example.org']
    const { send, received } = await startChannel({ options: { to } })
    await send()
    expect(received[0]?.to).toEqual(['ada@example.org'])
  })

  it('sends to exactly the people whose addresses it accepts, and says so in the mail', async () => {
    const { port, received } = await startSmtpServer(withoutTls)
    const letters = [..."!#$%&'*+-/=?^_`{|}~.azAZ09äÖßñжλ中अ"]
    const local = fc
      .string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 12 })
      // The test server rejects an address that has a dot at the start or end, or two in a row.
      .filter((one) => !/^\.|\.\.|\.$/.test(one))
    const domain = fc.constantFrom('x.test', 'x-y.test', 'exämple.de', 'пример.рф', '例子.广告')
    const special = fc.constantFrom(...',;:<>@"\\()[]=?. ä', 'e@x.test', '=?utf-8?q?=0d=0aBcc:_e?=')
    const name = fc
      .array(fc.oneof(special, anyCharacter), { maxLength: 8 })
      .map((parts) => parts.join('').replace(/["\\]/g, '\\$&'))
    const person = fc.record({ local, domain, name })
    const people = fc.uniqueArray(person, { minLength: 1, maxLength: 5, selector: lowerCased })
    await fc.assert(
      fc.asyncProperty(people, async (all) => {
        const addresses = all.map((one) => `${one.local}@${one.domain}`.normalize('NFC'))
        const to = all.map((one, index) => `"${one.name}" <${addresses[index]}>`)
        fc.pre(to.every((one) => mailboxFault(one) === undefined))
        received.length = 0
        await makeSend(`smtp://127.0.0.1:${port}`, { to })()
        expect(received.map((one) => one.to)).toEqual([addresses])
        const { mail } = received[0] ?? expect.fail('no mail')
        expect(mail.to?.map(({ address = '' }) => mailboxKey(address))).toEqual(
          addresses.map(mailboxKey),
        )
        expect([mail.cc, mail.bcc]).toEqual([undefined, undefined])
      }),
      { numRuns: runs(50) },
    )
  })

  it('uses a stable message id and date for an event, and one thread per session', async () => {
    const { send, received } = await startChannel({ server: withoutTls })
    await send({ id: 'A1' })
    await send({ id: 'A1' })
    await send({ id: 'A2' })
    await send({ id: 'A3', client: 'droid' })
    await send({ id: 'A4', sessionId: '' })
    const mails = received.map(({ mail }) => mail)
    expect(mails.map(({ messageId }) => messageId)).toEqual(
      ['A1', 'A1', 'A2', 'A3', 'A4'].map((id) => `<${id}@hookbell.example.com>`),
    )
    expect(mails[0]?.date).toBe('2026-11-20T09:30:00.000Z')
    const [thread, , second, other, none] = mails.map(({ inReplyTo }) => inReplyTo)
    expect(thread).toMatch(/^<session-[0-9a-f]{24}@hookbell\.example\.com>$/)
    expect(mails[0]?.references).toBe(thread)
    expect(second).toBe(thread)
    expect(other).not.toBe(thread)
    expect(none).toBeUndefined()
  })

  it('gives a summary an id of its own: its first event may have been mailed before', async () => {
    const { send, received } = await startChannel({ server: withoutTls })
    for (const events of [['A1'], ['A1', 'A2'], ['A1', 'A2'], ['A1', 'A3']])
      await send({ id: 'A1' }, { delivery: makeDelivery('A1', { events }) })
    const [single, summary, again, other] = received.map(({ mail }) => mail.messageId)
    expect(single).toBe('<A1@hookbell.example.com>')
    expect(summary).toMatch(/^<A1-[0-9a-f]{24}@hookbell\.example\.com>$/)
    expect(again).toBe(summary)
    expect(other).not.toBe(summary)
  })

  it('marks the mail as generated by a program', async () => {
    const { send, received } = await startChannel()
    await send()
    expect(received[0]?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(received[0]?.raw).toMatch(/^X-Auto-Response-Suppress: All\r$/m)
  })

  it('has the same headers and recipients for any text of an event', async () => {
    const { send, received } = await startChannel({ server: withoutTls })
    await send()
    const expected = received[0]?.mail.headers.map(({ key }) => key)
    const header = fc.constantFrom(
      '\r\n',
      '\n',
      '\r',
      '\r\n\r\n',
      'Bcc: e@x.test',
      'To: <e@x.test>',
    )
    const list = fc.constantFrom(
      ',',
      ';',
      ':',
      '<',
      '>',
      '"',
      '\\',
      '=?utf-8?q?=0d=0aBcc:_e?=',
      '\r\n.\r\n',
    )
    const text = fc
      .array(fc.oneof(header, list, fc.string({ unit: anyCharacter })), { maxLength: 12 })
      .map((parts) => parts.join(''))
    const event = fc.record({
      title: text,
      body: text,
      cwd: text,
      client: text,
      event: text,
      at: text,
      // Without a session there is no thread.
      sessionId: text.map((id) => `s${id}`),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 10 }), async (events) => {
        received.length = 0
        await Promise.all(events.map((fields) => send(fields)))
        expect(received).toHaveLength(events.length)
        for (const { from, to, mail } of received) {
          expect({ from, to }).toEqual({ from: 'bell@example.com', to: ['me@example.com'] })
          expect(mail.to).toEqual([{ name: '', address: 'me@example.com' }])
          expect(mail.cc).toBeUndefined()
          expect(mail.bcc).toBeUndefined()
          expect(mail.headers.map(({ key }) => key)).toEqual(expected)
        }
      }),
      { numRuns: runs(15) },
    )
  })

  it('waits 12 s for the greeting of a server, which may look up the client first', async () => {
    let greet: (() => void) | undefined
    const onConnect = (_: unknown, callback: () => void) => {
      greet = callback
    }
    const { send, received } = await startChannel({ server: { onConnect } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sending = send()
    await expect.poll(() => greet).toBeDefined()
    vi.advanceTimersByTime(12_000)
    greet?.()
    await sending
    expect(received).toHaveLength(1)
  })

  it('does not look up a name below localhost', async () => {
    const { send, received } = await startChannel({ url: 'smtp://bell.localhost' })
    await send()
    expect(received).toHaveLength(1)
  })

  it.each([
    'a@x.test,b@x.test',
    'a@x.test\r\nBcc: b@x.test',
    'Lovelace, Ada <a@x.test>',
    'group:a@x.test;',
    'a@x.test b@x.test',
    '"a,b"@x.test',
    '',
  ])('rejects %j as an address', (address) => {
    const options = { smtp: 'smtp://localhost', from: 'bell@example.com', to: ['me@example.com'] }
    expect(email.options.safeParse(options).success).toBe(true)
    expect(email.options.safeParse({ ...options, to: [address] }).success).toBe(false)
    expect(email.options.safeParse({ ...options, from: address }).success).toBe(false)
  })

  it.each(['pa/ss', '12/34', 'pa#ss', 'pa?ss', '50%'])(
    'says how to write the password %s in the URL of the server',
    (password) => {
      const smtp = (text: string) => `smtp://me:${text}@x.test`
      const options = { from: 'bell@example.com', to: ['me@example.com'] }
      const { error } = email.options.safeParse({ ...options, smtp: smtp(password) })
      expect(error?.issues.map(({ message }) => message)).toEqual([
        expect.stringContaining('% as %25, / as %2F, ? as %3F and # as %23'),
      ])
      const encoded = smtp(encodeURIComponent(password))
      expect(email.options.safeParse({ ...options, smtp: encoded }).success).toBe(true)
    },
  )

  it('accepts the URL of a server with the invisible characters of a copy from a web page', () => {
    const options = { from: 'bell@example.com', to: ['me@example.com'] }
    const smtp = '\ufeffsmtps://me:secret@mail.example.com\u00a0\n'
    expect(email.options.safeParse({ ...options, smtp }).data).toMatchObject({ smtp: smtp.trim() })
  })

  it.each([
    'http://x.test',
    'smtp://x.test/path',
    'smtp://x.test?tls.rejectUnauthorized=false',
    'smtp://x.test#a',
    'smtp://%zz@x.test',
    'smtp://',
  ])('rejects the server %s', (smtp) => {
    const options = { smtp, from: 'bell@example.com', to: ['me@example.com'] }
    expect(email.options.safeParse(options).success).toBe(false)
  })
})
