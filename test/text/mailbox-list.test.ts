import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMailbox } from '../../src/text/mailbox.ts'
import { readMailboxes } from '../../src/text/mailbox-list.ts'

describe('text: mailbox list', () => {
  it.each<[string, readonly string[]]>([
    ['me@example.com', ['me@example.com']],
    [' a@x.org, b@y.org ', ['a@x.org', 'b@y.org']],
    ['a@x.org;b@y.org;', ['a@x.org', 'b@y.org']],
    ['Ada Lovelace <ada@example.org>', ['Ada Lovelace <ada@example.org>']],
    ['<ada@example.org>', ['<ada@example.org>']],
    ['Lovelace, Ada <ada@example.org>', ['"Lovelace, Ada" <ada@example.org>']],
    ['"King, Noël" <n@x.org>, a@x.org', ['"King, Noël" <n@x.org>', 'a@x.org']],
    [
      'Lovelace, Ada <ada@x.org>; King (home) <k@x.org>',
      ['"Lovelace, Ada" <ada@x.org>', '"King (home)" <k@x.org>'],
    ],
  ])('reads %s', (text, expected) => expect(readMailboxes(text)).toEqual(expected))

  it.each([
    ['', 'Write an address'],
    ['ada', 'ada is no address'],
    ['a@x.org, ada', 'ada is no address'],
    ['a@x.org b@y.org', 'a@x.org b@y.org: must be'],
    ['a@', 'a@: must be'],
    ['a@x.org\nBcc: b@y.org', 'must be'],
  ])('says what is wrong with %s', (text, fault) =>
    expect(readMailboxes(text)).toMatchObject({ fault: expect.stringContaining(fault) }),
  )

  it('gives only addresses that a channel takes, whatever the text', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab@.,; "<>\\()é') }), (text) => {
        const found = readMailboxes(text)
        if ('fault' in found) return
        expect(found.every((one) => parseMailbox(one) !== undefined)).toBe(true)
      }),
    ))
})
