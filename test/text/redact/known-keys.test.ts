import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullyRead } from '../../../src/text/redact/readings.ts'
import { redact } from '../../../src/text/redact/redact.ts'
import { encode, nested } from '../../support/encoders.ts'
import { runs } from '../../support/runs.ts'
import { any, hex, keys, uuid } from './keys.ts'
import { testRedaction } from './redaction-suite.ts'

/** Characters that are invisible on a screen. */
const invisible = [
  ...['\u0007', '\u007f', '\u009f', '\u00ad', '\u034f', '\u061c', '\u180e', '\u200b', '\u200d'],
  ...['\u200e', '\u202a', '\u202e', '\u2060', '\u206f', '\ufe00', '\ufe0f', '\ufeff', '\u{e0041}'],
  ...['\u115f', '\u17b4', '\u180b', '\u3164', '\ufff9', '\ufffb', '\u{1bca0}', '\u{1d173}'],
]

describe('a key of a well-known kind', () => {
  const around = [
    ['I called it with ', ' and it answered'],
    ['{"text":"', '"}'],
    ['`', '`'],
    ['\n', '\n'],
    ['https://a.example/?to=%2F%3Fkey%3D', '&b=c'],
    [String.raw`{\"text\":\"first line\n`, String.raw`\"}`],
    ['error: \u001b[1;31m', '\u001b[0m'],
    ['match: \u001b[01;31m\u001b[K', '\u001b[m\u001b[K'],
  ] as const

  it('is removed, and nothing beside it', () => {
    for (const [before, after] of around) {
      const shown = redact(`${before}[redacted]${after}`)
      const left = Object.keys(keys).filter((name) => redact(before + keys[name] + after) !== shown)
      expect(left, before).toEqual([])
    }
  })

  it('is removed however the text around it was encoded', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(keys)), nested, nested, (key, inner, outer) => {
        const clean = redact(encode(`{"text":"${encode(`see ${key} <b>`, inner)}"}`, outer))
        expect(fullyRead(clean)).not.toContain(fullyRead(key))
        expect(clean).toContain('[redacted]')
        expect(redact(clean)).toBe(clean)
      }),
      { numRuns: runs(5000) },
    )
  })

  it('is removed behind and within what colours it on a terminal', () => {
    const codes = fc.constantFrom(
      '\u001b[m',
      '\u001b[0;31m',
      '\u001b[38:2:1:2:3m',
      '\u009b1m',
      '\u001b[K',
    )
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(keys)), codes, fc.nat(200), (key, code, at) => {
        const place = at % key.length
        const text = `before ${key.slice(0, place)}${code}${key.slice(place)}\u001b[m after`
        expect(redact(text)).toBe('before [redacted] after')
      }),
      { numRuns: runs(2000) },
    )
  })

  it('is removed with invisible characters in it', () => {
    const places = fc.array(fc.nat(200), { minLength: 1, maxLength: 3 })
    const letters = fc.constantFrom(...invisible)
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(keys)), places, letters, (key, at, hidden) => {
        const inside = new Set(at.map((place) => 1 + (place % (key.length - 1))))
        const split = [...key].map((letter, index) => (inside.has(index) ? hidden : '') + letter)
        expect(redact(`before ${split.join('')} after`)).toBe('before [redacted] after')
      }),
      { numRuns: runs(3000) },
    )
  })
})

testRedaction('addresses and files', {
  secret: [
    'https://«0a1b2c3d4e5f6a7b8c9d»@example.com/repo.git',
    'DATABASE_URL=postgres://app:«s3cr@t»@db/app',
    'postgres://app:«$3cret»@db/app and redis://:«$uper5ecret»@cache',
    'https://me:«pw»@host/a and https://me:«p@ss»@host/b',
    'smtps://me:«correct-horse»@mail.example.com',
    'a://b:«a»@host',
    String.raw`{"url":"postgres:\/\/app:«p%40ss%2Fw%3Ard»@db"}`,
    'jdbc:oracle:thin:scott/«tiger»@db:1521/x',
    'https://api.telegram.org/«bot123456789:AAabcdefghijklmnopqrstuvwxyzABCDEFG»/send',
    'a «-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----» b',
    'a «-----BEGIN PRIVATE KEY-----\nMIIE»',
    '«-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ==\n-----END PGP PRIVATE KEY BLOCK-----»',
    `«${`${any(64)}\n`.repeat(3)}AAAA\n-----END RSA PRIVATE KEY-----» is the end`,
    `Private-Lines: 3\n«${`${any(64)}\n`.repeat(2)}AAAA\n»Private-MAC: ${hex(40)}`,
    `Private-Lines: 3 «${`${any(64)} `.repeat(2)}AAAA »Private-MAC: ${hex(40)}`,
    'client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB»',
    `data: {url: «${Buffer.from('postgres://app:hunter22@db/app').toString('base64')}»}`,
    '{"auths":{"https://index.docker.io/v1/":{"auth":"«bWU6aHVudGVyMjI=»"}}}',
    '"auth" : "«dXNlcjpwYXNzd29yZA==»", "auth":\n  "«dXNlcjpwYXNzd29yZA==»"',
    "auth: «dXNlcjpwYXNzd29yZA==»\n{'auth': '«dXNlcjpwYXNzd29yZA»'}",
    // A password with letters of another alphabet, and one that is longer than any text for people.
    `"auth": "«${btoa('me:h\u00c3\u00bcnter')}»", "auth": "«${btoa(`AWS:${any(2000)}`)}»"`,
    'root:«$6$saltsalt$abcdefghijklmnopqrstuvwxyz»:19000:0:99999:7:::',
    '«$2b$12$abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQ»',
    'me:«$apr1$saltsalt$abcdefghijklmnopqrstuv» and me:«{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=»',
    'Bearer «eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\n  eyJzdWIiOiIxMjM0NTY3ODkwIn0.\n  dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U»\nDone',
    '«eyJhbGciOiJIUzI1NiIs\nInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0N\nTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N\nXgL0n3I9PlFUP0THsR8Uabcd»',
    'token «eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibm»…',
  ],
  harmless: [
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
    'Bearer of bad news; Bearer authentication-scheme-of-rfc-6750 is described there',
    'PWD=/home/me OLDPWD=/tmp TOKEN=true MAX_TOKEN=4096 API_KEY=$OTHER SECRET=process.env.SECRET',
    'const token = tokens[0]; secret = values[index1]',
    'password file: secret: /run/secrets/db_1, --token-file ./a/b1, token=./build/out2',
    'eyJhbGciOiJIUzI1NiJ9 is the header of a JWT',
    'certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUREVENDQWZXZ0F3SUJB',
    '"auth": true, "auth": "none", auth: basicAuth, auth: middleware/auth, auth: { user: name }',
    '"auth": "required", "auth": "oauth2token12345", jdbc:oracle:thin:@db:1521/x',
    "echo $1$2$3; awk '{print $1$2abcdefghijklmnop}'",
    '-----BEGIN PUBLIC KEY----- MIIB -----END PUBLIC KEY-----',
    `${`${'A1b2'.repeat(16)}\n`.repeat(2)}-----END RSA PUBLIC KEY-----`,
    'postgres://$USER:$PASS@localhost/db postgres://${USER}:${PASS}@db/app',
    'postgres://<user>:<password>@host/db https://{user}:{password}@host http://%U%:%P%@host',
    '"integrity": "sha512-q7mBvGyHfLk0NvDkB0h7J8fE9cKcGZ1X2y3Z4a5b6c7d8e9f0A1B2C3D4E5F6G7H8I9J0K=="',
    'resolved "https://packages.example.com/left-pad/-/left-pad-1.3.0.tgz#5b8a3a7765dfe001261dde915589e782f8c94d1e"',
    'go.sum: github.com/a/b v1.2.3 h1:abcdEFGH1234567890abcdEFGH1234567890abcd=',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'user id 123e4567-e89b-12d3-a456-426614174000 in /var/lib/docker/overlay2/0a1b2c3d4e5f/merged',
    'new Map<string, Token>() and Monitoring.of.everything, Node.js v20.18.1 at 10:22:33',
    'The key is to keep it short: key findings follow. Primary key: id. Foreign key=user_id',
    'gl-matrix, hf_hub, hvs, lin_algebra, dapi, ya29, pypi-publish-to-the-index-with-a-name, task_SK1',
    'line 123456789: a-very-long-name-of-a-function-without-anything-secret',
    'https://discord.com/channels/123/456 https://api.telegram.org https://hooks.slack.com',
    'Das Paßwort: „geheim“ 👩‍👩‍👧 می‌خواهم',
    'Step 1️⃣ of 3️⃣',
    'TOKEN=readToken(1) token = readToken1(x)',
    'Bearer authenticationschemes',
    'pypi-publish-to-the-index-with-2-names-of-it, pypi-PUBLISH-TO-THE-INDEX-WITH-2-NAMES-OF-IT',
    `line 123456: see 123456:${'A-1'.repeat(10)}`,
    // What looks like another spelling of a text, or of a key.
    'https://example.com/a%20b%2Fc?q=caf%C3%A9%20%26%20bar&next=%2Fhome%3Ftab%3D1#top',
    String.raw`{"path":"C:\\Users\\me\\new","text":"line 1\nline 2\t\"quoted\"","url":"https:\/\/example.com\/a"}`,
    String.raw`{"error":{"message":"\u0027token\u0027 is required \u0026 must be a string"}}`,
    '<p>Use &lt;token&gt; &amp; &quot;password&quot;: see &#x2F;docs&#47;auth &copy; 2026&nbsp;us</p>',
    `<img src="data:image/png;base64,iVBORw0KGgo${any(400)}" alt="key">`,
    'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
    `{"etag":"W/\\"${hex(40)}\\"","md5":"${hex(32)}","id":"01HXYZABCDEFGHJKMNPQRSTVWX"}`,
    'UmVhZCB0aGUgZG9jcyBiZWZvcmUgeW91IHN0YXJ0LCBwbGVhc2Uu is text, 52656164207468652064f6373 is not',
    String.raw`sed 's/\/usr\/lib/\/opt/g' && grep -E '\bsk\_[a-z]+\b' && printf '\033[1m%s\033[0m\n' done`,
    'FAQ.how_to_get_started_with_the_first_key, AQ.words_without_any_digit_in_them_at_all',
    'vcr_cassettes_of_the_payment_service, fw_updateTheFirmwareOfAllDevices, key_value_store_of_2',
    'BSAuthenticationViewControllerDelegate2, cfut_is_a_prefix, sk_org_live_is_one, crsr_next',
    `${hex(32)}-00001111-2222-3333, shard 1/1234567890123456 of 1/12345678901234:done`,
    'Private-Lines: see the manual of PuTTY, Public-Lines: 3',
    `\u0024apr1 and {SHA} are schemes, $1 and $apr1$ alone are not hashes`,
    'key-value-store, sdk-for-python, API-DOCUMENTATION, access-control-list-and-more, pat-a-cake',
    `cache-${hex(32)}-us-east, sha256:${hex(64)}, v1.0-${hex(24)}, session ${uuid}`,
    `commit ${hex(40)}, blob 4b1d${hex(36)}, blob 4b1d${hex(60)}`,
    `SCWAVE, secret_${'name_of_it_'.repeat(6)}, re_export_all_of_the_names, napi_create_function`,
    `-----BEGIN CERTIFICATE-----\n${`${any(64)}\n`.repeat(4)}-----END CERTIFICATE-----`,
    `data:image/png;base64,iVBORw0KGgo${any(600)}`,
    `data:application/wasm;base64,AGFzbQ${any(60)}/EAAAoBUAACM${any(60)}`,
    `LS0tLS1CRUdJTi=${'A'.repeat(30)} LS0tLS1CRUdJTi+/=${'=1'.repeat(20)}`,
  ],
})
