import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullyRead } from '../../../src/text/redact/readings.ts'
import { redact } from '../../../src/text/redact/redact.ts'
import { encode, encoders, nested } from '../../support/encoders.ts'
import { runs } from '../../support/runs.ts'

const url = 'https://hooks.example/T0/abc/def?key=1&b=2'
const secrets = [
  url,
  'correct-horse',
  'p@ss "word" ü/1',
  'two words and 1',
  'hunter2',
  'a%2Fb\\n<c>',
]

describe('a secret of the configuration', () => {
  it.each(secrets)('is removed in every spelling: %j', (secret) => {
    for (const [name, write] of Object.entries(encoders))
      expect(redact(`got ${write(secret)} back`, secrets), name).toBe('got [redacted] back')
  })

  it('is removed where the text around it is encoded as well', () => {
    fc.assert(
      fc.property(fc.constantFrom(...secrets), nested, nested, (secret, inner, outer) => {
        const text = encode(`{"got": "${encode(secret, inner)}"}`, outer)
        const clean = redact(text, secrets)
        expect(fullyRead(clean)).not.toContain(fullyRead(secret))
        expect(clean).toContain('[redacted]')
        expect(redact(clean, secrets)).toBe(clean)
      }),
      { numRuns: runs(3000) },
    )
  })

  it.each([
    ['a line break', '\n'],
    ['the margin of a quote', '\n> '],
    ['the frame of a terminal', ' │\n│ '],
    ['a space, as a line break becomes one', ' '],
    ['an escaped line break', String.raw`\n   `],
    ['a line that goes on', '\\\n'],
    ['the end of something bold', '**'],
    ['a mark of code', '`'],
    ['a soft hyphen', '\u00ad'],
    ['an escaped space without width', String.raw`\u200b`],
  ])('is removed with %s in it', (_, between) => {
    for (const secret of [url, 'correct-horse', 'hunter2', 'twowordsandone']) {
      for (let at = 1; at < secret.length; at += 1) {
        const text = `**got ${secret.slice(0, at)}${between}${secret.slice(at)} back**`
        expect(redact(text, [secret])).toBe('**got [redacted] back**')
      }
    }
  })

  it('of one or two words stays in a sentence that has the same letters', () => {
    const text = 'You can change me, let me in, and pass word for word.'
    expect(redact(text, ['changeme', 'letmein', 'password'])).toBe(text)
  })

  it('is searched for with work in proportion to the text', () => {
    // Each letter of the first would begin a match that fails at its end.
    const secret = 'ssssssssssss1'
    expect(redact(`${'s '.repeat(100_000)}1`, [secret])).toMatch(/^(?:s )+\[redacted\]$/)
  })
})
