import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mailboxFault, mailboxKey, parseMailbox, readMailboxes } from '../../src/text/mailbox.ts'
import { anyCharacter } from '../support/any-character.ts'
import { runs } from '../support/runs.ts'

describe('text/mailbox', () => {
  it.each([
    ['me@example.com', '', 'me@example.com'],
    ['<me@example.com>', '', 'me@example.com'],
    ['Ada Lovelace <ada@example.org>', 'Ada Lovelace', 'ada@example.org'],
    ['Ada<ada@example.org>', 'Ada', 'ada@example.org'],
    ['Dr. A. King-Noël <ada@example.org>', 'Dr. A. King-Noël', 'ada@example.org'],
    ['"Lovelace, Ada" <ada@example.org>', 'Lovelace, Ada', 'ada@example.org'],
    ['"ada@work" <ada@example.org>', 'ada@work', 'ada@example.org'],
    ['"Ada \\"Byte\\" King" <ada@example.org>', 'Ada "Byte" King', 'ada@example.org'],
    ['me@EXAMPLE.com', '', 'me@example.com'],
    ['Me.Too+tag@example.com', '', 'Me.Too+tag@example.com'],
    ['root@localhost', '', 'root@localhost'],
    ['jörg@exämple.de', '', 'jörg@xn--exmple-cua.de'],
    ['jo\u0308rg@exa\u0308mple.de', '', 'jörg@xn--exmple-cua.de'],
    ['me@xn--exmple-cua.de', '', 'me@xn--exmple-cua.de'],
    ['用户@例子.广告', '', '用户@xn--fsqu00a.xn--4rr70v'],
  ])('parses %s', (text, name, address) => {
    expect(parseMailbox(text)).toEqual({ name, address })
    expect(mailboxFault(text)).toBeUndefined()
  })

  it.each([
    ['a list', 'a@x.test,b@x.test', 'one by one'],
    ['a list with names', 'Ada <a@x.test>; Bob <b@x.test>', 'one by one'],
    ['a group', 'team:a@x.test,b@x.test;', 'one by one'],
    ['a group of one', 'team:a@x.test;', 'such as me@example.com'],
    ['two addresses', 'a@x.test b@x.test', 'such as me@example.com'],
    ['two addresses in brackets', '<a@x.test> <b@x.test>', 'quotes around'],
    ['a comment', 'a@x.test (Ada)', 'such as me@example.com'],
    ['a comment in the domain', 'a@x.test(b@y.test)', 'such as me@example.com'],
    ['a quoted local part', '"a@x.test b"@y.test', 'such as me@example.com'],
    ['a quoted local part with a list', '"a,b"@x.test', 'such as me@example.com'],
    ['a quoted local part in brackets', 'Ada <"a@x.test b"@y.test>', 'such as me@example.com'],
    ['two @ signs', 'a@x.test@y.test', 'such as me@example.com'],
    ['a route', '<@x.test:a@y.test>', 'such as me@example.com'],
    ['a name with a comma', 'Lovelace, Ada <ada@x.test>', 'quotes around a name'],
    ['a name that is an address', 'a@x.test <b@x.test>', 'quotes around a name'],
    ['a name with a comment', 'Ada (work) <ada@x.test>', 'quotes around a name'],
    ['text behind the address', 'Ada <ada@x.test> x', 'such as me@example.com'],
    ['an address without a domain', 'ada', 'such as me@example.com'],
    ['an address in numbers', 'ada@[127.0.0.1]', 'such as me@example.com'],
    ['an IP address in another notation', 'ada@0x7f.1', 'such as me@example.com'],
    ['a full-width letter', 'ada@ｅxample.com', 'such as me@example.com'],
    ['an ideographic full stop', 'ada@exämple。de', 'such as me@example.com'],
    ['an encoded domain that is not one', 'ada@xn--zzzz.com', 'such as me@example.com'],
    ['a hidden character', 'a\u200bda@x.test', 'such as me@example.com'],
    ['text that runs backwards', 'Ada\u202e <ada@x.test>', 'such as me@example.com'],
    ['half a character', 'Ada \ud83d <ada@x.test>', 'such as me@example.com'],
    ['a header', 'Ada\r\nBcc: b <a@x.test>', 'such as me@example.com'],
    ['a header in a quoted name', '"Ada\nBcc: b" <a@x.test>', 'such as me@example.com'],
    ['a text that is too long', `${'a'.repeat(320)}@x.test`, 'such as me@example.com'],
    ['a label that is too long', `a@${'x'.repeat(64)}.test`, 'such as me@example.com'],
    ['nothing', '', 'such as me@example.com'],
  ])('refuses %s', (_, text, advice) => {
    expect(parseMailbox(text)).toBeUndefined()
    expect(mailboxFault(text)).toContain(advice)
  })

  it.each([
    ['Ada@Example.com', 'ada@example.com'],
    ['Ada Lovelace <ada@example.com>', 'ADA@example.com'],
    ['JÖRG@exämple.de', 'jo\u0308rg@xn--exmple-cua.de'],
    ['a..b@example.com', '"a..b"@example.com'],
  ])('treats %s and %s as the same person', (one, other) => {
    expect(mailboxKey(one)).toBe(mailboxKey(other))
  })

  it('distinguishes the addresses of different people', () => {
    const keys = ['ada@x.test', 'ada@y.test', 'ad.a@x.test', 'ada+b@x.test', 'äda@x.test']
    expect(new Set(keys.map(mailboxKey)).size).toBe(keys.length)
  })

  it('accepts every address that a web form accepts, except domains that end with a number', () => {
    const label = fc.stringMatching(/^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,9}[a-zA-Z0-9])?$/)
    const domain = fc
      .tuple(fc.array(label, { maxLength: 3 }), fc.stringMatching(/^[a-zA-Z]{1,12}$/))
      .map(([labels, last]) => [...labels, last].join('.'))
      .filter((one) => !/(^|\.)xn--/i.test(one))
    const localPart = fc.stringMatching(/^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,200}$/)
    fc.assert(
      fc.property(localPart, domain, (local, where) => {
        const address = `${local}@${where.toLowerCase()}`
        expect(parseMailbox(`${local}@${where}`)).toEqual({ name: '', address })
      }),
      { numRuns: runs(2000) },
    )
  })

  it('returns only an address that is in the text, letter by letter', () => {
    const part = fc.oneof(
      fc.constantFrom(
        'a@x.test',
        'b@y.test',
        '@',
        '<',
        '>',
        '"',
        '\\',
        ',',
        ';',
        ':',
        '(',
        ')',
        ' ',
      ),
      fc.constantFrom('[', ']', '.', '\r\n', '%40', '＠', '﹫', 'ä'),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    )
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (written) => {
        const { address } = parseMailbox(written) ?? {}
        if (address === undefined) return
        const [, inBrackets = written] = /<([^<]*)>$/.exec(written) ?? []
        const [localPart, domain = ''] = inBrackets.split('@')
        expect(address.split('@')[0]).toBe(localPart?.normalize('NFC'))
        expect(address).toMatch(/^[^\s@<>",;:()\\]+@[a-z0-9.-]+$/)
        expect(mailboxKey(`x@${domain}`)).toBe(`x@${address.split('@')[1]}`)
      }),
      { numRuns: runs(10_000) },
    )
  })
})

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
