import { describe, expect, it } from 'vitest'
import { channelOffers } from '../../../src/commands/init/channel-offers.ts'
import { belowFrame } from '../../../src/commands/init/dialog.ts'
import { email } from '../../../src/notifiers/email.ts'
import { BOX, FITS } from './_scripted.ts'

describe('commands: init: channel offers', () => {
  const [server, from, to] = channelOffers.email?.questions ?? []

  it.each([
    ['smtps://me:secret@mail.example.com', 'me@example.com'],
    ['smtp://localhost', 'Ada Lovelace <ada@exämple.de>'],
    ['smtps://me:12/34@mail.example.com', 'Lovelace, Ada <ada@example.com>'],
    ['smtps://me:50%@mail.example.com', 'ada@example.com, bob@example.com'],
    ['smtps://me:a#b@mail.example.com', 'ada@example.com>'],
    ['smtps://me:a?b@mail.example.com', 'ada'],
    ['smtp.example.com:587', ''],
  ])('accepts the answers %s and %s only if the email channel does', (smtp, address) => {
    const known = { smtp: 'smtp://localhost', from: 'me@example.com', to: ['me@example.com'] }
    const takes = (options: object) => email.options.safeParse({ ...known, ...options }).success
    expect(server?.fault(smtp) === undefined).toBe(takes({ smtp }))
    expect(from?.fault(address) === undefined).toBe(takes({ from: address }))
    expect(to?.fault(address) === undefined).toBe(takes({ to: [address] }))
  })

  it('asks in lines that fit into 60 columns', () => {
    const lines = Object.values(channelOffers).flatMap(({ title, questions, where = '', ask }) => [
      `${BOX}${title}`,
      ...where.split('\n'),
      ...(ask
        ? []
        : questions.map(({ text, isSecret }) => `${title}: ${text}${isSecret ? ' (hidden)' : ''}`)),
    ])
    expect(lines.filter(({ length }) => length > FITS)).toEqual([])
  })

  it('says what is wrong in lines that begin below each other, in 60 columns', () => {
    const faults = Object.values(channelOffers).flatMap(({ questions }) =>
      questions.map(({ fault }) => belowFrame(fault, 60)('?') ?? ''),
    )
    expect(faults.some((text) => text.includes('\n'))).toBe(true)
    for (const [first = '', ...more] of faults.map((text) => text.split('\n'))) {
      expect(first.length, first).toBeLessThanOrEqual(FITS)
      for (const line of more) expect(line).toMatch(/^ {3}\S.{0,53}$/)
    }
  })
})
