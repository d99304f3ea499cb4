import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../src/text/loopback.ts'

describe('isLoopback', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'app.localhost',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
  ])('is true for %s', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each(['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'])(
    'is true for the IPv6 address %s',
    (host) => {
      expect(isLoopback(host)).toBe(true)
    },
  )

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
  ])('is false for %s', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})
