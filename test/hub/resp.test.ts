import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeCommand, RedisError, type Reply, ReplyParser } from '../../src/hub/resp.ts'
import { anyCharacter } from '../support/any-character.ts'

function parseInPieces(bytes: Buffer, size: number): Reply[] {
  const parser = new ReplyParser(1_000_000)
  const replies: Reply[] = []
  for (let at = 0; at < bytes.length; at += size)
    replies.push(...parser.push(bytes.subarray(at, at + size)))
  return replies
}

describe('hub: the Redis protocol', () => {
  it('parses every type of reply in chunks of any size', () => {
    const bytes = Buffer.from('+OK\r\n:42\r\n$-1\r\n$3\r\né!\r\n*2\r\n:1\r\n$0\r\n\r\n*-1\r\n')
    for (let size = 1; size <= bytes.length; size++)
      expect(parseInPieces(bytes, size)).toEqual(['OK', 42, null, 'é!', [1, ''], null])
  })

  it('parses the code of an error reply', () => {
    const [reply] = parseInPieces(Buffer.from('-NOPERM this user has no permissions\r\n'), 100)
    expect(reply).toBeInstanceOf(RedisError)
    expect(reply).toMatchObject({ code: 'NOPERM' })
  })

  it('encodes any words as one command', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter }), { minLength: 1 }), (words) => {
        const wellFormed = words.map((word) => word.toWellFormed())
        expect(parseInPieces(encodeCommand(wellFormed), 7)).toEqual([wellFormed])
      }),
    )
  })

  it.each(['HTTP/1.1 200 OK\r\n', ':many\r\n', '*1\r\n'.repeat(9)])('rejects %j', (text) => {
    expect(() => parseInPieces(Buffer.from(text), 100)).toThrow()
  })

  it('rejects an endless reply', () => {
    const parser = new ReplyParser(1_000_000)
    const chunk = Buffer.alloc(700_000, '+')
    parser.push(chunk)
    expect(() => parser.push(chunk)).toThrow('too long')
  })
})
