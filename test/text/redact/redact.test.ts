import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullyRead } from '../../../src/text/redact/readings.ts'
import { redact, redactStart } from '../../../src/text/redact/redact.ts'
import { groups, mayHoldKey } from '../../../src/text/redact/secret-shapes.ts'
import { encode, nested } from '../../support/encoders.ts'
import { marked } from '../../support/marked.ts'
import { runs } from '../../support/runs.ts'
import { fake, hardTexts, hex, keys } from './hard-texts.ts'
import { expectWords, isFound } from './redaction-suite.ts'

const shapes = groups.flatMap((group) => group.shapes)

/** Invisible characters: single ones, and the first and last of each range. */
const invisible = [
  ...[
    '\u0007',
    '\u007f',
    '\u009f',
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u180e',
    '\u200b',
    '\u200d',
    '\u200e',
  ],
  ...['\u202a', '\u202e', '\u2060', '\u206f', '\ufe00', '\ufe0f', '\ufeff', '\u{e0041}'],
  ...['\u115f', '\u17b4', '\u180b', '\u3164', '\ufff9', '\ufffb', '\u{1bca0}', '\u{1d173}'],
]

/** Prose and code without secrets. */
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
  `<img src="data:image/png;base64,iVBORw0KGgo${fake('', 400)}" alt="key">`,
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
]

describe('redact', () => {
  it.each(Object.entries(keys))('removes a key of the type %s', (_, key) => {
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
  ])('removes the secret from %j', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each([
    '_auth=«dXNlcjpwYXNzd29yZA==»',
    'ansible_ssh_pass: «hunter22»',
    "password: '«s3cret with space»'",
    'https://«0a1b2c3d4e5f6a7b8c9d»@example.com/repo.git',
    'DATABASE_URL=postgres://app:«s3cr@t»@db/app',
    'postgres://app:«$3cret»@db/app and redis://:«$uper5ecret»@cache',
    'keytool -keypass «changeit1» -keystore x',
    'influx -username u -password «hunter22»',
    'https://me:«pw»@host/a and https://me:«p@ss»@host/b',
    "password: '«pa$$w(o)rd1»'",
    String.raw`"{\"password\": \"«hunter22 x»\"}"`,
    '- **Password:** `«hunter22»`',
    '- **Password**: «hunter22»',
    'Pass --token `«hunter22»` or set TOKEN=`«hunter22»`',
    'Bearer «eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\n  eyJzdWIiOiIxMjM0NTY3ODkwIn0.\n  dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U»\nDone',
    '«eyJhbGciOiJIUzI1NiIs\nInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0N\nTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N\nXgL0n3I9PlFUP0THsR8Uabcd»',
    'token «eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibm»…',
    'client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB»',
    '{"auths":{"https://index.docker.io/v1/":{"auth":"«bWU6aHVudGVyMjI=»"}}}',
    '"auth" : "«dXNlcjpwYXNzd29yZA==»", "auth":\n  "«dXNlcjpwYXNzd29yZA==»"',
    String.raw`{\"auth\": \"«dXNlcjpwYXNzd29yZA==»\"}`,
    "auth: «dXNlcjpwYXNzd29yZA==»\n{'auth': '«dXNlcjpwYXNzd29yZA»'}",
    // A password with letters of another alphabet, and one that is longer than any text for people.
    `"auth": "«${btoa('me:h\u00c3\u00bcnter')}»", "auth": "«${btoa(`AWS:${fake('', 2000)}`)}»"`,
    '//npm.example.com/:_password=«aHVudGVyMjI=»',
    'jdbc:oracle:thin:scott/«tiger»@db:1521/x',
    'root:«$6$saltsalt$abcdefghijklmnopqrstuvwxyz»:19000:0:99999:7:::',
    '«$2b$12$abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQ»',
    '«https://hooks.zapier.com/hooks/catch/123/abcdef/»',
    `«${`${fake('', 64)}\n`.repeat(3)}AAAA\n-----END RSA PRIVATE KEY-----» is the end`,
    `Private-Lines: 3\n«${`${fake('', 64)}\n`.repeat(2)}AAAA\n»Private-MAC: ${hex(40)}`,
    `Private-Lines: 3 «${`${fake('', 64)} `.repeat(2)}AAAA »Private-MAC: ${hex(40)}`,
    'me:«$apr1$saltsalt$abcdefghijklmnopqrstuv» and me:«{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=»',
    `Ocp-Apim-Subscription-Key: «${hex(32)}»`,
    `https://example.com/a?subscription-key=«${hex(32)}»&b=c`,
  ])('removes the marked part of %j', (line) => {
    const { text, shown } = marked(line)
    expect(redact(text)).toBe(shown)
  })

  it('removes each secret of a command whose other secrets are known', () => {
    const text = 'curl -H "Authorization: Bearer abcdef" -u me:hunter2 https://u:p4ss@h'
    const shown =
      'curl -H "Authorization: Bearer [redacted]" -u me:[redacted] https://u:[redacted]@h'
    expect(redact(text)).toBe(shown)
  })

  it.each(harmless)('leaves %j unchanged', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('removes each key however the text around it was encoded', () => {
    const key = fc.constantFrom(...Object.values(keys))
    fc.assert(
      fc.property(key, nested, nested, (secret, inner, outer) => {
        const text = encode(`{"text":"${encode(`see ${secret} <b>`, inner)}"}`, outer)
        const clean = redact(text)
        expect(fullyRead(clean)).not.toContain(secret)
        expect(clean).toContain('[redacted]')
        expect(redact(clean)).toBe(clean)
      }),
      { numRuns: runs(5000) },
    )
  })

  it('removes the longer of two values with the same beginning', () => {
    expect(redact('secretsecret-longer', ['secret', 'secretsecret-longer'])).toBe('[redacted]')
  })

  it('keeps common words and short values that are set as secrets', () => {
    expect(redact('true or false, 2525', ['true', '2525'])).toBe('true or false, 2525')
    expect(redact('apple, banana', ['apple', 'banana'])).toBe('apple, [redacted]')
  })

  it('removes every known value, and is idempotent', () => {
    const secret = fc.string({ minLength: 6, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 4 }), fc.array(fc.string()), (secrets, words) => {
        const text = words.flatMap((word, index) => [word, secrets[index % 4] ?? '']).join(' ')
        const once = redact(text, secrets)
        const left = once.split('[redacted]')
        for (const one of secrets) expect(left.some((part) => part.includes(one))).toBe(false)
        expect(redact(once, secrets)).toBe(once)
      }),
      { numRuns: runs(2000) },
    )
  })

  it('removes a secret that is recognized only after the key beside it was removed', () => {
    const text = `bw unlock ://u:${keys.slackUrl}auth=('me', '`
    expect(redact(text)).toBe(`bw unlock [redacted][redacted]=('me', '`)
  })

  it('is idempotent for texts with key patterns', () => {
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
      '-',
      '..',
      '(',
      'Bearer ',
      '--token ',
      'PGPASSWORD=',
      'PGPASSWORD="',
      "--password '",
      'Authorization: ',
      '-H "Authorization: ',
      'curl -u a:',
      'mysql -p',
      'redis-cli -a ',
      '&password=',
      ';Pwd=',
      'Cookie: a=',
      'echo ',
      '| sudo -S',
      'vault login ',
      'sqlplus a/',
      'sudo -S <<< ',
      '--otp ',
      '--password ',
      'hunter',
      '--user me ',
      'user: me',
      'DB_PASSWORD: ',
      'password is ',
      'Passwort: ',
      '| token | ',
      ' |',
      '<password>',
      '</',
      '?key=',
      '&token=',
      'bw unlock ',
      'foo-bar',
      '**',
      '$6$salt$',
      '"auth": "',
      'eyJhbGciOi',
      'BASIC_AUTH=me:',
      'login admin/',
      "API_KEY'] = '",
      'DB_PASSWORD to ',
      "auth=('me', '",
      'a.b.password=',
      'token ',
      ': ',
      '123456',
      ' --pass ',
      "BY '",
      "'",
      '\\"',
      '\\',
      ';',
      '$',
      '${',
      '\n',
      'hunter2',
      'two words',
      '/path/a',
      'true',
      '\u200b',
      'é',
      '\u200d',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = redact(pieces.join(''))
        expect(redact(once)).toBe(once)
      }),
      { numRuns: runs(5000) },
    )
  })

  it.each([
    ['curl -H "x-api-key: ab12cd34ef56"', 'curl -H "x-api-key: [redacted]"'],
    ['X-Api-Key=ab12cd34ef56', 'X-Api-Key=[redacted]'],
    ['sent Bearer abcdef0123456789abcdef to it', 'sent Bearer [redacted] to it'],
    ['"authorization": "Bearer abcdefghij"', '"authorization": "Bearer [redacted]"'],
    [
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      'aws_secret_access_key = [redacted]',
    ],
    ['"SecretAccessKey": "wJalr/K7MDENG+bPxRfiCY1"', '"SecretAccessKey": "[redacted]"'],
    ['AccountName=a;AccountKey=Zm9v+YmFy/12==;', 'AccountName=a;AccountKey=[redacted];'],
    ['SharedAccessKey=Zm9vYmFyMTIz=', 'SharedAccessKey=[redacted]'],
    ['?sv=2022-11-02&sig=Zm9vYmFy%2BMTIzNDU2%3D&se=1', '?sv=2022-11-02&sig=[redacted]&se=1'],
    ['AZURE_CLIENT_SECRET=correct-horse', 'AZURE_CLIENT_SECRET=[redacted]'],
    ['PGPASSWORD=hunter psql -h db', 'PGPASSWORD=[redacted] psql -h db'],
    ['mysql --password hunter22 db', 'mysql --password [redacted] db'],
    ['TWILIO_AUTH_TOKEN=0a1b2c3d4e5f', 'TWILIO_AUTH_TOKEN=[redacted]'],
    ['SECRET_KEY=correct-horse', 'SECRET_KEY=[redacted]'],
    ['SECRET_KEY_BASE=0a1b2c3d4e5f', 'SECRET_KEY_BASE=[redacted]'],
    ['secret_key_base: 0a1b2c3d4e5f', 'secret_key_base: [redacted]'],
    ['"secretKey": "0a1b2c3d4e5f"', '"secretKey": "[redacted]"'],
    [
      's3cmd --access-key 0a1b2c --secret_key=3d4e5f',
      's3cmd --access-key [redacted] --secret_key=[redacted]',
    ],
    [
      `https://api.telegram.org/bot${keys.telegram}/send`,
      'https://api.telegram.org/[redacted]/send',
    ],
    [
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ==\n-----END PGP PRIVATE KEY BLOCK-----',
      '[redacted]',
    ],
  ])('removes the value from %j', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each([
    ['APIKEY=abcd', 'APIKEY=[redacted]'],
    ["ACCESSKEY='abcd'", "ACCESSKEY='[redacted]'"],
    ['PRIVATEKEY="abcd"', 'PRIVATEKEY="[redacted]"'],
    ['SECRETKEY=abcd', 'SECRETKEY=[redacted]'],
    ['token=a1bcde', 'token=[redacted]'],
    ['--token abcde1', '--token [redacted]'],
    ["--apikey='abcde1'", "--apikey='[redacted]'"],
    ['a://b:a@host', 'a://b:[redacted]@host'],
    ['Authorization:Bearer abcdef', 'Authorization:Bearer [redacted]'],
    ['Bearer 0123456789abcdef', 'Bearer [redacted]'],
    ['&X-Amz-Signature=0123456789abcdef', '&X-Amz-Signature=[redacted]'],
    [`bot123456:Zz1${'-'.repeat(27)}`, '[redacted]'],
  ])('removes the shortest value of its kind from %j', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each(Object.entries(keys))(
    'removes a key of the type %s with invisible characters in it',
    (_, key) => {
      for (const hidden of invisible) {
        const split = `${key.slice(0, 3)}${hidden}${key.slice(3, 9)}${hidden}${key.slice(9)}`
        expect(redact(`before ${split} after`)).toBe('before [redacted] after')
      }
    },
  )

  it.each([
    ['encoded in a URL', 'https://a.example/?to=%2F%3Ftoken%3D'],
    ['after a line end of JSON within a text', String.raw`{\"text\":\"first line\n`],
    ['after an escaped character of JSON', String.raw`?token\u003d`],
    ['after an escaped character of a shell', String.raw`printf '\x22`],
    ['after a color whose escape character was removed', 'error: [1;31m'],
  ])('removes a key %s', (_, before) => {
    for (const key of [keys.github, keys.aws, keys.anthropic, keys.pypi, keys.jwt]) {
      expect(redact(`${before}${key} after`)).toBe(`${before}[redacted] after`)
    }
  })

  it('removes a known value with invisible characters in it', () => {
    expect(redact('<corr\u200bect-horse>', ['correct-horse'])).toBe('<[redacted]>')
  })

  it('removes a known value that itself has invisible characters in it', () => {
    const secret = 'corr\u200bect-horse'
    expect(redact(`<${secret}>`, [secret])).toBe('<[redacted]>')
  })

  it.each([' ', '\n'])(
    'truncates a long text before the search, never within a key: %j',
    (space) => {
      const word = `word${space}`
      const text = `${word.repeat(2000)}${keys.github} ${word.repeat(100_000)}`
      for (let max = 2900; max < 3000; max += 1) {
        const start = redactStart(text, max)
        expect(start.length).toBeLessThan(2 * max + 5000)
        expect(start).not.toContain(keys.github.slice(0, 8))
        expect(start.startsWith(word.repeat(max / 5))).toBe(true)
      }
      expect(redactStart(`short ${keys.github}`, 100)).toBe('short [redacted]')
    },
  )

  it('removes known values from the start of a text, and keeps enough of a long word', () => {
    const secrets = ['correct-horse']
    expect(redactStart('a correct-horse', 100, secrets)).toBe('a [redacted]')
    const long = redactStart(`a correct-horse ${'-'.repeat(10_000)}`, 100, secrets)
    expect(long.slice(0, 14)).toBe('a [redacted] -')
    expect(long.length).toBeGreaterThan(100)
  })

  it('leaves a certificate in base64 that is cut or garbled unchanged', () => {
    const garbled = `LS0tLS1CRUdJTi=${'A'.repeat(30)} LS0tLS1CRUdJTi+/=${'=1'.repeat(20)}`
    expect(redact(garbled)).toBe(garbled)
  })

  it('removes the other values if one is not well-formed text', () => {
    expect(redact('a correct-horse', ['half \ud800 pair', 'correct-horse'])).toBe('a [redacted]')
  })

  // `npm run bench` measures whether they take time in proportion to their length.
  it.each(hardTexts)('ends for a text that is hard to search: %j', (_, texts) => {
    for (const text of texts) redact(text(5000), ['some secret'])
  })
})

describe('mayHoldKey', () => {
  const pieces = [
    ...Object.values(keys),
    ...['curl -u a:', 'mysql -p', 'redis-cli', ' AUTH ', 'vault', ' login ', 'echo a | sudo -S'],
    ...[
      'export ',
      '"two words"',
      '$env:',
      ' config set ',
      'machine a login b password ',
      ' is ',
      '\\',
    ],
    ...['Cookie: a=', 'IDENTIFIED BY ', "'", '-H ', 'Server=a;Pwd='],
    ...['password', 'PGPASSWORD', 'TOKEN', 'api_key', '--token', 'Authorization', 'Bearer', '_PWD'],
    ...[
      '-----BEGIN KEY-----',
      'postgres://',
      'u',
      ':',
      '=',
      ' ',
      '@',
      '"',
      'abcd',
      'a1b2c3d4',
      '?sig=',
    ],
  ]
  const cut = fc
    .tuple(fc.constantFrom(...pieces), fc.nat(60))
    .map(([piece, length]) => piece.slice(0, length))
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...pieces), cut), { maxLength: 6 })
    .map((words) => words.join(''))

  it('is true for every text that matches a key pattern', () => {
    const check = (text: string) => {
      const isKey = shapes.some((shape) => isFound(text, shape))
      expect(isKey && !mayHoldKey(text)).toBe(false)
    }
    fc.assert(fc.property(texts, check), { numRuns: runs(5000) })
    for (const key of Object.values(keys)) expect(mayHoldKey(key)).toBe(true)
  })

  it('agrees with the words and the gate of each group of patterns', () => {
    const spaced = fc
      .tuple(texts, fc.constantFrom(' ', '  ', '\t', ' \\\n  '))
      .map(([text, space]) => text.replaceAll(' ', space))
    fc.assert(fc.property(spaced, expectWords), { numRuns: runs(5000) })
  })

  it.each(['', 'Stop', 'api-server: done in 4 min', 'The tests are green.'])(
    'is false for %j',
    (text) => {
      expect(mayHoldKey(text)).toBe(false)
    },
  )
})
