import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../src/text/redact.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** Put together here, so that no scanner takes this file for a leak. */
const fake = (start: string, length: number) => start + letters.slice(40).repeat(4).slice(0, length)

const keys = {
  slackUrl: `https://hooks.slack.com/${fake('services/T0/B0/', 24)}`,
  slackToken: fake('xoxb-', 30),
  slackApp: fake('xapp-', 30),
  openai: fake('sk-proj-', 40),
  factory: fake('fk-', 30),
  stripe: fake('sk_live_', 24),
  github: fake('ghp_', 36),
  githubFine: fake('github_pat_', 40),
  gitlab: fake('glpat-', 20),
  npm: fake('npm_', 36),
  aws: `AKIA${'ABCDEFGHIJ234567'}`,
  google: fake('AIza', 35),
  jwt: `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl`,
}

/** Prose and code in which nothing is secret. */
const harmless = [
  'The password is required. Reset the token: see the docs.',
  'secret: something only we know',
  'const password = process.env.PASSWORD ?? readPassword()',
  'if (token === undefined) throw new Error("token: missing")',
  'api_key = getApiKey()',
  'function secret(token: string): Promise<string> {',
  'password: z.string().min(8)',
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'The risk-based approach, the task-list-with-a-long-name-in-it, sk-learn and ask-me-anything',
  'See https://example.com/a/b?c=d and http://localhost:3000/path, mail me@example.com',
  'git@github.com:owner/repo.git and ssh://git@host:22/repo',
  'Authorization: required for this route',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b, 550e8400-e29b-41d4-a716-446655440000',
  'tokens: 1234, max_tokens: 4096, total_tokens=123456 used',
  'The tokenizer splits "password=" from its value; secretary: Ms. Smith',
  'eyJ is how a JWT begins; AKIA and ghp_ are prefixes',
  'npm_config_registry, LD_PRELOAD, 12:30:45, 4:3, C:\\Users\\me',
]

describe('redact', () => {
  it.each(Object.entries(keys))('takes out %s', (_, key) => {
    expect(redact(`before ${key} after`)).toBe('before [redacted] after')
  })

  it.each([
    ['password=hunter2hunter2', 'password=[redacted]'],
    ['"password": "hunter2hunter2"', '"password": "[redacted]"'],
    ["DB_PASSWORD='s3cret-value'", "DB_PASSWORD='[redacted]'"],
    ['API_KEY=abc123def456', 'API_KEY=[redacted]'],
    ['Authorization: Bearer abcdef.ghijkl', 'Authorization: Bearer [redacted]'],
    ['smtps://me:correct-horse@mail.example.com', 'smtps://me:[redacted]@mail.example.com'],
    ['a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b', 'a [redacted] b'],
    ['a -----BEGIN PRIVATE KEY-----\nMIIE', 'a [redacted]'],
  ])('makes %j harmless', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each(harmless)('leaves %j alone', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('takes out known values, also URL-encoded, in base64 and in JSON', () => {
    const secret = 'p@ss "word" ü/1'
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      JSON.stringify(secret).slice(1, -1),
    ]
    for (const form of forms) expect(redact(`<${form}>`, [secret])).toBe('<[redacted]>')
  })

  it('takes out the longer of two values that begin alike', () => {
    expect(redact('secretsecret-longer', ['secret', 'secretsecret-longer'])).toBe('[redacted]')
  })

  it('does not take out words that happen to be set as secrets', () => {
    expect(redact('true or false, 2525', ['true', '2525'])).toBe('true or false, 2525')
  })

  it('leaves no known value, and changes nothing the second time', () => {
    const secret = fc.string({ minLength: 6, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 4 }), fc.array(fc.string()), (secrets, words) => {
        const text = words.flatMap((word, index) => [word, secrets[index % 4] ?? '']).join(' ')
        const once = redact(text, secrets)
        const left = once.split('[redacted]')
        for (const one of secrets) expect(left.some((part) => part.includes(one))).toBe(false)
        expect(redact(once, secrets)).toBe(once)
      }),
      { numRuns: 2000 },
    )
  })

  it('changes nothing the second time where shapes matched', () => {
    const piece = fc.constantFrom(
      ...Object.values(keys),
      'password=',
      'token: ',
      ' ',
      '"',
      'a1',
      '://u:',
      '@',
      '[redacted]',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = redact(pieces.join(''))
        expect(redact(once)).toBe(once)
      }),
      { numRuns: 2000 },
    )
  })

  it('is quick for long text of any kind', () => {
    for (const piece of [
      'a',
      ' ',
      '-',
      'eyJ',
      'https://',
      'a:',
      'password=',
      '@',
      '-----BEGIN KEY',
      'sk-',
      'eyJ-',
      'password=password ',
    ]) {
      // Of the processor, since others may use it too.
      const before = process.cpuUsage()
      redact(piece.repeat(64_000 / piece.length), ['some secret'])
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
    }
  })
})
