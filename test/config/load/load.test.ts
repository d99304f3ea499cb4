import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { brokenChannels, readyChannels } from '../../../src/config/channels.ts'
import { CurrentConfig } from '../../../src/config/current.ts'
import { storeEnvironment } from '../../../src/config/environment.ts'
import { builtInConfig, loadConfig } from '../../../src/config/load/load.ts'
import { configJsonSchema } from '../../../src/config/schema/json-schema.ts'
import { configSchema } from '../../../src/config/schema/schema.ts'
import { lastChange } from '../../../src/config/stamp.ts'
import { HookbellError } from '../../../src/errors.ts'
import type { Notifier } from '../../../src/notifiers/define.ts'
import { notifiers } from '../../../src/notifiers/index.ts'
import { closest } from '../../../src/text/suggest.ts'
import { shellQuote } from '../../support/shell-quote.ts'

function makeFolder(files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  }
  return folder
}

const withConfig = (text: string, env = {}) =>
  loadConfig(makeFolder({ 'config.json': text }), { env })

function problemOf(text: string): string {
  try {
    withConfig(text)
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error
    const message = error.message.replace(/^.*\/config\.json:/, '')
    return error.hint ? `${message} | ${error.hint}` : message
  }
  return ''
}

const mail = (fields: object) =>
  JSON.stringify({
    type: 'email',
    smtp: 'smtps://mail.example.com',
    from: 'me@example.com',
    to: ['me@example.com'],
    ...fields,
  })

const reference = (name: string) => `\${${name}}`

describe('the configuration', () => {
  it('without a file sends events that need a person to the desktop', () => {
    const { config, source } = loadConfig(makeFolder())
    expect(source).toBe('built-in')
    expect(Object.keys(config.channels)).toEqual(['desktop'])
    expect(config.routes).toEqual([
      { on: ['permission', 'waiting', 'done', 'failed', 'abnormal-end'], to: ['desktop'] },
    ])
    expect(config).toMatchObject({ lingerSeconds: 60, abnormalReasons: ['error', 'other'] })
  })

  it('limits a delivery to half a minute by default', () => {
    expect(builtInConfig().config.deliveryTimeoutSeconds).toBeLessThanOrEqual(30)
  })

  it('may have comments, trailing commas and a byte order mark', () => {
    const { config } = withConfig('\ufeff{ // note\n "lingerSeconds": 5, /* x */ }')
    expect(config.lingerSeconds).toBe(5)
  })

  it.each([
    ['{', '1:2: not JSON: close brace expected'],
    ['{"lingerSeconds": 1 "x": 2}', '1:21: not JSON: comma expected'],
    ['', '1:1: not JSON: the file is empty'],
    ['\uFFFD\uFFFD{\0}\0', '1:1: not JSON: the file is in UTF-16; save it as UTF-8'],
    ["{ 'channels': {} }", '1:3: not JSON: a string needs double quotes'],
    ['channels:\n  team: {}', '1:1: not JSON: it must begin with {'],
    ['[]', '1:1: not a JSON object'],
    [`{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`, '1:505: the nesting is too deep'],
    [
      '{"channels": {"Team": {"type": "desktop"}, "team": {"type": "terminal"}}}',
      '1:44: channels.team: differs from "Team" only in capital letters | Rename one of them',
    ],
    [
      '{"channels": {"Team": {"type": "slack", "url": "${UNSET}"}, "team": {"type": "terminal"}}}',
      '1:15: channels.Team: differs from "team" only in capital letters | Rename one of them',
    ],
    ['{\n  "chanels": {}\n}', '2:3: chanels: unknown key | Did you mean "channels"?'],
    [
      '{"retry": {"maxAtempts": 3}}',
      '1:12: retry.maxAtempts: unknown key | Did you mean "maxAttempts"?',
    ],
    [
      '{"lingerSeconds": "5"}',
      '1:2: lingerSeconds: must be a number, not a string | Write it without quotes',
    ],
    [
      '{"retry": {"maxAttempts": "12"}}',
      '1:12: retry.maxAttempts: must be a number, not a string | Write it without quotes',
    ],
    [
      '{"retry": {"firstDelaySeconds": "-10.25"}}',
      '1:12: retry.firstDelaySeconds: must be a number, not a string | Write it without quotes',
    ],
    ...['5m', 'x5', '$LINGER'].map((text): [string, RegExp] => [
      `{"lingerSeconds": "${text}"}`,
      /^1:2: lingerSeconds: must be a number, not a string \| Meaning: /,
    ]),
    [
      '{"retry": "5"}',
      '1:2: retry: must be an object, not a string | Meaning: When a delivery fails',
    ],
    [
      '{"channels": {"tg": {"type": "telegram", "token": "${UNSET}"}}}',
      /^1:15: channels\.tg\.chat: is missing \| Meaning: Id of the chat/,
    ],
    [
      '{"channels": {"tg": {"chat": [], "type": "telegram", "token": "${UNSET}"}}}',
      /^1:22: channels\.tg\.chat: must be the id of a chat, or the @name of a channel \| Meaning: /,
    ],
    [
      '{"channels": {"team": "${SLACK_WEBHOOK_URL}"}}',
      '1:15: channels.team: must be an object, not a string | Such as { "type": "desktop" }',
    ],
    ['{"type": [{}]}', /^1:2: type: unknown key \| Known: /],
    ['{"channels": {"a": {"type": [{}]}}}', /^1:21: channels\.a\.type: unknown type an array/],
    [
      '{"secrets": {"A": ["/bin/a"]}, "channels": {"a": {"type": {}, "url": "${A}"}}}',
      /^1:51: channels\.a\.type: unknown type an object/,
    ],
    [
      '{"secrets": {"TOKEN": "pass show token"}}',
      '1:14: secrets.TOKEN: must be "keychain", or a command as a list of words: ["op", "read", "..."]',
    ],
    [
      '{"lingerSeconds": -1}',
      '1:2: lingerSeconds: must be at least 0, not -1 | Meaning: How long the worker stays after the last event',
    ],
    [
      '{"deliveryTimeoutSeconds": 0}',
      '1:2: deliveryTimeoutSeconds: must be more than 0, not 0 | Meaning: Time limit of one delivery',
    ],
    ['{"lingerSeconds": 1e999}', /^1:2: lingerSeconds: must be a number, not Infinity/],
    [
      '{"retry": {"maxAttempts": 1.5}}',
      '1:12: retry.maxAttempts: must be a whole number, not 1.5 | Meaning: Attempts per channel before giving up',
    ],
    [
      '{"channels": []}',
      '1:2: channels: must be an object, not an array | Meaning: Destinations by name',
    ],
    [
      '{"channels": {"a": "desktop"}}',
      '1:15: channels.a: must be an object, not a string | Such as { "type": "desktop" }',
    ],
    [
      '{"noise": {"quietHours": {"from": "22:00", "to": "7:00"}}}',
      '1:12: noise.quietHours: must be an array, not an object | Put it in brackets: [{ ... }]',
    ],
    [
      '{"channels": {"a": {"type": "webhook", "url": "https://x.example", "headers": {"A b": "x"}}}}',
      '1:80: channels.a.headers.A b: must be the name of a header',
    ],
    [
      '{"channels": {"a": {"type": "webhook", "url": "https://x.example", "headers": {"Host": "x"}}}}',
      '1:80: channels.a.headers.Host: must be a header that hookbell does not set itself',
    ],
    [
      '{"channels": {"a": {"type": "command", "argv": ["a"], "env": {"A-B": "x"}}}}',
      '1:63: channels.a.env.A-B: must be the name of a variable',
    ],
    [
      '{"channels": {"a": {"type": "telegram", "token": "123456:ABCdefGHIjklMNOpqrSTUvwxYZ012345678", "chat": "mine"}}}',
      /channels\.a\.chat: must be the id of a chat, or the @name of a channel \| Meaning: /,
    ],
    [
      '{"channels": {"a": {"type": "ntfy", "topic": "x", "click": "mine"}}}',
      /channels\.a\.click: must be a URL such as https:.* \| Meaning: /,
    ],
    [
      '{"channels": {"a": {"type": "webhook", "url": "https://x.example", "body": 5}}}',
      '1:68: channels.a.body: must not be 5 | Meaning: Template of the body: an object of templates, sent as JSON, or a text',
    ],
    [
      '{"channels": {"a": {"type": "desktop", "sound": "true"}}}',
      /^1:40: channels\.a\.sound: must be true, false, "asks", or an object with the sounds of kinds/,
    ],
    ['{"channels": {"a": {"type": "desktop", "sound": {"done": "../x"}}}}', /channels\.a\.sound/],
    [
      '{"channels": {"a": {"type": "desktop", "noise": "true"}}}',
      '1:40: channels.a.noise: must be true or false, not a string | Write it without quotes',
    ],
    [
      '{"channels": {"a": {"type": "desktop", "timeoutSeconds": 4000}}}',
      /^1:40: channels\.a\.timeoutSeconds: must be at most 3600, not 4000 \| Meaning: /,
    ],
    [
      `{"channels": {"a": ${mail({ subjectPrefix: 'x'.repeat(60) })}}}`,
      /subjectPrefix: must have at most 50 characters, not 60 \| Meaning: Text before each subject$/,
    ],
    [
      `{"channels": {"a": ${mail({ to: Array(60).fill('me@example.com') })}}}`,
      /a\.to: must have at most 50 entries, not 60 \| Meaning: Addresses of the recipients, also with names$/,
    ],
    [
      '{"routes": ["done"]}',
      /^1:13: routes\.0: must be an object, not a string \| Such as \{ "on"/,
    ],
    ['{"routes": null}', /^1:2: routes: must be an array, not null \| Meaning: /],
    [
      '{"routes": [{"on": "done", "to": ["desktop"]}]}',
      '1:14: routes.0.on: must be an array, not a string | Put it in brackets: ["..."]',
    ],
    [
      '{"routes": [{"on": ["done"], "to": []}]}',
      '1:30: routes.0.to: must not be empty | Meaning: Names of channels',
    ],
    [
      '{"routes": [{"on": ["done"], "to": ["desktop"], "when": {"minSeconds": -1}}]}',
      /when\.minSeconds: must be .* \| Meaning: The turn took at least this long/,
    ],
    [
      '{"routes": [{"on": ["done"], "to": ["desktop"], "when": 5}]}',
      /when: must be an object, .* \| Meaning: All of these hold$/,
    ],
    ['{"journal": {"text": 1}}', /journal\.text: must be .* \| Meaning: (?!Settings)/],
    [
      '{"routes": [{"on": ["done"]}]}',
      '1:13: routes.0.to: is missing | Meaning: Names of channels',
    ],
    [
      '{"routes": [{"on": ["done"], "to": ["desktop"], "steps": [{"to": ["desktop"]}]}]}',
      /^1:49: routes\.0\.steps: cannot be combined with "to": the first step is sent at once/,
    ],
    [
      '{"routes": [{"on": ["done"], "steps": [{"to": ["desktop"]}, {"after": "soon", "to": ["desktop"]}]}]}',
      /^1:62: routes\.0\.steps\.1\.after: must be a duration such as 2m or 1h30m \| Meaning: How long/,
    ],
    [
      '{"routes": [{"on": ["done"], "steps": [{"to": ["desktop"]}, {"after": "25h", "to": ["desktop"]}]}]}',
      /steps\.1\.after: must not be longer than a day/,
    ],
    [
      '{"routes": [{"on": ["done"], "steps": [{"after": "2m", "to": ["desktop"]}, {"to": ["phone"]}]}]}',
      /steps\.1\.after: must be later than the step before it/,
    ],
    [
      '{"routes": [{"on": ["done"], "steps": [{"to": ["desktop"]}, {"after": "2m", "to": ["desktop", "desktop"]}]}]}',
      /steps\.1\.to\.1: "desktop" is in this step already/,
    ],
    [
      '{"routes": [{"on": ["done"], "steps": [{"to": ["desktop"]}, {"after": "2m", "to": ["desktpo"]}]}]}',
      /steps\.1\.to\.0: unknown channel "desktpo" \| Did you mean "desktop"\?/,
    ],
    [
      '{"routes": [{"on": ["done"], "steps": [{"to": ["desktop"]}, {"afer": "2m", "to": ["desktop"]}]}]}',
      /steps\.1\.afer: unknown key.*Did you mean "after"/s,
    ],
    [
      '{"routes": [{"on": ["done"], "to": ["desktop"], "urgency": "high"}]}',
      /urgency: must be "low", "normal" or "critical", not "high" \| Meaning: /,
    ],
    [
      '{"channels": {"a": {"type": "slak", "url": "x"}}}',
      '1:21: channels.a.type: unknown type "slak" | Did you mean "slack"?',
    ],
    ['{"channels": {"a": {}}}', /^1:15: channels\.a\.type: is missing \| Known: command, /],
    [
      '{"channels": {"a": {"type": "slack"}}}',
      '1:15: channels.a.url: is missing | Meaning: URL of a Slack incoming webhook',
    ],
    [
      '{"channels": {"a": {"type": "slack", "urll": "https://x"}}}',
      '1:38: channels.a.urll: unknown key | Did you mean "url"?',
    ],
    [
      '{"channels": {"a": {"type": "slack", "url": "http://example.com/x"}}}',
      /^1:38: channels\.a\.url: must begin with https:\/\/ \(http:\/\/ is allowed only for this machine\) \| /,
    ],
    [
      '{"channels": {"a b": {"type": "desktop"}}}',
      '1:15: channels.a b: must be a name of letters, digits, ".", "_", "-"',
    ],
    [
      '{"routes": [{"on": ["done"], "to": ["desktop", "tean"]}], "channels": {"desktop": {"type": "desktop"}, "team": {"type": "desktop"}}}',
      '1:48: routes.0.to.1: unknown channel "tean" | Did you mean "team"?',
    ],
    [
      '{"digest": {"at": "08:00", "to": ["desktop", "desktpo"]}}',
      '1:46: digest.to.1: unknown channel "desktpo" | Did you mean "desktop"?',
    ],
    [
      '{"routes": [{"on": ["done"], "to": ["tean"]}, {"on": ["done"], "to": ["taem"]}]}',
      /^1:37: routes\.0\.to\.0: unknown channel "tean"/,
    ],
    ['{"lingerSeconds": 1, "lingerSeconds": 2}', '1:22: duplicate key "lingerSeconds"'],
    ['{"channels": {"__proto__": {"type": "desktop"}}}', '1:15: "__proto__" cannot be a name'],
  ])('%j is rejected with the position and the reason', (text, problem) => {
    if (typeof problem === 'string') expect(problemOf(text)).toBe(problem)
    else expect(problemOf(text)).toMatch(problem)
  })

  // Clients have new events with each version, some with names like those of others.
  it.each(['FutureEvent', 'PermissionDenied', 'PreToolUse', '*', 'Stopp', 'dne', 'custom.event'])(
    'accepts %s as an event',
    (word) => {
      expect(problemOf(`{"routes": [{"on": ["${word}"], "to": ["desktop"]}]}`)).toBe('')
    },
  )

  it('cannot modify a prototype', () => {
    expect(problemOf('{"__proto__": {"lingerSeconds": 3}}')).toBe(
      '1:2: "__proto__" cannot be a name',
    )
    expect(problemOf('{"retry": {"constructor": {}}}')).toMatch(/constructor: unknown key/)
    expect(({} as { lingerSeconds?: number }).lingerSeconds).toBeUndefined()
  })

  it.each([null, true, 7, -1.5, '', 'x', [], ['x'], [7], {}, { x: 1 }])(
    'explains in plain words why %j is invalid, for each option',
    (value) => {
      const texts = Object.keys(configSchema.shape).map((name) => ({ [name]: value }))
      const channels = Object.values(notifiers).flatMap(({ name, options }) =>
        Object.keys(options.shape).map((option) => ({ a: { type: name, [option]: value } })),
      )
      const routes = ['on', 'to', 'urgency'].map((name) => [
        { on: ['done'], to: ['desktop'], [name]: value },
      ])
      const retries = Object.keys(builtInConfig().config.retry).map((name) => ({ [name]: value }))
      const all = [
        ...texts,
        ...channels.map((one) => ({ channels: one })),
        ...routes.map((one) => ({ routes: one })),
        ...retries.map((one) => ({ retry: one })),
      ]
      for (const one of all) {
        expect(problemOf(JSON.stringify(one))).not.toMatch(
          /\b(invalid|expected|received|too (small|big)|input|boolean|undefined)\b|[<>]=/i,
        )
      }
    },
  )

  it('never shows a possible secret in an error', () => {
    const secret = 'xoxb-canary-0123456789-0123456789-0123456789'
    const texts = [
      `{"channels": {"a": {"type": "${secret}"}}}`,
      `{"channels": {"a": {"type": "slack", "url": "${secret}"}}}`,
      `{"channels": {"a": {"type": "slack", "url": ["${secret}"]}}}`,
      `{"channels": {"a": {"type": "desktop", "sound": "${secret}"}}}`,
      `{"routes": [{"on": ["done"], "to": ["desktop"], "urgency": "${secret}"}]}`,
    ]
    for (const text of texts) expect(problemOf(text)).not.toMatch(/canary|^$/)
  })
})

describe('a reference to a secret', () => {
  const slack = (url: string) => JSON.stringify({ channels: { team: { type: 'slack', url } } })

  it('is replaced from secrets.env, or else from the variables that the file lists', () => {
    const folder = makeFolder({
      'config.json': JSON.stringify({
        env: ['HOST', 'TOKEN'],
        ...JSON.parse(slack(`https://${reference('HOST')}/x/${reference('TOKEN')}`)),
      }),
      'secrets.env': '# note\nexport TOKEN="from file" \nOTHER=1\n',
    })
    const { config, secrets } = loadConfig(folder, {
      env: { HOST: 'example.com', TOKEN: 'from env' },
    })
    expect(config.channels.team).toMatchObject({ url: 'https://example.com/x/from file' })
    expect(secrets).toContain('from file')
  })

  it('is replaced from secrets.env even if a command is configured for it', () => {
    const text = JSON.stringify({
      secrets: { HOOK: ['/bin/false'], OTHER: ['/bin/false'] },
      channels: {
        team: { type: 'slack', url: reference('HOOK') },
        phone: { type: 'slack', url: reference('OTHER') },
      },
    })
    const url = 'https://example.com/x'
    const folder = makeFolder({ 'config.json': text, 'secrets.env': `HOOK=${url}\n` })
    const { config, sources } = loadConfig(folder, { env: {} })
    expect(config.channels.team).toMatchObject({ url })
    expect(sources).toEqual({ OTHER: ['/bin/false'] })
    expect(config.channels.phone).toMatchObject({ type: 'slack', state: 'waiting' })
  })

  it('is not blamed for a key that does not exist', () => {
    const folder = makeFolder({
      'config.json': slack(reference('HOOK')).replace('"url"', '"urls"'),
      'secrets.env': 'HOOK=https://hooks.slack.com/services/T0/B0/X\n',
    })
    expect(() => loadConfig(folder)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/team\.urls: unknown key$/),
        hint: 'Did you mean "url"?',
      }),
    )
  })

  it('is named in the error if its value is invalid', () => {
    const folder = makeFolder({
      'config.json': slack(reference('HOOK')),
      'secrets.env': 'HOOK=canary.slack.com/services/T0\n',
    })
    expect(() => loadConfig(folder)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /team\.url: must be an https URL \(with the value of \$\{HOOK\}\)$/,
        ),
        hint: 'Set it again: hookbell secrets set HOOK',
      }),
    )
    expect(problemOf(slack('x')).replace(/^1:\d+: /, '')).toMatch(
      /^channels\.team\.url: must be an https URL \|/,
    )
  })

  it('that is set nowhere makes its channel unusable, which stays in the routes', () => {
    const { config } = withConfig(slack(reference('NOPE')))
    expect(brokenChannels(config)).toMatchObject([
      { name: 'team', why: `${reference('NOPE')} not set` },
    ])
    expect(config.routes[0]?.to).toEqual(['team'])
  })

  it('that is set nowhere is named once, however many channels need it', () => {
    const team = { type: 'slack', url: reference('NOPE') }
    const { unset } = withConfig(JSON.stringify({ channels: { team, other: team } }))
    expect(unset).toEqual(['NOPE'])
  })

  it('that is set nowhere leaves the rules of its channel in force', () => {
    const channels = {
      team: { type: 'slack', url: reference('NOPE') },
      log: { type: 'file', path: reference('NOPE'), noise: true, clearance: 'minimal' },
      odd: { type: reference('NOPE') },
    }
    const broken = { state: 'broken', why: '${NOPE} not set' }
    expect(withConfig(JSON.stringify({ channels })).config.channels).toEqual({
      team: { type: 'slack', clearance: 'summary', ...broken },
      log: { type: 'file', noise: true, clearance: 'minimal', ...broken },
      odd: { type: '', clearance: 'minimal', ...broken },
    })
  })

  it.each([
    ['{ "type": "slack", "url": "${NOPE}", "chanel": "#ops" }', 'team.chanel: unknown key'],
    ['{ "type": "slack", "url": "${NOPE}", "noise": "off" }', 'team.noise: must be true or false'],
    ['{ "type": "slak", "url": "${NOPE}" }', 'team.type: unknown type "slak"'],
    [
      '{ "type": "slack", "url": "${NOPE}" }, "a b": { "type": "${NOPE}" }',
      'a b: must be a name of',
    ],
    [mail({ smtp: '${NOPE}', to: ['${NOPE}', 'me'] }), 'team.to.1: must be'],
  ])('that is set nowhere does not hide the mistake in %s', (channel, what) => {
    expect(problemOf(`{ "channels": { "team": ${channel} } }`)).toContain(what)
  })

  it('is not replaced from a variable that the file does not list', () => {
    const { config, unset } = withConfig(slack(reference('URL')), { URL: 'https://evil.example' })
    expect(brokenChannels(config)).toMatchObject([
      { name: 'team', why: `${reference('URL')} not set` },
    ])
    expect(unset).toEqual(['URL'])
  })

  it.each(['constructor', '__proto__', 'toString'])(
    'is not resolved to the object property %s',
    (name) => {
      expect(brokenChannels(withConfig(slack(reference(name))).config)).toHaveLength(1)
    },
  )

  it('is not needed to redact a literal URL and the password in it', () => {
    const smtp = 'smtps://me:p%40ssword@mail.example.com'
    const mail = { type: 'email', smtp, from: 'a@example.com', to: ['b@example.com'] }
    const { secrets } = withConfig(JSON.stringify({ channels: { mail } }))
    expect(secrets).toEqual([smtp, 'p%40ssword', 'p@ssword'])
  })

  it('is not needed to redact the values of secret records and lists', () => {
    const signing = `whsec_${'A1'.repeat(16)}`
    const hook = {
      type: 'webhook',
      url: 'https://example.com/a-long-path',
      headers: { 'X-Key': 'key-of-header-1', Accept: 'application/json' },
      signingSecrets: [signing],
    }
    const { secrets } = withConfig(JSON.stringify({ channels: { hook } }))
    expect(secrets).toEqual([hook.url, '/a-long-path', 'key-of-header-1', signing])
  })

  it('is redacted also if it is used in an option that is not secret', () => {
    const click = `https://example.com/${reference('CLICK')}`
    const text = JSON.stringify({
      env: ['CLICK'],
      channels: { phone: { type: 'ntfy', topic: 'abc', click } },
    })
    expect(withConfig(text, { CLICK: 'from-environment' }).secrets).toEqual(['from-environment'])
  })

  it('is not read from a file that others can read', () => {
    const folder = makeFolder({ 'config.json': '{}', 'secrets.env': 'A=1' })
    for (const mode of [0o644, 0o640, 0o604, 0o660]) {
      chmodSync(join(folder, 'secrets.env'), mode)
      expect(() => loadConfig(folder)).toThrow(/secrets\.env: other users can read it \(mode 06/)
    }
    chmodSync(join(folder, 'secrets.env'), 0o600)
    expect(loadConfig(folder).source).toBe('file')
  })

  it('is read from a file that a link points to', () => {
    const folder = makeFolder({ 'config.json': '{}', real: 'A=secret-value' })
    symlinkSync(join(folder, 'real'), join(folder, 'secrets.env'))
    expect(loadConfig(folder).secrets).toContain('secret-value')
  })
})

describe('the configuration in force', () => {
  function makeCurrent(text?: string) {
    const folder = makeFolder(text === undefined ? {} : { 'config.json': text })
    const state = join(makeFolder(), 'state')
    return { folder, state, current: new CurrentConfig(folder, state) }
  }

  it('is reloaded when the file changes', () => {
    const { folder, current } = makeCurrent('{"lingerSeconds": 1}')
    expect(current.get().config.lingerSeconds).toBe(1)
    expect(current.get()).toBe(current.get())
    writeFileSync(join(folder, 'config.json'), '{"lingerSeconds": 22}')
    expect(current.get().config.lingerSeconds).toBe(22)
  })

  it('is the last good one while the file is broken, even in a new worker', () => {
    const { folder, state, current } = makeCurrent('{"lingerSeconds": 7}')
    current.get()
    writeFileSync(join(folder, 'config.json'), '{"lingerSeconds": 7')
    for (const one of [current, new CurrentConfig(folder, state)]) {
      const { config, source, problem } = one.get()
      expect([config.lingerSeconds, source]).toEqual([7, 'last good'])
      expect(problem?.message).toMatch(/config\.json:1:20: not JSON/)
    }
    writeFileSync(join(folder, 'config.json'), '{"lingerSeconds": 8}')
    expect(current.get()).toMatchObject({ config: { lingerSeconds: 8 }, source: 'file' })
    expect(current.get().problem).toBeUndefined()
  })

  it('gives no warnings while it is the last good one, because their positions are in the copy', () => {
    const routes =
      '"routes": [{ "on": ["done"], "when": { "client": ["cluade"] }, "to": ["desktop"] }]'
    const { folder, state, current } = makeCurrent(`{${routes}}`)
    expect(current.get().warnings).toHaveLength(1)
    writeFileSync(join(folder, 'config.json'), '{')
    for (const one of [current, new CurrentConfig(folder, state)])
      expect(one.get()).toMatchObject({ source: 'last good', warnings: [] })
  })

  it.skipIf(process.platform === 'win32')(
    'makes channels wait for an unreadable secrets.env, instead of reporting missing secrets',
    () => {
      const team = { type: 'slack', url: '${HOOK}' }
      const { folder, state, current } = makeCurrent(JSON.stringify({ channels: { team } }))
      const path = join(folder, 'secrets.env')
      writeFileSync(path, 'HOOK=https://hooks.slack.com/services/x\n', { mode: 0o600 })
      expect(current.get().config.channels).toHaveProperty('team')
      chmodSync(path, 0o644)
      expect(new CurrentConfig(folder, state).get()).toMatchObject({
        ...{ source: 'last good', unset: [] },
        config: { channels: { team: { why: 'waits for secrets.env' } } },
        problem: { hint: expect.stringContaining('chmod 600') },
      })
    },
  )

  it('is the last good one even if a stricter version rejects that too', () => {
    const { folder, state } = makeCurrent('{}')
    const channels = { Team: { type: 'terminal' }, team: { type: 'terminal' } }
    const text = JSON.stringify({ channels, routes: [{ on: ['*'], to: ['Team'] }] })
    mkdirSync(state, { mode: 0o700 })
    // Valid in older versions, in which names of channels could differ only in capital letters.
    for (const path of [join(folder, 'config.json'), join(state, 'last-good-config.json')])
      writeFileSync(path, text)
    const { config, source, problem } = new CurrentConfig(folder, state).get()
    expect([Object.keys(config.channels), source]).toEqual([['Team', 'team'], 'last good'])
    expect(problem?.message).toContain('differs from "Team" only in capital letters')
  })

  // Negative ages: the clock was set back.
  it.each([
    [1999, 2000],
    [-1999, -2000],
  ])(
    'stays in force for two seconds without a file, because an editor may be replacing it',
    (...ages) => {
      const { folder, state } = makeCurrent('{"lingerSeconds": 7}')
      let age = 0
      const current = new CurrentConfig(folder, state, () => lastChange(folder) + age)
      current.get()
      rmSync(join(folder, 'config.json'))
      expect(current.get().config.lingerSeconds).toBe(7)
      writeFileSync(join(folder, 'config.json'), '{"lingerSeconds": 8}')
      expect(current.get().config.lingerSeconds).toBe(8)
      rmSync(join(folder, 'config.json'))
      expect(current.get().config.lingerSeconds).toBe(8)
      age = ages[0]
      expect(current.get().config.lingerSeconds).toBe(8)
      age = ages[1]
      expect(current.get().source).toBe('built-in')
      age = 0
      expect(current.get().source).toBe('built-in')
    },
  )

  it('counts as being saved for two seconds if it is broken', () => {
    const { folder, state } = makeCurrent('{}')
    let age = 0
    const current = new CurrentConfig(folder, state, () => lastChange(folder) + age)
    expect(current.isBeingSaved()).toBe(false)
    writeFileSync(join(folder, 'config.json'), '')
    age = 1999
    expect(current.isBeingSaved()).toBe(true)
    age = 2000
    expect(current.isBeingSaved()).toBe(false)
  })

  it('is the last good one for a worker that starts while an editor replaces the file', () => {
    const { folder, state, current } = makeCurrent('{"lingerSeconds": 7}')
    current.get()
    let age = 0
    const start = () => new CurrentConfig(folder, state, () => lastChange(folder) + age)
    rmSync(join(folder, 'config.json'))
    const started = start()
    expect(started.get()).toMatchObject({ config: { lingerSeconds: 7 }, source: 'last good' })
    expect(started.get()).toBe(started.get())
    expect(started.get().problem).toBeUndefined()
    writeFileSync(join(folder, 'config.json'), '{"lingerSeconds": 8}')
    expect(started.get()).toMatchObject({ config: { lingerSeconds: 8 }, source: 'file' })
    rmSync(join(folder, 'config.json'))
    const other = start()
    expect(other.get().config.lingerSeconds).toBe(8)
    age = 2000
    for (const one of [started, other, start()]) expect(one.get().source).toBe('built-in')
    // After two seconds the removal counts as intended: a later change of the folder does not restore it.
    age = 0
    for (const one of [other, start()]) expect(one.get().source).toBe('built-in')
    writeFileSync(join(folder, 'config.json'), '{')
    for (const one of [started, other, start()]) expect(one.get().source).toBe('built-in')
    // A valid file that returns, for example with its disk, is the last good one again once it is broken.
    writeFileSync(join(folder, 'config.json'), '{"lingerSeconds": 8}')
    start().get()
    writeFileSync(join(folder, 'config.json'), '{')
    expect(start().get()).toMatchObject({ config: { lingerSeconds: 8 }, source: 'last good' })
  })

  it('is read again once its folder is back, for example after its disk was mounted', () => {
    const { folder, state } = makeCurrent('{"lingerSeconds": 7}')
    // Late enough for the validation to be cached.
    const load = () => new CurrentConfig(folder, state, () => lastChange(folder) + 5000).get()
    expect(load().source).toBe('file')
    renameSync(folder, `${folder}.away`)
    expect(load().source).toBe('built-in')
    renameSync(`${folder}.away`, folder)
    expect(load().source).toBe('file')
    writeFileSync(join(folder, 'config.json'), '{')
    expect(load()).toMatchObject({ config: { lingerSeconds: 7 }, source: 'last good' })
  })

  it('is the last good one while its path has a dangling link, for example to an unmounted disk', () => {
    const { folder, state } = makeCurrent()
    mkdirSync(join(folder, 'disk/hookbell'), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'disk/hookbell/config.json'), '{"lingerSeconds": 7}')
    symlinkSync('disk', join(folder, 'link'))
    const load = () =>
      new CurrentConfig(join(folder, 'link/hookbell'), state, () => Date.now() + 5000).get()
    expect(load().source).toBe('file')
    renameSync(join(folder, 'disk'), join(folder, 'away'))
    for (let time = 0; time < 2; time += 1)
      expect(load()).toMatchObject({
        config: { lingerSeconds: 7 },
        source: 'last good',
        problem: { message: `${join(folder, 'link')}: a link to nothing` },
      })
  })

  it('gets secrets from all three sources, also as the last good one in a new worker', async () => {
    const url = 'https://hooks.example.com/services/x'
    const names = ['IN_FILE', 'IN_SHELL', 'PRINTED']
    const channels = names.map((name) => [name, { type: 'slack', url: reference(name) }])
    const secrets = { PRINTED: [process.execPath, '-p', JSON.stringify(url)] }
    const config = { channels: Object.fromEntries(channels), env: ['IN_SHELL'], secrets }
    const { folder, state, current } = makeCurrent(JSON.stringify(config))
    writeFileSync(join(folder, 'secrets.env'), `IN_FILE=${url}\n`, { mode: 0o600 })
    storeEnvironment(state, ['IN_SHELL'], { IN_SHELL: url })
    const usable = async (one: CurrentConfig) => {
      const before = readyChannels(one.get().config)
      expect(await one.fetchSecrets()).toBe(true)
      return [before, readyChannels(one.get().config)]
    }
    expect(await usable(current)).toEqual([names.slice(0, 2), names])
    writeFileSync(join(folder, 'config.json'), '{')
    const later = new CurrentConfig(folder, state)
    expect(later.get().source).toBe('last good')
    expect(await usable(later)).toEqual([names.slice(0, 2), names])
  })

  it('is the built-in one if no good one is known', () => {
    const { current } = makeCurrent('nonsense')
    expect(current.get()).toMatchObject({ source: 'built-in', config: builtInConfig().config })
  })

  it.each([
    ['config.json', 'a folder'],
    ['secrets.env', 'a folder'],
  ])('reports a problem and throws nothing if %s is %s', (name) => {
    const { folder, current } = makeCurrent(name === 'config.json' ? undefined : '{}')
    mkdirSync(join(folder, name), { mode: 0o700 })
    expect(current.get().problem).toBeInstanceOf(HookbellError)
  })

  it('reports no problem any more once the secrets file is private', () => {
    const { folder, current } = makeCurrent('{}')
    writeFileSync(join(folder, 'secrets.env'), 'A=1', { mode: 0o644 })
    expect(current.get().problem?.hint).toBe(
      `Run: chmod 600 ${shellQuote(join(folder, 'secrets.env'))}`,
    )
    chmodSync(join(folder, 'secrets.env'), 0o600)
    expect(current.get().problem).toBeUndefined()
  })

  it('keeps channels without secrets when the secrets file cannot be used', () => {
    const text = '{ "channels": { "audit": { "type": "file", "path": "/tmp/audit.jsonl" } } }'
    const folder = makeFolder({ 'config.json': text, 'secrets.env': 'TOKEN=x' })
    const state = makeFolder()
    new CurrentConfig(folder, state).get()
    chmodSync(join(folder, 'secrets.env'), 0o644)
    const { config, source, problem } = new CurrentConfig(folder, state).get()
    expect([readyChannels(config), source]).toEqual([['audit'], 'last good'])
    expect(problem?.hint).toContain('chmod 600')
  })

  it('keeps the channels that do not use an invalid secret, also in a new worker', () => {
    const channels = {
      audit: { type: 'file', path: '/tmp/audit.jsonl' },
      ...Object.fromEntries(
        ['A', 'B'].map((name) => [name, { type: 'slack', url: reference(name) }]),
      ),
    }
    const good = 'https://hooks.slack.com/services/T0/B0/abc'
    const text = JSON.stringify({ channels })
    const folder = makeFolder({ 'config.json': text, 'secrets.env': `A=${good}\nB=${good}\n` })
    const state = makeFolder()
    new CurrentConfig(folder, state).get()
    writeFileSync(join(folder, 'secrets.env'), `A=${good}\nB=htps://canary\n`)
    const { config, source, problem, secrets } = new CurrentConfig(folder, state).get()
    expect(secrets).toContain('htps://canary')
    expect([readyChannels(config), source]).toEqual([['audit', 'A'], 'last good'])
    expect(brokenChannels(config)).toMatchObject([{ name: 'B', why: '${B} not set' }])
    expect(problem?.message).toMatch(/channels\.B\.url: must be .*\(with the value of \$\{B\}\)$/)
  })

  it('keeps the other channels if several secrets are invalid, also from the environment', () => {
    const names = ['A', 'B', 'C', 'D']
    const channels = Object.fromEntries(
      names.map((name) => [name, { type: 'slack', url: reference(name) }]),
    )
    const good = 'https://hooks.slack.com/services/T0/B0/abc'
    const folder = makeFolder({ 'config.json': JSON.stringify({ channels, env: ['D'] }) })
    const state = makeFolder()
    const load = (values: Readonly<Record<string, string>>) => {
      const lines = ['A', 'B', 'C'].map((name) => `${name}=${values[name] ?? good}\n`)
      writeFileSync(join(folder, 'secrets.env'), lines.join(''), { mode: 0o600 })
      storeEnvironment(state, ['D'], { D: values.D ?? good })
      return new CurrentConfig(folder, state).get()
    }
    expect(Object.keys(load({}).config.channels)).toEqual(names)
    const { config, secrets } = load({ A: 'canary1', B: 'canary2', D: 'canary3' })
    expect(readyChannels(config)).toEqual(['C'])
    expect(Object.keys(config.channels)).toEqual(['C', 'A', 'B', 'D'])
    expect(secrets).toEqual(expect.arrayContaining(['canary1', 'canary2', 'canary3']))
  })

  it('names the command to check if its output is an invalid secret', async () => {
    const folder = makeFolder()
    const file = join(folder, 'value')
    const argv = [process.execPath, '-p', `require('fs').readFileSync(${JSON.stringify(file)})+''`]
    const channels = { team: { type: 'slack', url: reference('HOOK') } }
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ secrets: { HOOK: argv }, channels }),
    )
    writeFileSync(file, 'not logged in')
    const current = new CurrentConfig(folder, makeFolder())
    await current.fetchSecrets()
    expect(current.get().problem?.hint).toBe(
      `Run the command ${process.execPath} yourself, and look`,
    )
  })

  it('reports a folder that cannot be read, and is the built-in one', () => {
    const { folder, state } = makeCurrent('{}')
    const loop = join(folder, 'loop')
    symlinkSync(loop, loop)
    const { problem, source } = new CurrentConfig(loop, state).get()
    expect(problem?.message).toMatch(/loop: a link that leads back to itself$/)
    expect(source).toBe('built-in')
  })

  it('is saved in a private file without literal secrets', () => {
    const { state, current } = makeCurrent(
      JSON.stringify({
        channels: {
          inline: { type: 'slack', url: 'https://hooks.example.com/services/canary' },
          named: { type: 'slack', url: reference('URL') },
          mail: JSON.parse(mail({ smtp: `smtps://me:${reference('PASSWORD')}@mail.example.com` })),
          bad: JSON.parse(mail({ smtp: 'smtps://me:canary@mail.example.com' })),
        },
      }),
    )
    current.get()
    const path = join(state, 'last-good-config.json')
    const text = readFileSync(path, 'utf8')
    expect(text).not.toContain('canary')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(state).mode & 0o777).toBe(0o700)
    const { channels } = JSON.parse(text)
    expect(channels.named.url).toBe(reference('URL'))
    expect(channels.mail.smtp).toBe(`smtps://me:${reference('PASSWORD')}@mail.example.com`)
  })

  it('keeps the other channels if the literal secret of one is in a broken file', () => {
    const { folder, state, current } = makeCurrent(
      JSON.stringify({
        channels: {
          team: { type: 'slack', url: 'https://hooks.example.com/services/canary' },
          audit: { type: 'file', path: '/tmp/audit.jsonl' },
        },
      }),
    )
    current.get()
    writeFileSync(join(folder, 'config.json'), '{')
    const later = new CurrentConfig(folder, state).get()
    expect(later.source).toBe('last good')
    expect(readyChannels(later.config)).toEqual(['audit'])
    expect(brokenChannels(later.config)).toMatchObject([
      { name: 'team', why: 'waits for config.json, which has its secret' },
    ])
    expect(later.config.routes[0]?.to).toEqual(['audit', 'team'])
    // A process that read the secret before the file broke still has it in memory.
    expect(Object.keys(current.get().config.channels)).toEqual(['team', 'audit'])
  })
})

describe('the JSON Schema', () => {
  const schema = configJsonSchema() as {
    $schema: string
    $id?: string
    additionalProperties: boolean
    properties: Record<string, { description: string; additionalProperties: unknown }>
  }

  it('is of draft 2020-12, allows no other keys, and describes every field', () => {
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(schema.additionalProperties).toBe(false)
    expect(schema.$id).toBeUndefined()
    for (const [name, property] of Object.entries(schema.properties)) {
      expect(property.description, name).toBeTruthy()
    }
  })

  it('lists the types, allows references in any text, and requires no option with a default', () => {
    const text = JSON.stringify(schema)
    expect(text).toContain('"const":"slack"')
    expect(text).not.toMatch(/"format":|"secret":/)
    expect(schema).not.toHaveProperty('required')
    expect(JSON.stringify(schema.properties.channels)).toContain('"required":["type","url"]')
  })
})

describe('the suggestion', () => {
  it.each([
    ['chanels', 'channels'],
    ['slak', 'slack'],
    ['Slack', 'slack'],
    ['tema', 'team'],
    ['xyz', undefined],
    ['', undefined],
  ])('for the mistyped word %j is %j', (word, meant) => {
    expect(closest(word, ['channels', 'slack', 'team', 'desktop'])).toBe(meant)
  })
})

describe('the template of a route', () => {
  const config = (template: string) =>
    JSON.stringify({ routes: [{ on: ['done'], to: ['desktop'], template }] })
  const load = (template: string, files: string[]) =>
    loadConfig(
      makeFolder({
        'config.json': config(template),
        ...Object.fromEntries(files.map((name) => [`templates/plain/${name}.liquid`, 'x'])),
      }),
    )

  it('must be one of the plain templates of the user', () => {
    expect(load('short', ['short']).config.routes[0]).toMatchObject({ template: 'short' })
  })

  it.each([
    ['shrot', ['short', 'loud'], 'Did you mean "short"?'],
    ['nothing-like-it', ['short', 'loud'], 'Known: loud, short'],
    ['nothing-like-it', ['short'], 'Known: short'],
    ['short', [], 'Write that file'],
  ])('is rejected if it does not exist: %s of %j', (template, files, hint) => {
    expect(() => load(template, files)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(
          `config.json:1:44: routes.0.template: no template "${template}": there is no templates/plain/${template}.liquid`,
        ),
        hint,
      }),
    )
  })

  it.each(['../secrets', 'a/b', ''])('cannot be the path %j', (template) => {
    expect(() => load(template, [])).toThrow(/routes\.0\.template: must be a name of letters/)
  })

  it('stays in the last good configuration, whose templates may be gone', () => {
    const folder = makeFolder({
      'config.json': config('short'),
      'templates/plain/short.liquid': 'x',
    })
    const state = makeFolder()
    new CurrentConfig(folder, state).get()
    rmSync(join(folder, 'templates'), { recursive: true })
    const { config: kept, source } = new CurrentConfig(folder, state).get()
    expect([kept.routes[0]?.template, source]).toEqual(['short', 'last good'])
  })

  it('is accepted once its file exists, without a change of the configuration', () => {
    const folder = makeFolder({ 'config.json': config('short') })
    const current = new CurrentConfig(folder, makeFolder())
    expect(current.get().problem?.message).toContain('no template "short"')
    mkdirSync(join(folder, 'templates/plain'), { recursive: true })
    writeFileSync(join(folder, 'templates/plain/short.liquid'), 'x')
    expect(current.get().problem).toBeUndefined()
  })
})

describe('the clearance of a channel', () => {
  it('is lower by default if messages leave this machine', () => {
    const leaving = Object.values<Notifier>(notifiers).filter((one) => one.leavesMachine)
    expect(leaving.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['email', 'ntfy', 'slack', 'webhook']),
    )
    const channels = {
      a: { type: 'desktop' },
      b: { type: 'slack', url: 'https://hooks.slack.com/services/x' },
      c: { type: 'webhook', url: 'https://example.com', clearance: 'full' },
      d: { type: 'file', path: '/tmp/x', clearance: 'minimal' },
    }
    const { config } = withConfig(JSON.stringify({ channels }))
    const clearances = Object.values(config.channels).map(({ clearance }) => clearance)
    expect(clearances).toEqual(['full', 'summary', 'full', 'minimal'])
  })

  it('is rejected if it is unknown', () => {
    expect(problemOf('{"channels": {"a": {"type": "desktop", "clearance": "none"}}}')).toMatch(
      /channels\.a\.clearance: must be "full", "summary" or "minimal", not "none"/,
    )
  })
})
