import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { descriptions } from '../../src/commands/index.ts'
import { notifiers } from '../../src/notifiers/index.ts'
import { fullyRead } from '../../src/text/redact/readings.ts'
import { encoders } from '../support/encoders.ts'
import { type Home, makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { runCommand } from '../support/run-command.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0

/** One value for each place that can hold a secret; none has the shape of a known key. */
const canary = (name: string) => `Kanarie${name}q7Zt3`
const names = [
  ...['HOOK', 'DISCORD', 'TEAMS', 'TELEGRAM', 'MAIL', 'NTFY', 'GOTIFY', 'HOOKURL', 'HEADER', 'CMD'],
  ...['OWN', 'FETCHED', 'SHELLVAR'],
]
/** A secret written directly in config.json. */
const INLINE = canary('INLINE')

/** The secrets as they would appear in a URL, in base64 (from any offset) and in hex. */
const forms = [...names.map(canary), INLINE].flatMap((secret) => [
  secret,
  ...[0, 1, 2].map((skip) => Buffer.from(secret).subarray(skip).toString('base64').slice(0, 12)),
  Buffer.from(secret).toString('hex'),
])

/** These run forever, prompt, or need a network. */
const NOT_RUN = ['hook', 'demo', 'emulator', 'worker']

/** Variables that could make a command print more. */
const talkative = {
  DEBUG: '*',
  NODE_DEBUG: 'hookbell',
  SHELLVAR: canary('SHELLVAR'),
  VISUAL: 'true',
}

function channels(url: string, port: string) {
  return {
    team: { type: 'slack', url: `${url}/services/\${HOOK}` },
    chat: { type: 'discord', url: `${url}/api/webhooks/1/\${DISCORD}` },
    work: { type: 'teams', url: `${url}/workflows/1?sig=\${TEAMS}` },
    bot: { type: 'telegram', server: url, token: `1:\${TELEGRAM}`, chat: 1 },
    inline: { type: 'slack', url: `${url}/services/${INLINE}` },
    mail: {
      type: 'email',
      smtp: `smtp://me:\${MAIL}@127.0.0.1:${port}`,
      from: 'a@example.com',
      to: ['b@example.com'],
    },
    phone: { type: 'ntfy', server: url, topic: 'x', token: `\${NTFY}` },
    own: { type: 'gotify', server: url, token: `\${GOTIFY}` },
    hook: { type: 'webhook', url: `${url}/\${HOOKURL}`, headers: { 'X-Key': `\${HEADER}` } },
    run: {
      type: 'command',
      argv: ['sh', '-c', 'echo "$KEY"; echo "$KEY" >&2; exit 1'],
      env: { KEY: `\${CMD}` },
    },
    module: { type: './own.mjs', key: `\${OWN}`, inline: INLINE },
    fetched: { type: 'slack', url: `${url}/services/\${FETCHED}` },
    shell: { type: 'slack', url: `${url}/services/\${SHELLVAR}` },
    log: { type: 'file', path: '~/log.jsonl' },
  }
}

async function makeCanaryHome(script: Parameters<typeof startReceiver>[0]) {
  const { url, received } = await startReceiver(script)
  const home = await makeHome()
  const program = join(home.home, 'fetch.sh')
  // The value is split in two, so that the program file itself does not match.
  writeFileSync(program, `echo 'Kanarie''FETCHED''q7Zt3'`)
  const own = `import { defineNotifier } from 'hookbell'
    import * as z from 'zod'
    export default defineNotifier({ name: 'own', title: 'Own', options: z.strictObject({ key: z.string(), inline: z.string() }),
      async send(_, { key, inline }) { console.log(key); throw new Error(key + inline) } })`
  writeFileSync(join(home.env.HOOKBELL_CONFIG_DIR, 'own.mjs'), own, { mode: 0o644 })
  const config = {
    env: ['SHELLVAR'],
    secrets: { FETCHED: ['sh', program] },
    channels: channels(url, new URL(url).port),
    routes: [{ on: ['*'], to: Object.keys(channels(url, '1')) }],
    retry: { firstDelaySeconds: 0.05, maxDelaySeconds: 0.1, maxAttempts: 2 },
    lingerSeconds: 0,
    deliveryTimeoutSeconds: 1,
  }
  await home.writeConfig(JSON.stringify(config))
  const stored = names.filter((one) => !['FETCHED', 'SHELLVAR'].includes(one))
  const lines = stored.map((name) => `${name}=${canary(name)}\n`)
  writeFileSync(join(home.env.HOOKBELL_CONFIG_DIR, 'secrets.env'), lines.join(''), { mode: 0o600 })
  return { home, received, config }
}

/** These commands start programs of their own. */
const STARTERS = ['worker', 'doctor', 'secrets']

/** Runs a command with verbose settings. With `isAlone` it runs in its own process, traced if it starts programs. */
async function run(home: Home, words: readonly string[], log: string, isAlone = false) {
  const isTraced = hasStrace && (isAlone ? STARTERS : ['worker']).includes(words[0] ?? '')
  const env = { ...home.env, ...talkative }
  if (!isTraced && !isAlone) {
    const { stdout, stderr } = await runCommand(words, { env, cwd: home.project })
    return stdout + stderr
  }
  const command = [process.execPath, join(root, 'bin/hookbell'), ...words]
  const onlyStarts = ['--seccomp-bpf', '-e', 'trace=execve']
  const traced = ['-f', ...onlyStarts, '-qq', '-s', '100000', '-o', log, ...command]
  const [program = '', ...args] = isTraced ? ['strace', ...traced] : command
  const child = spawn(program, args, {
    cwd: home.project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => chunks.push(chunk))
  await new Promise((resolve) => child.once('close', resolve))
  // strace does not print the environment, which belongs to the user anyway.
  const calls = isTraced ? readFileSync(log, 'utf8') : ''
  rmSync(log, { force: true })
  return Buffer.concat(chunks).toString() + calls
}

/** Runs every command: those that start programs, traced in their own processes and a few at a time. */
async function runEverything(home: Home, log: string) {
  const isStarter = ([name = '']: readonly string[]) => STARTERS.includes(name)
  const said: string[] = []
  for (const words of everything.filter((words) => !isStarter(words)))
    said.push(await run(home, words, log))
  const starters = everything.filter(isStarter)
  for (let at = 0; at < starters.length; at += AT_A_TIME) {
    const some = starters.slice(at, at + AT_A_TIME)
    const texts = await Promise.all(
      some.map(async (words, index) => {
        const text = await run(home, words, `${log}.${index}`, true)
        // A secret that the user types as an argument is in the process list already; only output counts.
        return words.includes(canary('HOOK')) ? text.replace(/execve\(.*/g, '') : text
      }),
    )
    said.push(...texts)
  }
  return said
}

/** Every file of the home that holds a secret, except the files in which the user wrote it. */
function filesWithSecret(home: Home): string[] {
  const own = ['config/config.json', 'config/secrets.env', 'state/environment.json']
  return readdirSync(home.home, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => !own.some((name) => path.endsWith(name)))
    .filter((path) => {
      const text = readFileSync(path, 'latin1')
      return forms.some((form) => text.includes(form))
    })
}

const short = [['log', '--json'], ['why', '--json'], ['status'], ['dead', '--json'], ['doctor']]

/** Every command, and the variants that print channels. */
const everything = [
  ...descriptions.filter(([name]) => !NOT_RUN.includes(name)).map(([name]) => [name]),
  ...short,
  ...[
    ['config', 'show', '--json'],
    ['config', 'check'],
    ['config', 'edit'],
    ['secrets', '--json'],
  ],
  ...[
    ['dead', 'retry', '--all'],
    ['worker', '--once'],
    ['secrets', 'set', 'HOOK', canary('HOOK')],
  ],
]

const AT_A_TIME = 4

const found = (text: string) => forms.filter((form) => text.includes(form))

/** A secret in every spelling, each also broken by the end of a line or of something bold. */
function spelled(secret: string): string {
  const whole = Object.values(encoders).map((write) => write(secret))
  const broken = ['\n', '**'].map((between) => secret.slice(0, 9) + between + secret.slice(9))
  return [...whole, ...broken].join(' and ')
}

/** The same as `found`, whatever a receiver, a reader or a program does to the text before it shows it. */
function meant(text: string): string[] {
  const read = fullyRead(text)
  return [read, read.replace(/[\s*]/g, '')].flatMap(found)
}

describe('a secret', () => {
  it('is tested in every option of a notifier that can hold one', () => {
    const options = Object.values(notifiers).flatMap(({ name, options: { shape } }) =>
      Object.entries(shape)
        .filter(([, option]) => z.globalRegistry.get(option)?.secret)
        .map(([option]) => `${name}.${option}`),
    )
    const tested = Object.values(channels('http://127.0.0.1', '1')).flatMap((channel) =>
      Object.keys(channel).map((option) => `${channel.type}.${option}`),
    )
    // A hub has tests of its own; a module has its options beside its type; what signs a message is never sent.
    const others = ['hub.password', 'module.options', 'webhook.signingSecrets']
    expect(options.filter((option) => !tested.includes(option))).toEqual(others)
  })

  it.each<[string, Parameters<typeof startReceiver>[0]]>([
    ['works', { script: [200] }],
    // The server echoes everything it received, as some servers do.
    [
      'fails for good',
      {
        script: [
          ({ path, headers, body }) => ({
            status: 404,
            body: `${path} ${encoders['HTML with names']?.(path)} ${JSON.stringify(headers)} ${body}`,
          }),
        ],
      },
    ],
    [
      'fails for now',
      {
        script: [
          ({ path, headers }) => ({ status: 503, body: `${path} ${JSON.stringify(headers)}` }),
        ],
      },
    ],
    ['breaks off', { script: ['reset'] }],
    [
      'redirects',
      {
        script: [
          ({ path }) => ({ status: 302, headers: { location: `http://127.0.0.1:1${path}` } }),
        ],
      },
    ],
  ])(
    'does not leak to output, files or child processes when the receiver %s',
    async (what, script) => {
      const { home, config, received } = await makeCanaryHome(script)
      const log = join(home.home, 'calls.strace')
      const said: string[] = [await run(home, ['test', 'team'], log)]
      if (what === 'works') {
        const set = await home.runWith(canary('HOOK'), 'secrets', 'set', 'HOOK')
        said.push(set.stdout + set.stderr)
      }
      home.accept({
        hook_event_name: 'Stop',
        last_assistant_message: `it is ${canary('HOOK')} or ${spelled(canary('HOOK'))}`,
        session_id: 's1',
      })
      said.push(await run(home, ['worker'], log))
      for (const name of Object.keys(config.channels))
        said.push(await run(home, ['test', name], log))
      if (what === 'works') said.push(...(await runEverything(home, log)))
      else for (const words of short) said.push(await run(home, words, log))
      expect(said.flatMap(found)).toEqual([])
      expect(filesWithSecret(home)).toEqual([])
      // What arrived was rendered, recorded and sent without them.
      const journal = readFileSync(join(home.env.HOOKBELL_STATE_DIR, 'journal.jsonl'), 'utf8')
      expect([journal, ...received.map(({ body }) => body)].flatMap(meant)).toEqual([])
      // The secrets were in use the whole time.
      expect(received.some(({ path }) => path.includes(canary('FETCHED')))).toBe(true)
      expect(received.some(({ path }) => path.includes(canary('SHELLVAR')))).toBe(true)
    },
  )

  // The error location must be shown without the value at that location.
  it.each<[string, (config: Config) => string]>([
    ['a URL', (config) => JSON.stringify(withChannel(config, { type: 'slack', url: INLINE }))],
    ['a list', (config) => JSON.stringify(withChannel(config, { type: 'slack', url: [INLINE] }))],
    ['its end', (config) => JSON.stringify(config).slice(0, -1)],
    ['a number', (config) => JSON.stringify({ ...config, lingerSeconds: 'x' })],
  ])('does not leak when the configuration has an error in %s', async (_, breakIt) => {
    const { home, config } = await makeCanaryHome({ script: [200] })
    const log = join(home.home, 'calls.strace')
    await home.writeConfig(breakIt(config))
    const looks = [['status'], ['config'], ['config', 'check'], ['doctor'], ['test', 'team']]
    const said: string[] = []
    for (const words of looks) said.push(await run(home, words, log))
    home.accept({ hook_event_name: 'Stop', session_id: 's1' })
    said.push(await run(home, ['worker', '--once'], log))
    expect(said.flatMap(found)).toEqual([])
    expect(filesWithSecret(home)).toEqual([])
  })
})

type Config = Awaited<ReturnType<typeof makeCanaryHome>>['config']

function withChannel(config: Config, x: object) {
  return { ...config, channels: { ...config.channels, x } }
}
