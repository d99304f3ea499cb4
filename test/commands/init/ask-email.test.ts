import { describe, expect, it } from 'vitest'
import { askEmail, readServer } from '../../../src/commands/init/ask-email.ts'
import { email } from '../../../src/notifiers/email.ts'
import { smtpCredentials } from '../../../src/text/smtp-url.ts'
import { FITS, scripted } from './_scripted.ts'

/** The channel as it is in force, with the secret filled in. */
async function channelOf(...answers: (string | string[])[]) {
  const { dialog, secrets, ...rest } = scripted('Mail', ...answers)
  const { smtp, ...options } = await askEmail(dialog)
  const filled = String(smtp).replace('${SMTP_PASSWORD}', secrets.get('SMTP_PASSWORD') ?? '?')
  return { channel: email.options.parse({ smtp: filled, ...options }), smtp: String(smtp), ...rest }
}

describe('commands: init: ask email', () => {
  it.each([
    ['gmail', 'smtps:', 'smtp.gmail.com'],
    ['microsoft', 'smtp:', 'smtp.office365.com'],
    ['icloud', 'smtp:', 'smtp.mail.me.com'],
    ['fastmail', 'smtps:', 'smtp.fastmail.com'],
  ])('knows the server of %s', async (preset, protocol, hostname) => {
    const { channel, smtp, asked } = await channelOf(
      preset,
      'me@x.org',
      'p/a ss%#?',
      'me@x.org',
      'me@x.org',
    )
    const url = new URL(channel.smtp)
    expect(url).toMatchObject({ protocol, hostname })
    expect(smtpCredentials(url)).toEqual({ user: 'me@x.org', password: 'p/a ss%#?' })
    expect(smtp).toContain(':${SMTP_PASSWORD}@')
    for (const line of asked) expect(line.length, line).toBeLessThanOrEqual(FITS)
  })

  it('takes a server without a login, and addresses as people write them', async () => {
    const { channel } = await channelOf(
      'other',
      'localhost:25',
      '',
      'Agents <bell@x.org>',
      'a@x.org; Lovelace, Ada <ada@y.org>',
    )
    expect(channel).toMatchObject({
      smtp: 'smtp://localhost:25',
      from: 'Agents <bell@x.org>',
      to: ['a@x.org', '"Lovelace, Ada" <ada@y.org>'],
    })
  })

  it('says what is wrong with an answer', async () => {
    const { faults } = await channelOf(
      'other',
      ['smtps://me:x@host', 'host'],
      'me',
      ['', 'x'],
      ['a@x.org, b@x.org', 'a@x.org'],
      ['b', 'b@x.org'],
    )
    expect(faults).toEqual([
      'Such as mail.example.com or mail.example.com:465',
      'Type or paste it',
      'One address',
      'b is no address, such as me@example.com',
    ])
  })

  it.each([
    ['mail.example.com', 'smtp://mail.example.com'],
    ['mail.example.com:465', 'smtps://mail.example.com:465'],
    ['mail.example.com:2525', 'smtp://mail.example.com:2525'],
    ['SMTPS://mail.example.com/', 'smtps://mail.example.com'],
    ['[::1]:25', 'smtp://[::1]:25'],
    ['', undefined],
    ['mail example', undefined],
    ['me:x@mail.example.com', undefined],
    ['https://mail.example.com', undefined],
    ['mail.example.com:99999', undefined],
    ['mail.example.com/x', undefined],
  ])('reads the server %j', (text, url) => expect(readServer(text)).toBe(url))
})
