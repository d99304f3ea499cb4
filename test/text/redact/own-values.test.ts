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

  it('is removed in base64 and hexadecimal with other letters beside it', () => {
    for (const name of ['base64', 'hexadecimal']) {
      const written = encode('correct-horse', [name])
      for (const text of [`https://a.example/${written}`, `key_${written}`, `a-${written}`])
        expect(redact(text, ['correct-horse'])).toBe(text.replace(written, '[redacted]'))
    }
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
    ['an invisible joiner', '\u034f'],
    ['a line break of HTML', '<br>'],
    ['an escaped line break of HTML', '&lt;br /&gt;'],
    ['the end of something bold in HTML', '</b>'],
    ['the colour of a match', '\u001b[m\u001b[K\u001b[01;31m\u001b[K'],
  ])('is removed with %s in it', (_, between) => {
    for (const secret of [url, 'correct-horse', 'hunter2', 'twowordsandone', 'pässwört']) {
      for (let at = 1; at < secret.length; at += 1) {
        const text = `**got ${secret.slice(0, at)}${between}${secret.slice(at)} back**`
        expect(redact(text, [secret])).toBe('**got [redacted] back**')
      }
    }
  })

  it('is removed whatever it is, also beside others', () => {
    const secret = fc.string({ minLength: 6, maxLength: 20, unit: 'binary' })
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 4 }), fc.array(fc.string()), (given, words) => {
        const text = words.flatMap((word, index) => [word, given[index % 4] ?? '']).join(' ')
        const clean = redact(text, given)
        const left = clean.split('[redacted]')
        for (const one of given) expect(left.some((part) => part.includes(one))).toBe(false)
        expect(redact(clean, given)).toBe(clean)
      }),
      { numRuns: runs(1000) },
    )
  })

  it.each([
    ['secretsecret-longer', ['secret', 'secretsecret-longer'], '[redacted]'],
    ['true or false, 2525', ['true', '2525'], 'true or false, 2525'],
    ['apple, banana', ['apple', 'banana'], 'apple, [redacted]'],
    ['<corr\u200bect-horse>', ['correct-horse'], '<[redacted]>'],
    ['<corr\u200bect-horse>', ['corr\u200bect-horse'], '<[redacted]>'],
    ['a a<b>c**&12', ['a<b>c&12'], 'a [redacted]'],
    ['a correct-horse', ['half \ud800 pair', 'correct-horse'], 'a [redacted]'],
  ])('of these is searched for as a whole: %j, %j', (text, given, shown) => {
    expect(redact(text, given)).toBe(shown)
  })

  it('of one or two words stays in a sentence that has the same letters', () => {
    const text = 'You can change me, let me in, and pass word for word.'
    expect(redact(text, ['changeme', 'letmein', 'password'])).toBe(text)
  })

  it('is searched for with work in proportion to the text', () => {
    // Each letter of the first would begin a match that fails at its end.
    const secret = 'ssssssssssss1'
    for (const between of [' ', '<b>'])
      expect(redact(`${`s${between}`.repeat(100_000)}1`, [secret])).toMatch(
        /^(?:s|<b>| )+\[redacted\]$/,
      )
  })
})
