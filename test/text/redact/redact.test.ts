import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullyRead } from '../../../src/text/redact/readings.ts'
import { redact, redactStart } from '../../../src/text/redact/redact.ts'
import { encode, encoders, nested } from '../../support/encoders.ts'
import { runs } from '../../support/runs.ts'
import { hardTexts } from './hard-texts.ts'
import { stepsOf } from './steps.ts'

const token = `ghp_${'a0Bc1De2Fg3Hi4Jk5'.repeat(3).slice(0, 36)}`

/** Parts of secrets, of the places in which they are found, and of what ends them. */
const pieces = [
  ...[
    token,
    'AKIAABCDEFGHIJ234567',
    'sk-ant-api03-',
    'eyJhbGciOi',
    'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.',
  ],
  ...[
    'https://hooks.slack.com/services/T0/B0/a1',
    '-----BEGIN KEY-----',
    '-----END KEY-----',
    '://u:',
  ],
  ...[
    'Private-Lines: 2 ',
    '$6$salt$',
    '{SHA}',
    'LS0tLS1CRUdJTi',
    '"auth": "',
    'dXNlcjpwYXNz',
    '7061737377',
  ],
  ...[
    'password=',
    'PASSWORD=',
    'token: ',
    'PGPASSWORD="',
    "--password '",
    '--token ',
    '--user me ',
  ],
  ...[
    'Authorization: ',
    'Bearer ',
    '-H "Authorization: ',
    'Cookie: a=',
    '?key=',
    '&token=',
    '&password=',
  ],
  ...[
    'curl -u a:',
    'mysql -p',
    'redis-cli -a ',
    'vault login ',
    'sqlplus a/',
    'bw unlock ',
    ';Pwd=',
  ],
  ...[
    'echo ',
    '| sudo -S',
    'sudo -S <<< ',
    '--otp ',
    'OTP=',
    'BASIC_AUTH=me:',
    'DB_PASSWORD: ',
    '_KEY=',
  ],
  ...[
    'user: me',
    'password is ',
    'Passwort: ',
    '| token | ',
    ' |',
    '<password>',
    '</',
    'login admin/',
  ],
  ...[
    "API_KEY'] = '",
    'DB_PASSWORD to ',
    "auth=('me', '",
    'a.b.password=',
    'machine a login a password ',
  ],
  ...[
    'hunter2',
    'a1',
    'two words',
    '/path/a',
    'true',
    '123456',
    'abcdef0123456789',
    'aaaaaaaa',
    '=',
  ],
  ...[
    ' ',
    '"',
    "'",
    '`',
    '\\"',
    '\\',
    '\\\\',
    ';',
    '$',
    '${',
    '(',
    '\n',
    '\t',
    '**',
    '-',
    '..',
    '@',
    ':',
  ],
  ...[
    '\u200b',
    'é',
    '\u200d',
    '[redacted]',
    '%3D',
    '%25',
    '&amp;',
    '&quot;',
    '\\u003d',
    '\\n',
    '[1m',
  ],
]

describe('redact', () => {
  it('removes secrets of all kinds from a text, and leaves the rest', () => {
    const text = `I ran \`curl -u me:hunter2 -H "Authorization: Bearer abcdef" https://u:p4ss@host\` with
PGPASSWORD='correct horse' and ${token}; the password of app is "correct-horse". See https://example.com/?page=2.`
    expect(redact(text)).toMatchInlineSnapshot(`
      "I ran \`curl -u me:[redacted] -H "Authorization: Bearer [redacted]" https://u:[redacted]@host\` with
      PGPASSWORD='[redacted]' and [redacted]; the password of app is "[redacted]". See https://example.com/?page=2."
    `)
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces)), (used) => {
        const once = redact(used.join(''), ['correct-horse'])
        expect(redact(once, ['correct-horse'])).toBe(once)
      }),
      { numRuns: runs(5000) },
    )
  })

  it('removes a secret that is recognized only after the key beside it was removed', () => {
    const text = `bw unlock ://u:https://hooks.slack.com/services/T0/B0/a1b2auth=('me', '`
    expect(redact(text)).toBe(`bw unlock [redacted][redacted]=('me', '`)
  })

  it('removes nothing from an empty text, and no mark of an earlier redaction', () => {
    for (const text of ['', '[redacted]', 'a[redacted]b', '[redacted][redacted]'])
      expect(redact(text, ['redacted', 'acted]'])).toBe(text)
  })

  // By construction: patterns are anchored at a name, and their repetitions are bounded.
  it('does work in proportion to the length of a text', () => {
    const ends = ['', '"']
    for (const piece of pieces) {
      for (const end of ends) {
        const text = (length: number) => piece.repeat(Math.ceil(length / piece.length)) + end
        redact(text(100), ['correct-horse'])
        const [short, long] = [1000, 10_000].map((length) =>
          stepsOf(() => redact(text(length), ['correct-horse'])),
        )
        expect(long, piece + end).toBeLessThan(13 * (short ?? 0))
      }
    }
  })

  // `npm run bench` measures whether they take time in proportion to their length.
  it.each(hardTexts)('ends for a text that is hard to search: %j', (_, texts) => {
    for (const text of texts) redact(text(5000), ['some secret'])
  })
})

describe('the start of a text', () => {
  it.each([' ', '\n'])('is cut before it is searched, but never within a key: %j', (space) => {
    const word = `word${space}`
    const text = `${word.repeat(2000)}${token} ${word.repeat(100_000)}`
    for (let max = 2900; max < 3000; max += 1) {
      const start = redactStart(text, max)
      expect(start.length).toBeLessThan(2 * max + 5000)
      expect(start).not.toContain(token.slice(0, 8))
      expect(start.startsWith(word.repeat(max / 5))).toBe(true)
    }
    expect(redactStart(`short ${token}`, 100)).toBe('short [redacted]')
  })

  it('loses known values, and keeps enough of a long word', () => {
    const secrets = ['correct-horse']
    expect(redactStart('a correct-horse', 100, secrets)).toBe('a [redacted]')
    const long = redactStart(`a correct-horse ${'-'.repeat(10_000)}`, 100, secrets)
    expect(long.slice(0, 14)).toBe('a [redacted] -')
    expect(long.length).toBeGreaterThan(100)
  })
})

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
