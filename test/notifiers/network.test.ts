import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../src/notifiers/_network.ts'
import { parseRetryAfter } from '../../src/notifiers/_retry-after.ts'

const now = Date.parse('2026-11-20T12:00:00Z')

describe('the wish of a receiver to be left alone', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['1.5', 1500],
    [' 3 ', 3000],
    ['Fri, 20 Nov 2026 12:00:10 GMT', 10_000],
    ['Friday, 20-Nov-26 12:00:10 GMT', 10_000],
    ['Fri Nov 20 12:00:10 2026', 10_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['9'.repeat(400), 366 * 24 * 3_600_000],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
    ['-1', undefined],
    ['1,5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['2026-11-20', undefined],
    ['Fri, 99 Nov 2026 12:00:10 GMT', undefined],
  ])('%j is %j ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected)
  })
})

describe('this machine', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'app.localhost',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
  ])('is meant by %s', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each(['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'])('is meant by %s', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each([
    '',
    'example.com',
    '127.0.0.1.example.com',
    'localhost.example.com',
    'notlocalhost',
    '128.0.0.1',
    '[::2]',
    '[::ffff:128.0.0.1]',
    '0.0.0.0',
    '[',
  ])('is not meant by %s', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})
