import { describe, expect, it } from 'vitest'
import { channelOffers } from '../../../src/commands/init/channel-offers.ts'
import { email } from '../../../src/notifiers/email.ts'
import { FITS } from './_scripted.ts'

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
    const lines = Object.values(channelOffers).flatMap(({ title, questions, ask }) => [
      `x ${title}`,
      ...(ask
        ? []
        : questions.map(({ text, isSecret }) => `${title}: ${text}${isSecret ? ' (hidden)' : ''}`)),
    ])
    expect(lines.filter(({ length }) => length > FITS)).toEqual([])
  })
})
