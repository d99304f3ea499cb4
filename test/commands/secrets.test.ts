import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { startReceiver } from '../support/receiver.ts'
import { shellQuote } from '../support/shell-quote.ts'

const CANARY = 'T0canary/B0canary'

const team = (url: string) => ({ type: 'slack', url })

describe('hookbell secrets', () => {
  it('loses none of several secrets that are set at the same time', async () => {
    const home = await makeHome()
    const names = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => `TOKEN_${letter}`)
    await Promise.all(names.map((name) => home.runWith(`of ${name}\n`, 'secrets', 'set', name)))
    const lines = home.read('config/secrets.env').trim().split('\n')
    expect(lines.sort()).toEqual(names.map((name) => `${name}=of ${name}`))
    expect(readdirSync(home.env.HOOKBELL_CONFIG_DIR)).toEqual(['secrets.env'])
  })

  it('sets a secret from stdin, lists names without values, and removes it', async () => {
    const home = await makeHome({
      channels: { team: team(`https://hooks.slack.com/services/\${HOOK}`) },
    })
    expect((await home.run('secrets')).stdout).toBe('HOOK  not set  for team')
    const set = await home.runWith(`${CANARY}\n`, 'secrets', 'set', 'HOOK')
    expect(set.stdout).toBe(`HOOK is set in ${home.env.HOOKBELL_CONFIG_DIR}/secrets.env`)
    expect(home.read('config/secrets.env')).toBe(`HOOK=${CANARY}\n`)
    expect(statSync(join(home.home, 'config/secrets.env')).mode & 0o777).toBe(0o600)
    const listed = await home.run('secrets', 'list', '--json')
    expect(JSON.parse(listed.stdout)).toEqual([
      { name: 'HOOK', from: 'secrets.env', usedBy: ['team'] },
    ])
    expect((await home.run('secrets', 'unset', 'HOOK')).stdout).toMatch(/^HOOK is removed from /)
    expect((await home.run('secrets', 'unset', 'HOOK')).stdout).toBe('HOOK was not set')
    expect(home.read('config/secrets.env')).toBe('')
  })

  it('says that no channel refers to the name, and which one it may have meant', async () => {
    const home = await makeHome({ channels: { team: team('${SLACK_WEBHOOK_URL}') } })
    const { stdout } = await home.runWith(CANARY, 'secrets', 'set', 'SLACK_WEBHOK_URL')
    expect(stdout.split('\n')[1]).toBe(
      'No channel refers to ${SLACK_WEBHOK_URL} yet. Did you mean "SLACK_WEBHOOK_URL"?',
    )
    expect(stdout).not.toContain(CANARY)
  })

  it('says that the channel cannot use the value, without repeating the value', async () => {
    const home = await makeHome({ channels: { team: team('${HOOK}') } })
    const { stdout, stderr, exitCode } = await home.runWith(CANARY, 'secrets', 'set', 'HOOK')
    expect(stdout).toMatch(/^HOOK is set in /)
    expect(stderr).toMatch(/team\.url: must be an https URL \(with the value of \$\{HOOK\}\)\n/)
    expect(stdout + stderr).not.toContain('canary')
    expect(exitCode).toBe(78)
    // The fault of HOOK is older than this command, so it is not reported again.
    const other = await home.runWith('x', 'secrets', 'set', 'OTHER')
    expect(other).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it.each([
    [['set', 'HOOK', CANARY], /no secret is taken from the command line/],
    [['set', `HOOK=${CANARY}`], /not a name/],
    [['set', '__proto__'], /not a name/],
    [['set'], /which name\?/],
    [['put', 'HOOK'], /unknown action "put"/],
  ])('rejects %j without repeating the value', async (words, message) => {
    const home = await makeHome()
    const { stdout, stderr, exitCode } = await home.runWith('x', 'secrets', ...words)
    expect(stderr).toMatch(message)
    expect(stdout + stderr).not.toContain('canary')
    expect(exitCode).toBe(64)
  })

  it('says that the configuration is broken, instead of where a secret is used', async () => {
    const home = await makeHome()
    await home.writeConfig('{"channels": {"team": {"type": "slack", "url": "${HOOK}"}}')
    writeFileSync(join(home.home, 'config/secrets.env'), 'HOOK=x\n', { mode: 0o600 })
    const { stdout, stderr, exitCode } = await home.run('secrets')
    expect(stdout.trim()).toBe('HOOK  secrets.env')
    expect(stderr).toMatch(/config\.json:1:\d+: not JSON/)
    expect(exitCode).toBe(78)
  })

  it('does not call a secret unused because the last good configuration lacks it', async () => {
    const home = await makeHome({})
    await home.run('config')
    const missing = join(home.env.HOOKBELL_STATE_DIR, 'last-good-config.json')
    expect(existsSync(missing)).toBe(true)
    await home.writeConfig('{"channels": {"team": {"type": "slack", "url": "${HOOK}"}}}')
    writeFileSync(join(home.home, 'config/secrets.env'), 'HOOK=x\n', { mode: 0o600 })
    const { stdout } = await home.run('secrets')
    expect(stdout.trim()).toBe('HOOK  secrets.env')
  })

  it('rejects a secrets file that others can read', async () => {
    const home = await makeHome()
    const path = join(home.home, 'config/secrets.env')
    writeFileSync(path, 'A=1\n')
    chmodSync(path, 0o644)
    const { stderr, exitCode } = await home.runWith('x', 'secrets', 'set', 'HOOK')
    expect(stderr).toContain('other users can read it (mode 0644)')
    expect(exitCode).toBe(78)
    expect(home.read('config/secrets.env')).toBe('A=1\n')
  })

  it.skipIf(!hasPty)('does not echo a typed secret', async () => {
    const home = await makeHome()
    const program = [process.execPath, join(root, 'bin/hookbell'), 'secrets', 'set', 'HOOK']
    const command = program.map(shellQuote).join(' ')
    const terminal = await startPty({ command, env: home.env as Record<string, string> })
    await expect.poll(() => terminal.received()).toContain('(hidden)')
    terminal.type(`${CANARY}\r`)
    await expect.poll(() => terminal.received()).toContain('HOOK is set in')
    expect(terminal.received()).not.toContain('canary')
    expect(home.read('config/secrets.env')).toBe(`HOOK=${CANARY}\n`)
  })

  it('status reports invalid lines of secrets.env by number, without their text', async () => {
    const home = await makeHome({ channels: { team: team('https://acme.slack.com/canary') } })
    await home.runWith('x', 'secrets', 'set', 'OTHER')
    writeFileSync(join(home.home, 'config/secrets.env'), `xoxb-${CANARY}\nA=1\n`, { mode: 0o600 })
    const { stdout } = await home.run('status')
    expect(stdout).toContain('secrets.env:1: not NAME=value, so it sets nothing')
    expect(stdout).toContain('channels.team.url: not the URL of an incoming webhook')
    expect(stdout).not.toContain('canary')
  })
})

describe('a secret from a command', () => {
  const node = process.execPath

  async function makeCommandHome(argv: string[]) {
    const { url, received } = await startReceiver()
    const home = await makeHome({
      secrets: { HOOK: argv },
      channels: {
        team: team(`${url}/services/\${HOOK}`),
        log: { type: 'file', path: '~/log.jsonl' },
      },
      routes: [{ on: ['*'], to: ['team', 'log'] }],
      lingerSeconds: 0,
    })
    return { home, received }
  }

  it('is fetched by the worker without delaying a channel that does not use it', async () => {
    const gate = `const fs=require('fs');(function f(){fs.existsSync(process.argv[1])?console.log('T0/B0'):setTimeout(f,50)})()`
    const { home, received } = await makeCommandHome([node, '-e', gate, '/nowhere'])
    const go = join(home.home, 'go')
    const config = JSON.parse(home.read('config/config.json'))
    await home.writeConfig(JSON.stringify({ ...config, secrets: { HOOK: [node, '-e', gate, go] } }))
    home.accept({ hook_event_name: 'Stop' })
    const worker = home.run('worker')
    await expect.poll(() => readOr(home, 'log.jsonl')).toContain('Stop')
    expect(received).toEqual([])
    writeFileSync(go, '')
    await expect.poll(() => received.map(({ path }) => path)).toEqual(['/services/T0/B0'])
    await worker
  })

  it('is fetched by doctor, which reports the failure, but never by status', async () => {
    const { home } = await makeCommandHome([node, '-e', 'console.log("canary");process.exit(7)'])
    const status = await home.run('status')
    expect(status.stdout).not.toContain('status 7')
    expect(status.stdout).toMatch(/team +slack/)
    const doctor = await home.run('doctor')
    expect(doctor.stdout).toContain(`\${HOOK}: ${node} ended with status 7`)
    expect(status.stdout + doctor.stdout + doctor.stderr).not.toContain('canary')
  })

  it.each(['process.exit(7)', 'console.log("canary")'])(
    'that cannot be used makes hookbell test refer to doctor: %s',
    async (program) => {
      const { home } = await makeCommandHome([node, '-e', program])
      const channels = { team: team('${HOOK}'), log: { type: 'file', path: '~/log.jsonl' } }
      const config = JSON.parse(home.read('config/config.json'))
      await home.writeConfig(JSON.stringify({ ...config, channels }))
      const { stderr, exitCode } = await home.run('test', 'team')
      expect(stderr).toMatch(
        /^x team: deferred: \$\{HOOK\}: .*\n {2}See why: hookbell doctor\. It is/,
      )
      expect(stderr).not.toContain('canary')
      expect(exitCode).toBe(69)
    },
  )

  it.each([
    [[], 'must not be empty'],
    ['op read x', 'must be "keychain", or a command as a list of words'],
    [['./op'], 'the program must be absolute'],
    [{ command: ['op'] }, 'must be "keychain", or a command as a list of words'],
  ])('is rejected when the command is %j', async (source, message) => {
    const home = await makeHome({ secrets: { HOOK: source } })
    expect((await home.run('status')).stdout).toContain(`secrets.HOOK: ${message}`)
  })
})

function readOr(home: Awaited<ReturnType<typeof makeHome>>, path: string): string {
  try {
    return home.read(path)
  } catch {
    return ''
  }
}
