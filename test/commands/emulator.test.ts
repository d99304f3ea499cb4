import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import { reopenablePort } from '../support/port.ts'
import { hasTerminal, runInTerminal } from '../support/terminal.ts'
import { makeFault } from './_api-home.ts'

interface Line {
  url: string
  appUrl: string
  apiKey: string
  computerId: string
  serviceAccountId: string
  keyId: string
}

/** Starts the command; returns its process and the parsed JSON line that it printed. */
async function start(...words: string[]) {
  const { env, home } = await makeHome()
  const child = execa(process.execPath, [join(root, 'bin/hookbell'), 'emulator', ...words], {
    cwd: home,
    env,
    extendEnv: false,
    reject: false,
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await child
  })
  const [first] = await once(child.stdout, 'data')
  const line: Line = JSON.parse(String(first))
  const call = (path: string, key = line.apiKey) =>
    fetch(line.url + path, { headers: { authorization: `Bearer ${key}` } })
  return { child, line, call, home }
}

/** The program against a service, as a person would use it. */
function envFor(home: string, url: string, apiKey: string) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    HOOKBELL_API_BASE_URL: url,
    HOOKBELL_APP_BASE_URL: url,
    HOOKBELL_API_KEY: apiKey,
  }
}

const limitPath = '/api/v0/organization/usage/limits/global'

describe('emulator: the command', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'prints one line of JSON and exits with 0 on %s',
    async (signal) => {
      const { child, line, call } = await start()
      expect(Object.keys(line)).toEqual([
        'url',
        'appUrl',
        'apiKey',
        'computerId',
        'serviceAccountId',
        'keyId',
        'sessionId',
      ])
      expect((await call(`/api/v0/computers/${line.computerId}`)).status).toBe(200)
      child.kill(signal)
      const { exitCode, stdout, stderr } = await child
      expect({ exitCode, stderr, lines: stdout.split('\n').length }).toEqual({
        exitCode: 0,
        stderr: '',
        lines: 1,
      })
    },
  )

  it('serves hookbell api and hookbell usage', async () => {
    const { line, home } = await start()
    const env = envFor(home, line.url, line.apiKey)
    const run = (...words: string[]) =>
      execa(process.execPath, [join(root, 'bin/hookbell'), ...words], { env, extendEnv: false })
    const { stdout } = await run('api', 'readiness.reports', '--all')
    expect(stdout.split('\n')).toHaveLength(5)
    expect((await run('usage', '--days', '3')).exitCode).toBe(0)
  })

  it('accepts a seed, faults, a state file and a port', async () => {
    const { home } = await makeHome()
    const [seed, faults, state] = ['seed.json', 'faults.json', 'state.json'].map((name) =>
      join(home, name),
    ) as [string, string, string]
    writeFileSync(seed, JSON.stringify({ limits: { global: 5_000_000 } }))
    writeFileSync(
      faults,
      JSON.stringify([makeFault({ status: 418 }, { path: limitPath, times: 1 })]),
    )
    const port = String(await reopenablePort())
    const words = ['--seed', seed, '--faults', faults, '--state', state, '--port', port]
    const first = await start(...words)
    expect((await first.call(limitPath)).status).toBe(418)
    expect(await (await first.call(limitPath)).json()).toEqual({ limit: 5_000_000 })
    expect(readFileSync(state, 'utf8')).toContain('emulatorState')
    first.child.kill('SIGTERM')
    await first.child
    const second = await start('--state', state, '--port', port)
    expect(new URL(second.line.url).port).toBe(port)
    expect(await (await second.call(limitPath)).json()).toEqual({ limit: 5_000_000 })
  })

  it('records a seed from a service, which another emulator starts with', async () => {
    const service = await start()
    const seed = join(service.home, 'seed.json')
    const words = ['record', '--base-url', service.line.url, '--out', seed]
    const recorder = await start(...words)
    const env = envFor(service.home, recorder.line.url, service.line.apiKey)
    const run = (...args: string[]) =>
      execa(process.execPath, [join(root, 'bin/hookbell'), ...args], { env, extendEnv: false })
    await run('messages', 'sess_welcome')
    await run('api', 'organization.limits.setGlobal', '--limit', '7000000')
    recorder.child.kill('SIGINT')
    const { exitCode, stdout, stderr } = await recorder.child
    expect({ exitCode, lines: stdout.split('\n').length }).toEqual({ exitCode: 0, lines: 1 })
    expect(stderr).toMatch(/^(Note: [\w.]+: [^\n]+\n?)+$/)
    const written = readFileSync(seed, 'utf8')
    expect(written).not.toMatch(/fk-emulator|sess_welcome|What is this|ada/)
    if (process.platform !== 'win32') expect(statSync(seed).mode & 0o777).toBe(0o600)
    const emulated = await start('--seed', seed)
    expect(await (await emulated.call(limitPath)).json()).toEqual({ limit: 7_000_000 })
    const again = await (await makeHome()).run('emulator', ...words)
    expect(again).toMatchObject({ exitCode: 64, stdout: '' })
    expect(again.stderr).toContain('exists already')
    expect(readFileSync(seed, 'utf8')).toBe(written)
  })

  it.each([
    [['record'], 64, '--base-url is missing'],
    [['record', '--base-url', 'https://example.com'], 64, '--out is missing'],
    [
      ['record', '--base-url', 'http://example.com', '--out', 'x.json'],
      64,
      '--base-url takes a URL',
    ],
    [['record', '--base-url', 'https://example.com', '--out', 'no/x'], 64, 'cannot be written'],
    [['record', '--seed', 'x'], 64, '--seed is an option of "emulator run"'],
    [['--out', 'x'], 64, '--out is an option of "emulator record"'],
    [['recrod'], 64, 'unknown action "recrod"'],
    [['--port', 'http'], 64, '--port takes a number to 65535, not "http"'],
    [['--port', 'x'], 64, 'Leave it out, or give 0, for any free port'],
    [['--app-port', '65536'], 64, '--app-port takes a number to 65535, not "65536"'],
    [['--port', '0x10'], 64, '--port takes a number to 65535, not "0x10"'],
    [['--port', ''], 64, '--port takes a number to 65535, not ""'],
    [['--seed', ''], 64, '--seed takes a file, not ""'],
    [['--faults', ''], 64, '--faults takes a file, not ""'],
    [['--state', ''], 64, '--state takes a file, not ""'],
    [['--seed', 'none.json'], 78, 'seed file "none.json": cannot be read'],
    [['--faults', 'none.json'], 78, 'fault file "none.json": cannot be read'],
    [['--state', '/proc/none/state.json'], 78, 'state file "/proc/none/state.json": cannot be'],
    [['--sede', 'x'], 64, 'unknown option "--sede"'],
  ])('%j exits with %i and prints nothing on stdout', async (words, code, message) => {
    const home = await makeHome()
    const { exitCode, stdout, stderr } = await home.run('emulator', ...words)
    expect(stderr).toContain(message)
    expect(stderr.split('\n').length).toBeLessThanOrEqual(2)
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
  })

  it.skipIf(process.platform === 'win32')('rejects a named pipe as the state file', async () => {
    const { env, home } = await makeHome()
    const pipe = join(home, 'pipe')
    execFileSync('mkfifo', [pipe])
    // In a process of its own, which can be killed if it waits for a writer.
    const words = [join(root, 'bin/hookbell'), 'emulator', '--state', pipe]
    const options = { env, extendEnv: false, reject: false, timeout: 600_000 } as const
    const { exitCode, stderr } = await execa(process.execPath, words, {
      ...options,
      killSignal: 'SIGKILL',
    })
    expect(stderr).toContain(`state file "${pipe}": is not a file`)
    expect(exitCode).toBe(78)
  })

  it('names the invalid field of a seed', async () => {
    const home = await makeHome()
    const seed = join(home.home, 'seed.json')
    writeFileSync(seed, '{"agent": {"stepMs": "fast"}}')
    const { exitCode, stderr } = await home.run('emulator', '--seed', seed)
    expect(stderr).toContain('agent.stepMs: ')
    expect(stderr.split('\n')).toHaveLength(1)
    expect(exitCode).toBe(78)
  })

  it('exits with 69 when the port is in use', async () => {
    const home = await makeHome()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const { exitCode, stderr } = await home.run('emulator', '--port', String(port))
    expect(stderr).toContain(`port ${port} is in use`)
    expect(exitCode).toBe(69)
  })

  it('exits with 69 when another emulator uses the state file', async () => {
    const home = await makeHome()
    const state = join(home.home, 'state.json')
    const { child } = await start('--state', state)
    const { exitCode, stderr } = await home.run('emulator', '--state', state)
    expect(stderr).toContain(`in use by the emulator of process ${child.pid}`)
    expect(stderr).toContain(`delete "${state}.lock"`)
    expect(exitCode).toBe(69)
    child.kill('SIGTERM')
    await child
    expect(existsSync(`${state}.lock`)).toBe(false)
  })

  it.runIf(hasTerminal)(
    'prints the variables to export and a next command in a terminal',
    async () => {
      const { env, home } = await makeHome()
      const seed = join(home, 'seed.json')
      const apiKey = "it's\u009bmine"
      const users = [{ id: 'u', email: 'u@example.com', role: 'owner', apiKey }]
      writeFileSync(seed, JSON.stringify({ users }))
      const until = '  hookbell usage'
      const { text } = await runInTerminal({ env, until }, 'emulator', '--seed', seed)
      expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ apiKey })
      expect(text).not.toContain('\u009b')
      expect(text).toMatch(/^ {2}export HOOKBELL_API_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/m)
      expect(text).toContain("  export HOOKBELL_API_KEY='it'\\''smine'\n  hookbell usage")
    },
  )
})
