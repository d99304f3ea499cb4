import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { email } from '../../src/notifiers/email.ts'
import { runs } from '../support/runs.ts'
import { startSmtpServer } from '../support/smtp.ts'
import { startChannel, withoutTls } from './_email.ts'
import { testNotifier } from './_suite.ts'

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

  it('sends text and HTML that say the same', async () => {
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
      shop · claude · 2026-11-20 09:30
      Session b7c1
      "
    `)
    expect(mail.html).toMatchInlineSnapshot(`
      "<!doctype html>
      <html>
      <head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Build &lt;failed&gt; &amp; stopped</title></head>
      <body style="font: 15px/1.5 system-ui, sans-serif; max-width: 42em; margin: 1em auto; padding: 0 1em">
      <h1 style="font-size: 1.2em">Build &lt;failed&gt; &amp; stopped</h1>
      <p>Line 1<br>Line 2</p>
      <p style="color: #777; font-size: 0.85em; border-top: 1px solid #8884; padding-top: 0.6em; margin-top: 1.6em">shop · claude · 2026-11-20 09:30<br>
      Session b7c1</p>
      </body>
      </html>

      "
    `)
  })

  it('makes HTML of plain text where there is no markup', async () => {
    const { send, received } = await startChannel()
    await send({ body: 'a <b>\nc & d' })
    expect(received[0]?.mail.html).toContain('<p>a &lt;b&gt;<br>\nc &amp; d</p>')
  })

  it('sends to each recipient in one mail', async () => {
    const to = ['a@example.com', 'b@example.com']
    const { send, received } = await startChannel({ options: { to, subjectPrefix: '[agents]' } })
    await send({ title: 'Done' })
    expect(received).toHaveLength(1)
    expect(received[0]?.to).toEqual(to)
    expect(received[0]?.mail.subject).toBe('[agents] Done')
  })

  it('carries the same id, date and thread each time', async () => {
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

  it('says that a program sent it', async () => {
    const { send, received } = await startChannel()
    await send()
    expect(received[0]?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  })

  it('keeps headers and recipients as they are, whatever the event says', async () => {
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
      .array(fc.oneof(header, list, fc.string({ unit: 'binary' })), { maxLength: 12 })
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

  it.each([
    'a@x.test,b@x.test',
    'a@x.test\r\nBcc: b@x.test',
    'Me <a@x.test>',
    'group:a@x.test;',
    'a@x.test b@x.test',
    '"a,b"@x.test',
    '',
  ])('refuses %j as an address', (address) => {
    const options = { smtp: 'smtp://localhost', from: 'bell@example.com', to: ['me@example.com'] }
    expect(email.options.safeParse(options).success).toBe(true)
    expect(email.options.safeParse({ ...options, to: [address] }).success).toBe(false)
    expect(email.options.safeParse({ ...options, from: address }).success).toBe(false)
  })

  it.each([
    'http://x.test',
    'smtp://x.test/path',
    'smtp://x.test?tls.rejectUnauthorized=false',
    'smtp://x.test#a',
    'smtp://%zz@x.test',
    'smtp://',
  ])('refuses the server %s', (smtp) => {
    const options = { smtp, from: 'bell@example.com', to: ['me@example.com'] }
    expect(email.options.safeParse(options).success).toBe(false)
  })
})
