import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { type Home, makeHome, root } from '../support/home.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { runAlone } from '../support/run-command.ts'
import { shellQuote } from '../support/shell-quote.ts'

const CANARY = 'canary-4711-secret'

describe('hookbell config show', () => {
  it('shows the source of each value and no secret', async () => {
    const home = await makeHome()
    await home.writeConfig(`{
      "channels": {
        "team": { "type": "slack", "url": "https://hooks.slack.com/services/${CANARY}" },
        "phone": { "type": "ntfy", "topic": "x", "token": "\${NTFY}" },
        "late": { "type": "ntfy", "topic": "x", "token": "\${NOPE}" }
      },
      "noise": { "minSeconds": 60 }
    }`)
    await home.runWith(`${CANARY}2`, 'secrets', 'set', 'NTFY')
    const { stdout } = await home.run('config')
    expect(stdout).toMatch(/channels\.team\.url +line 3 +"\[redacted\]"/)
    expect(stdout).toMatch(/channels\.phone\.token +line 4 +"\$\{NTFY\}"/)
    expect(stdout).toMatch(/channels\.late\.token +line 5 +"\$\{NOPE\}"/)
    expect(stdout).toMatch(/channels\.phone\.replace +default +false/)
    expect(stdout).toMatch(/channels\.late\.clearance +default +"summary"/)
    expect(stdout.match(/^channels.*"\[redacted\]"/gm)).toHaveLength(1)
    expect(stdout).not.toMatch(/^waiting/m)
    expect(stdout).toMatch(/noise\.minSeconds +line 7 +60/)
    expect(stdout).toMatch(/noise\.burstSeconds +default +2/)
    expect(stdout).toContain(', by HOOKBELL_CONFIG_DIR')
    const json = await home.run('config', 'show', '--json')
    expect(stdout + json.stdout).not.toContain('canary')
    expect(JSON.parse(json.stdout).settings).toContainEqual({
      setting: 'noise.minSeconds',
      value: 60,
      from: 'line 7',
    })
  })

  it('shows that an option with secrets is empty', async () => {
    const home = await makeHome({
      channels: {
        hook: { type: 'webhook', url: '${HOOK}' },
        ring: { type: 'command', argv: ['a'] },
      },
    })
    await home.runWith('https://example.com', 'secrets', 'set', 'HOOK')
    const { stdout } = await home.run('config')
    expect(stdout).toMatch(/channels\.hook\.headers +default +\{\}/)
    expect(stdout).toMatch(/channels\.hook\.signingSecrets +default +\[\]/)
    expect(stdout).toMatch(/channels\.ring\.env +default +\{\}/)
  })

  it('says that a relative HOOKBELL_CONFIG_DIR has no effect', async () => {
    const home = await makeHome()
    const env = { ...home.env, HOOKBELL_CONFIG_DIR: 'config' }
    const words = [join(root, 'bin/hookbell'), 'config']
    const { stdout } = await execa(process.execPath, words, { env, extendEnv: false })
    expect(stdout.split('\n')[0]).toMatch(
      /config\.json \(built-in settings\), because HOOKBELL_CONFIG_DIR is not an absolute path$/,
    )
  })

  it('shows the defaults in use for a broken file and exits with 1', async () => {
    const home = await makeHome()
    await home.writeConfig('{ "chanels": {} }')
    const { stdout, exitCode } = await home.run('config')
    expect(stdout).toContain('config.json:1:3: chanels: unknown key')
    expect(stdout).toMatch(/channels\.desktop\.type +default +"desktop"/)
    expect(exitCode).toBe(1)
  })
})

describe('hookbell config check', () => {
  it.skipIf(process.getuid?.() !== 0).each([
    ['file', 54321, 0o000, 'chmod u+rwX'],
    ['file', 0, 0o600, 'sudo chown -R 54321'],
    ['folder', 54321, 0o000, 'chmod u+rwX'],
    ['folder', 0, 0o700, 'sudo chown -R 54321'],
  ])(
    'says how to reach secrets that it may not read: %s of user %d, mode %o',
    async (kind, owner, mode, command) => {
      const home = await makeHome({})
      const secrets = join(home.home, 'config/secrets.env')
      writeFileSync(secrets, 'TOPIC=x', { mode: 0o600 })
      await execa('chown', ['-R', '54321', home.home])
      const path = kind === 'file' ? secrets : join(home.home, 'config')
      chownSync(path, owner, owner)
      chmodSync(path, mode)
      const user = ['--reuid', '54321', '--regid', '54321', '--clear-groups', process.execPath]
      const check = [...user, join(root, 'bin/hookbell'), 'config', 'check']
      const run = () => execa('setpriv', check, { env: home.env, reject: false })
      const { stderr, exitCode } = await run()
      expect(stderr).toMatch(/config(\/secrets\.env|\.json): EACCES/)
      const [advice = ''] = /(?<=run: (sudo )?)ch.*/i.exec(stderr) ?? []
      expect(stderr).toContain(command)
      expect(exitCode).toBe(78)
      await execa('sh', ['-c', advice])
      expect((await run()).stderr).not.toContain('EACCES')
    },
  )

  it.skipIf(process.getuid?.() !== 0)(
    'does not advise to take over a file of another user',
    async () => {
      const home = await makeHome({})
      await execa('chown', ['-R', '54321', home.home])
      const folder = await makeFolder()
      writeFileSync(join(folder, 'other.json'), '{}')
      chmodSync(folder, 0o700)
      const user = ['--reuid', '54321', '--regid', '54321', '--clear-groups', process.execPath]
      const words = [join(root, 'bin/hookbell'), 'config', 'check', join(folder, 'other.json')]
      const options = { env: home.env, reject: false } as const
      const { stderr, exitCode } = await execa('setpriv', [...user, ...words], options)
      expect(stderr).toMatch(
        /other\.json: EACCES.*\n {2}Check its owner and mode, and those of its folder$/,
      )
      expect(exitCode).toBe(78)
    },
  )

  it.each<[string, string, string, number]>([
    ['{ "chanels": {} }', 'config.json:1:3: chanels: unknown key', 'Did you mean "channels"?', 78],
    [
      '{\n  "routes": [{ "on": ["dne"], "to": ["desktop"] }]\n}',
      'config.json:2:23: routes.0.on.0: no known event or kind is called "dne"',
      'did you mean "done"?',
      1,
    ],
    ['{ "channels": ', 'config.json:1:15: not JSON', '', 78],
    ['{}', 'ok', '', 0],
    [
      `{ "channels": { "a": { "type": "ntfy", "topic": "\${NOPE}" } } }`,
      'channel a: ${NOPE} not set. Set it: hookbell secrets set NOPE',
      ': 1 channel, 1 route',
      1,
    ],
    [
      `{ "channels": { "a": { "type": "slack", "url": "https://x.slack.com/canary" } } }`,
      'config.json:1:41: channels.a.url: not the URL',
      '',
      1,
    ],
    [
      '{ "channels": { "a": { "type": "file", "path": "~/a" } }, "routes": [] }',
      '! no route leads to a channel: nobody is notified',
      '',
      1,
    ],
    ['{ "channels": {} }', '! no route leads to a channel: nobody is notified', '', 1],
    [
      '{ "hub": { "url": "redis://m@hub.example:6380", "channels": ["team"] } }',
      '! hub: url must begin with rediss://',
      '',
      1,
    ],
    ['{ "hub": { "url": "redis://m@localhost:6380", "channels": ["team"] } }', 'ok', '', 0],
    ['{ "extraCaFile": "ca.pem" }', 'extraCaFile: must be absolute or begin with ~/', '', 78],
    ['{ "extraCaFile": "~/ca.pem" }', '! extraCaFile: no file /', '/ca.pem', 1],
    ['{ "extraCaFile": "/dev/null" }', '! extraCaFile: no certificate in /dev/null', '', 1],
    [
      '{ "channels": { "a": { "type": "slack", "url": "${A}" } }, "secrets": { "A": ["false"] } }',
      'config.json: 1 channel, 1 route',
      '',
      0,
    ],
  ])('reports for %s: %s', async (text, message, hint, status) => {
    const home = await makeHome()
    await home.writeConfig(text)
    const { stdout, stderr, exitCode } = await home.run('config', 'check')
    expect(stdout + stderr).toContain(message)
    expect(stdout + stderr).toContain(hint)
    expect(stdout + stderr).not.toContain('canary')
    expect(exitCode).toBe(status)
  })

  it('names a command that works where hookbell is not on the PATH', async () => {
    const home = await makeHome({ channels: { a: { type: 'ntfy', topic: '${NOPE}' } } })
    const options = { env: { ...home.env, PATH: '/nowhere' }, cwd: root }
    const { stdout } = await runAlone(['config', 'check'], options)
    expect(stdout).toContain('Set it: node bin/hookbell secrets set NOPE')
  })

  it('names the secret that is set and was probably meant, unless another channel uses it', async () => {
    const ntfy = (topic: string) => ({ type: 'ntfy', topic })
    const home = await makeHome({ channels: { a: ntfy('${NTFY_TOPIK}') } })
    writeFileSync(join(home.env.HOOKBELL_CONFIG_DIR, 'secrets.env'), 'NTFY_TOPIC=x\n', {
      mode: 0o600,
    })
    const check = async () => (await home.run('config', 'check')).stdout
    expect(await check()).toContain(
      'hookbell secrets set NTFY_TOPIK. Or did you mean ${NTFY_TOPIC}, which is set?',
    )
    await home.writeConfig(
      JSON.stringify({ channels: { a: ntfy('${NTFY_TOPIK}'), b: ntfy('${NTFY_TOPIC}') } }),
    )
    expect(await check()).toMatch(/hookbell secrets set NTFY_TOPIK$/m)
  })

  it('reports all faults, in the order of the file', async () => {
    const home = await makeHome()
    await home.writeConfig(`{
      "channels": { "a": { "type": "ntfy", "topik": "x" }, "b": { "type": "slak" } },
      "noise": { "minSecond": 3, "off": ["shortturns"] },
      "lingerSeconds": "9",
      "lingerSecond": 9
    }`)
    const { stderr, exitCode } = await home.run('config', 'check')
    expect(stderr.replaceAll(/^x .*config\.json:/gm, 'x ').split('\n')).toEqual([
      'x 2:44: channels.a.topik: unknown key',
      '  Did you mean "topic"?',
      'x 2:67: channels.b.type: unknown type "slak"',
      '  Did you mean "slack"?',
      'x 3:18: noise.minSecond: unknown key',
      '  Did you mean "minSeconds"?',
      expect.stringMatching(/^x 3:42: noise\.off\.0: must be "repeats", .*, not "shortturns"$/),
      '  Did you mean "short-turns"?',
      'x 4:7: lingerSeconds: must be a number, not a string',
      '  Write it without quotes',
      'x 5:7: lingerSecond: unknown key',
      '  Did you mean "lingerSeconds"?',
      ...(stderr.endsWith('\n') ? [''] : []),
    ])
    expect(exitCode).toBe(78)
    const status = (await home.run('status')).stdout
    expect(status).toMatch(/topik: unknown key .*\. Did you mean "topic"\? 5 more faults: /)
    expect(status).toContain('5 more faults: hookbell config check')
  })

  it('reports all unknown channels of routes', async () => {
    const home = await makeHome()
    const routes = [
      { on: ['permision'], to: ['desk', 'tem'] },
      { on: ['done'], steps: [{ to: ['deks'] }] },
    ]
    const channels = { desk: { type: 'desktop' }, team: { type: 'terminal' } }
    await home.writeConfig(JSON.stringify({ channels, routes, digest: { at: '9:00', to: ['x'] } }))
    const { stderr } = await home.run('config', 'check')
    const places = [...stderr.matchAll(/: ((?:routes|digest)\.\S+): /g)].map(([, place]) => place)
    expect(places).toEqual([...['routes.0.to.1', 'routes.1.steps.0.to.0', 'digest.to.0']])
  })

  it('reports unknown channels of the valid routes beside other faults', async () => {
    const home = await makeHome()
    const routes = [{ to: ['tem'] }, { on: ['permision'], to: ['desk', 'tem'] }, 'no route']
    const digest = { at: '9:00', to: ['x'] }
    const noise = { minSecond: 1 }
    const placesIn = async (config: object) => {
      await home.writeConfig(JSON.stringify(config))
      const { stderr } = await home.run('config', 'check')
      return [...stderr.matchAll(/json:\S+: (\S+): /g)].map(([, place]) => place)
    }
    const channels = { desk: { type: 'desktop' }, team: { type: 'terminl' } }
    expect(await placesIn({ channels, routes, digest, noise })).toEqual([
      ...['channels.team.type', 'routes.0.on', 'routes.1.to.1', 'routes.2'],
      ...['digest.to.0', 'noise.minSecond'],
    ])
    // Their names are not known, so none of the routes can be said to be wrong.
    expect(await placesIn({ chanels: channels, digest })).toEqual(['chanels'])
    expect(await placesIn({ channels: 'desk', digest })).toEqual(['channels'])
  })

  it('names a file config.jsonc, which is not read', async () => {
    const home = await makeHome()
    expect((await home.run('config', 'check')).exitCode).toBe(0)
    const path = join(home.env.HOOKBELL_CONFIG_DIR, 'config.jsonc')
    writeFileSync(path, '{}')
    const { stdout, exitCode } = await home.run('config', 'check')
    expect(stdout).toContain(`! ${path}: is not read; rename it to config.json`)
    expect(exitCode).toBe(1)
    expect((await home.run('status')).stdout).toContain(`x ${path}: is not read`)
  })

  it('finds faults in the template of a body, as doctor does', async () => {
    const home = await makeHome()
    const url = 'https://example.org/hook'
    const faulty = { text: '{{ title', more: ['{{ titel }}', '{{ body | default: title }}'] }
    const path = join(home.env.HOOKBELL_CONFIG_DIR, 'config.json')
    const write = (body: object) => {
      const channels = { gate: { type: 'webhook', url, body } }
      writeFileSync(path, JSON.stringify({ channels, routes: [{ on: ['*'], to: ['gate'] }] }))
    }
    write({ text: '{{ title }}' })
    expect((await home.run('config', 'check')).exitCode).toBe(0)
    write(faulty)
    const { stdout, exitCode } = await home.run('config', 'check')
    expect(stdout).toMatch(/! channel gate: body: .*not closed, line:1, col:1\n/)
    expect(stdout).toContain(
      '! channel gate: body: no value is called "titel". Did you mean "title"?',
    )
    expect(stdout.match(/body: /g)).toHaveLength(2)
    expect(exitCode).toBe(1)
    expect((await home.run('doctor')).stdout).toContain('templates: channel gate: body: ')
  })

  it('rejects another file that names a template which does not exist', async () => {
    const home = await makeHome()
    writeFileSync(join(home.project, 'other.json'), misspelt)
    const { stderr, exitCode } = await home.run('config', 'check', 'other.json')
    expect(stderr).toContain('routes.0.template: no template "shrt"')
    expect(exitCode).toBe(78)
  })

  it('checks another file and reports a missing one', async () => {
    const home = await makeHome()
    writeFileSync(join(home.project, 'other.json'), '{ "lingerSeconds": -1 }')
    const other = await home.run('config', 'check', 'other.json')
    expect(other.stderr).toMatch(/api-server\/other\.json:1:3: lingerSeconds: must be at least 0/)
    const none = await home.run('config', 'check', 'none.json')
    expect(none.stderr).toContain('none.json: there is no such file')
    expect(none.exitCode).toBe(78)
  })
})

const misspelt = JSON.stringify({
  channels: { audit: { type: 'file', path: '~/audit.jsonl' } },
  routes: [{ on: ['done'], to: ['audit'], template: 'shrt' }],
})

describe('hookbell config schema', () => {
  it('prints the schema file of the package', async () => {
    const home = await makeHome()
    const { stdout } = await home.run('config', 'schema')
    const { default: schema } = await import('../../config.schema.json', { with: { type: 'json' } })
    expect(JSON.parse(stdout)).toEqual(schema)
  })
})

describe('hookbell config edit', () => {
  const edit = (home: Home, code: string, more: Record<string, string> = {}) =>
    execa(process.execPath, [join(root, 'bin/hookbell'), 'config', 'edit'], {
      env: { ...home.env, VISUAL: `"${process.execPath}" -e ${shellQuote(code)}`, ...more },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })
  const writing = (text: string) =>
    `require("fs").writeFileSync(process.argv[1], ${JSON.stringify(text)})`

  it('creates the first file with mode 0600', async () => {
    const home = await makeHome()
    const { stdout } = await edit(home, writing('{ "lingerSeconds": 5 }'))
    expect(stdout).toBe(`Saved: ${home.env.HOOKBELL_CONFIG_DIR}/config.json`)
    expect(home.read('config/config.json')).toBe('{ "lingerSeconds": 5 }')
    expect(statSync(join(home.home, 'config/config.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(home.home, 'config'))).toEqual(['config.json'])
  })

  it('keeps the working file when the edited one is invalid', async () => {
    const home = await makeHome({ lingerSeconds: 1 })
    const { stdout, stderr, exitCode } = await edit(home, writing('{ "lingerSecond": 5 }'))
    expect(stderr).toContain('lingerSecond: unknown key')
    expect(stdout).toBe('The configuration is as it was')
    expect(exitCode).toBe(78)
    expect(home.read('config/config.json')).toBe('{"lingerSeconds":1}')
    expect(readdirSync(join(home.home, 'config'))).toEqual(['config.json'])
  })

  it('keeps the working file when the edited one names a template which does not exist', async () => {
    const home = await makeHome({ lingerSeconds: 1 })
    const { stderr, exitCode } = await edit(home, writing(misspelt))
    expect(stderr).toContain('routes.0.template: no template "shrt"')
    expect(exitCode).toBe(78)
    expect(home.read('config/config.json')).toBe('{"lingerSeconds":1}')
  })

  it('creates no file if the editor was left without a change', async () => {
    const home = await makeHome()
    expect((await edit(home, '')).stdout).toBe('Nothing was changed')
    expect(readdirSync(join(home.home, 'config'))).toEqual([])
  })

  it.skipIf(!hasPty)('opens vi in a terminal if EDITOR is set but empty', async () => {
    const home = await makeHome({})
    const bin = join(home.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'vi'), '#!/bin/sh\necho "vi opens ${1##*/}"\n', { mode: 0o755 })
    const program = [process.execPath, join(root, 'bin/hookbell'), 'config', 'edit']
    const PATH = `${bin}:${process.env.PATH}`
    const env = { ...(home.env as Record<string, string>), VISUAL: '', EDITOR: '', PATH }
    const command = `sh -c ${shellQuote(`${program.map(shellQuote).join(' ')}; sleep 1000`)}`
    const { received } = await startPty({ command, env })
    await expect.poll(received).toMatch(/vi opens config\.json\r\nNothing was changed/)
  })

  it('starts no editor without a terminal if none is set', async () => {
    const home = await makeHome({})
    const { stderr, exitCode } = await edit(home, '', { VISUAL: '', EDITOR: '' })
    expect(stderr).toContain('there is no terminal, and neither VISUAL nor EDITOR is set')
    expect(stderr).toContain('hookbell config check')
    expect(exitCode).toBe(64)
  })

  it('does not overwrite a file that was changed in the meantime', async () => {
    const home = await makeHome({ lingerSeconds: 1 })
    const path = join(home.home, 'config/config.json')
    const code = `${writing('{ "lingerSeconds": 5 }')};require("fs").writeFileSync(${JSON.stringify(path)}, "{}")`
    const { stderr } = await edit(home, code)
    expect(stderr).toContain('was changed meanwhile')
    expect(home.read('config/config.json')).toBe('{}')
  })

  it('keeps the working file when the editor deletes its temporary copy', async () => {
    const home = await makeHome({ lingerSeconds: 1 })
    const { stderr, exitCode } = await edit(home, 'require("fs").unlinkSync(process.argv[1])')
    expect({ stderr, exitCode }).toEqual({
      stderr: 'x the editor left no file that can be read\n  The configuration is as it was',
      exitCode: 1,
    })
    expect(home.read('config/config.json')).toBe('{"lingerSeconds":1}')
    expect(readdirSync(join(home.home, 'config'))).toEqual(['config.json'])
  })

  it('keeps a byte order mark, also if the editor writes one of its own', async () => {
    const home = await makeHome()
    await home.writeConfig('\uFEFF{}')
    const { stdout } = await edit(home, writing('\uFEFF{ "lingerSeconds": 5 }'))
    expect(stdout).toContain('Saved: ')
    expect(home.read('config/config.json')).toBe('\uFEFF{ "lingerSeconds": 5 }')
  })

  it('keeps a symbolic link a symbolic link', async () => {
    const home = await makeHome({ lingerSeconds: 1 })
    const path = join(home.home, 'config/config.json')
    renameSync(path, join(home.home, 'dotfile.json'))
    symlinkSync('../dotfile.json', path)
    await edit(home, writing('{ "lingerSeconds": 5 }'))
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(home.read('dotfile.json')).toBe('{ "lingerSeconds": 5 }')
  })

  it('runs the editor without a shell and reports how it ended', async () => {
    const home = await makeHome({})
    const canary = join(home.home, 'canary')
    const failed = await edit(home, 'process.exit(3)')
    expect(failed.stderr).toMatch(/ended with status 3\n.*The configuration is as it was/)
    const shell = await edit(home, '', { VISUAL: `true; touch ${shellQuote(canary)}` })
    expect(shell.exitCode).toBe(1)
    expect((await edit(home, '', { VISUAL: '"open' })).exitCode).toBe(64)
    expect((await edit(home, '', { VISUAL: '/no/such/editor' })).stderr).toContain('ENOENT')
    expect((await edit(home, '', { VISUAL: '', EDITOR: 'true' })).stdout).toBe(
      'Nothing was changed',
    )
    expect(existsSync(canary)).toBe(false)
  })
})
