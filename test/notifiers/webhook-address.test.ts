import dns, { type LookupAddress, type lookup as lookupName } from 'node:dns'
import { BlockList, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { request } from '../../src/notifiers/_http.ts'
import { reachOf } from '../../src/notifiers/webhook/address.ts'
import { guard, refusal } from '../../src/notifiers/webhook/guard.ts'
import { webhook } from '../../src/notifiers/webhook.ts'
import { startReceiver } from '../support/receiver.ts'
import { runs } from '../support/runs.ts'
import { failureOf, makeContext, makeMessage } from './_suite.ts'

describe('notifiers: webhook addresses', () => {
  it.each([
    ['1.1.1.1', 'public'],
    ['2606:4700:4700::1111', 'public'],
    ['64:ff9b::101:101', 'public'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12:3456::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::a00:1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['169.254.169.254', 'refused'],
    ['::ffff:169.254.169.254', 'refused'],
    ['64:ff9b::169.254.169.254', 'refused'],
    ['64:ff9b:1::a00:1', 'refused'],
    ['2002:a9fe:a9fe::1', 'refused'],
    ['2001:0:a9fe:a9fe::1', 'refused'],
    ['::ffff:0:127.0.0.1', 'refused'],
    ['::127.0.0.1', 'refused'],
    ['::', 'refused'],
    ['0.0.0.0', 'refused'],
    ['0.1.2.3', 'refused'],
    ['fe80::1', 'refused'],
    ['fe80::1%eth0', 'refused'],
    ['fec0::1', 'refused'],
    ['ff02::1', 'refused'],
    ['224.0.0.1', 'refused'],
    ['240.0.0.1', 'refused'],
    ['255.255.255.255', 'refused'],
    ['100.100.100.200', 'refused'],
    ['168.63.129.16', 'refused'],
    ['192.0.0.192', 'refused'],
    ['fd00:ec2::254', 'refused'],
    ['2001:db8::1', 'refused'],
    // Spellings that a resolver never returns.
    ['0x7f.1', 'refused'],
    ['010.0.0.1', 'refused'],
    ['2130706433', 'refused'],
    ['', 'refused'],
    ['example.com', 'refused'],
  ])('classify %s as %s', (address, reach) => {
    expect(reachOf(address)).toBe(reach)
  })

  it('never classify an IPv4 address of a reserved range as public', () => {
    const special = new BlockList()
    for (const [net, bits] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['224.0.0.0', 3],
    ] as const) {
      special.addSubnet(net, bits, 'ipv4')
    }
    const near = fc.constantFrom(
      '10.',
      '100.64.',
      '127.',
      '169.254.',
      '172.16.',
      '192.168.',
      '224.',
    )
    const ip = fc.oneof(
      fc.ipV4(),
      fc.tuple(near, fc.ipV4()).map(([start, rest]) => {
        const missing = 4 - (start.split('.').length - 1)
        return start + rest.split('.').slice(-missing).join('.')
      }),
    )
    fc.assert(
      fc.property(ip, (address) => {
        if (special.check(address, 'ipv4')) expect(reachOf(address)).not.toBe('public')
        expect(reachOf(`::ffff:${address}`)).toBe(reachOf(address))
      }),
      { numRuns: runs(500) },
    )
  })

  it('never classify an IPv6 address outside of the global ranges as public', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (reachOf(address) !== 'public') return
        expect(isIPv6(address)).toBe(true)
        expect(/^(?:[23][\da-f]{3}:|64:ff9b:)/i.test(address)).toBe(true)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('notifiers: webhook connections', () => {
  /** A resolver that returns another list of addresses at each call. */
  const makeLookup = (...answers: string[][]) => {
    let asked = 0
    const lookup = (_name: string, _options: object, done: (...args: unknown[]) => void) => {
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? []
      const found: LookupAddress[] = answer.map((address) => ({
        address,
        family: isIPv6(address) ? 6 : 4,
      }))
      done(null, found)
    }
    return { lookup: lookup as typeof lookupName, asked: () => asked }
  }

  const connect = async (answers: string[][], allowPrivateNetwork = false) => {
    const { url, received } = await startReceiver()
    const target = new URL(url.replace('127.0.0.1', 'bell.example.com'))
    const { lookup, asked } = makeLookup(...answers)
    const guarded = guard(target, { allowPrivateNetwork, lookup })
    const { signal } = new AbortController()
    const error = await request(target.href, {
      method: 'GET',
      headers: {},
      lookup: guarded.lookup,
      signal,
    }).then(
      () => undefined,
      (thrown: unknown) => refusal(thrown) ?? thrown,
    )
    return { error, received, asked }
  }

  it('are refused if the name resolves to this machine', async () => {
    const { error, received } = await connect([['127.0.0.1']])
    expect(error).toMatchObject({
      verdict: 'retry',
      message: 'webhook: bell.example.com is at 127.0.0.1, which is this machine',
      hint: expect.stringContaining('allowPrivateNetwork'),
    })
    expect(received).toHaveLength(0)
  })

  it('of the notifier are refused too, whatever the system finds for the name', async () => {
    const resolver = vi.spyOn(dns, 'lookup').mockImplementation(makeLookup(['127.0.0.1']).lookup)
    onTestFinished(() => resolver.mockRestore())
    const channel = webhook.options.parse({ url: 'https://bell.example.com/hook' })
    expect(await failureOf(webhook.send(makeMessage(), channel, makeContext()))).toMatchObject({
      verdict: 'retry',
      message: 'webhook: bell.example.com is at 127.0.0.1, which is this machine',
    })
  })

  it('to this machine are made if private networks are allowed', async () => {
    const { error, received } = await connect([['127.0.0.1']], true)
    expect(error).toBeUndefined()
    expect(received).toHaveLength(1)
  })

  it('are refused if the name resolves to a metadata service of a cloud', async () => {
    const { error } = await connect([['169.254.169.254'], ['127.0.0.1']], true)
    expect(error).toMatchObject({ verdict: 'retry', hint: undefined })
  })

  it('use the addresses of a single lookup for the check and the connection', async () => {
    const { error, received, asked } = await connect([['1.1.1.1'], ['127.0.0.1']])
    // The first address is refused for http://; a second lookup would have returned this machine.
    expect(error).toMatchObject({ message: expect.stringContaining('1.1.1.1') })
    expect(asked()).toBe(1)
    expect(received).toHaveLength(0)
  })

  it('skip the addresses of a name that are not allowed', async () => {
    const { error, received } = await connect([['169.254.169.254', 'fe80::1', '127.0.0.1']], true)
    expect(error).toBeUndefined()
    expect(received).toHaveLength(1)
  })

  it('fail with the host name if it has no address', async () => {
    const { error } = await connect([[]])
    expect(String(error)).toContain('bell.example.com')
  })
})
