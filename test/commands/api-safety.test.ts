import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { root } from '../support/home.ts'
import { makeApiHome, makeFault } from './_api-home.ts'

const remove = ['api', 'organization.users.remove', '--email', 'nobody@example.com']

describe('api: destructive calls', () => {
  it.each([
    remove,
    ['api', 'computers.delete', '--computer-id', 'comp_ada'],
    ['api', 'serviceAccounts.keys.rotate', '--service-account-id', 'x', '--key-id', 'y'],
    ['api', 'DELETE', '/api/v0/computers/comp_ada'],
  ])('%s %s requires --yes without a terminal', async (...words) => {
    const { run, emulator } = await makeApiHome()
    const { exitCode, stderr } = await run(...words)
    expect(exitCode).toBe(64)
    expect(stderr).toContain('Add --yes')
    expect(emulator.requests()).toEqual([])
  })

  it('exits with 3 and a warning when only a retry confirms the deletion', async () => {
    const { run, emulator } = await makeApiHome()
    emulator.faults.add(makeFault({ cut: 'before-headers' }, { times: 1 }))
    const { exitCode, stdout, stderr } = await run(...remove, '--yes')
    expect(JSON.parse(stdout)).toEqual({ replayed: true })
    expect(stderr).toContain('The first response was lost')
    expect(exitCode).toBe(3)
  })

  it('does not report a removal after a 502 followed by a 404', async () => {
    const { run, emulator } = await makeApiHome()
    emulator.faults.add(makeFault({ status: 502 }, { times: 1 }))
    const { exitCode, stdout } = await run(...remove, '--yes')
    expect({ exitCode, stdout }).toEqual({ exitCode: 65, stdout: '' })
  })
})

describe('Ctrl+C', () => {
  /** Interrupts a command whose request is carried out but not answered. */
  async function interrupt(
    words: (ids: Awaited<ReturnType<typeof makeApiHome>>['emulator']) => string[],
    requests = 1,
  ) {
    const { env, emulator, project } = await makeApiHome()
    const hangs = requests === 1 ? {} : { endpoint: 'sessions.messages.list' }
    emulator.faults.add(makeFault({ hang: true }, { carryOut: true, ...hangs }))
    const program = [join(root, 'bin/hookbell'), ...words(emulator)]
    const child = execa(process.execPath, program, {
      ...{ cwd: project, env, extendEnv: false, reject: false, input: '' },
    })
    await expect.poll(() => emulator.requests().length).toBeGreaterThanOrEqual(requests)
    child.kill('SIGINT')
    return await child
  }

  it.each<[string, string[]]>([
    ['api', ['api', 'computers.delete', '--computer-id', 'some-id', '--yes']],
    ['raw', ['api', 'DELETE', '/api/v0/computers/some-id', '--yes']],
    ['reply', ['reply', 'some-id', 'Go ahead']],
    ['reply --wait', ['reply', 'some-id', 'Go ahead', '--wait']],
  ])('says that a call that changes something may have been carried out: %s', async (_, words) => {
    const { exitCode, stderr } = await interrupt(() => words)
    expect(stderr).toContain('aborted while waiting for the response')
    expect(stderr).toContain('may have been carried out')
    expect(exitCode).toBe(130)
  })

  it('says that the message was added when it interrupts the wait for the answer', async () => {
    const { exitCode, stderr } = await interrupt(
      ({ sessionId }) => ['reply', sessionId, 'Go ahead', '--wait'],
      2,
    )
    expect(stderr).toMatch(/aborted\n\s+Message msg_\d+ was added: list the messages/)
    expect(exitCode).toBe(130)
  })

  it('ends a read-only call without a message', async () => {
    const { signal, stderr } = await interrupt(() => ['api', 'organization.limits.getGlobal'])
    expect({ signal, stderr }).toEqual({ signal: 'SIGINT', stderr: '' })
  })
})

describe('api: a key that is shown only once', () => {
  async function start() {
    const home = await makeApiHome()
    const { serviceAccountId, keyId } = home.emulator
    const ids = ['--service-account-id', serviceAccountId, '--key-id', keyId]
    return { ...home, words: ['api', 'serviceAccounts.keys.rotate', ...ids, '--yes'] }
  }

  it.each([{ output: 'key.txt' }, { output: '' }])(
    'is reported as possibly lost after Ctrl+C, and no file is left: %o',
    async ({ output }) => {
      const { words, env, emulator, project } = await start()
      emulator.faults.add(makeFault({ hang: true }, { carryOut: true }))
      const all = output ? [...words, '--output', output] : words
      const child = execa(process.execPath, [join(root, 'bin/hookbell'), ...all], {
        cwd: project,
        env,
        extendEnv: false,
        reject: false,
      })
      await expect.poll(() => emulator.requests()).toHaveLength(1)
      child.kill('SIGINT')
      const { exitCode, stderr } = await child
      expect(stderr).toContain('aborted while waiting for the response')
      expect(stderr).toContain(output ? 'he new key is lost' : 'may have been carried out')
      expect(exitCode).toBe(130)
      expect(readdirSync(project).filter((name) => name.startsWith('key'))).toEqual([])
    },
  )

  it('is written to a file with mode 0600, and authenticates', async () => {
    const { run, words, emulator, project } = await start()
    const file = join(project, 'key.txt')
    writeFileSync(file, 'the old one', { mode: 0o644 })
    const { stdout, exitCode } = await run(...words, '--output', file)
    expect(exitCode).toBe(0)
    const value = readFileSync(file, 'utf8').trim()
    expect(value).toMatch(/^fk-emulator-/)
    expect(stdout).not.toContain(value)
    expect(JSON.parse(stdout)).toMatchObject({ file, id: expect.any(String) })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(emulator.requests().at(-1)?.endpoint).toBe('organization.limits.getGlobal')
  })

  it('is not created when the output file cannot be written', async () => {
    const { run, words, emulator, project } = await start()
    const { exitCode, stderr } = await run(...words, '--output', join(project, 'none/key.txt'))
    expect(exitCode).toBe(64)
    expect(stderr).toMatch(/: --output: ".*" cannot be written: ENOENT/)
    expect(emulator.requests()).toEqual([])
  })

  it('is not created if an interrupted rotation left its file, which may hold a key', async () => {
    const { run, words, emulator, project } = await start()
    const file = join(project, 'key.txt')
    writeFileSync(`${file}.new`, 'perhaps the only copy of a key')
    const { exitCode, stderr } = await run(...words, '--output', file)
    expect(exitCode).toBe(64)
    expect(stderr).toContain(`"${file}.new" is of another rotation and may hold a new key`)
    expect(readFileSync(`${file}.new`, 'utf8')).toBe('perhaps the only copy of a key')
    expect(emulator.requests()).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'is not created when stdout is on a full disk',
    async () => {
      const { words, emulator, env, project } = await start()
      const program = [process.execPath, join(root, 'bin/hookbell'), ...words]
      const options = { cwd: project, env, extendEnv: false, reject: false } as const
      const { exitCode } = await execa('sh', ['-c', '"$@" > /dev/full', 'sh', ...program], options)
      expect(exitCode).toBe(74)
      expect(emulator.requests()).toEqual([])
    },
  )

  // Node.js opens /dev/null in place of a closed stdout.
  it.each(['>&-', '> /dev/null'])('is not created where nobody would see it: %s', async (where) => {
    const { words, emulator, env, project } = await start()
    const program = [process.execPath, join(root, 'bin/hookbell'), ...words]
    const options = { cwd: project, env, extendEnv: false, reject: false } as const
    const script = `"$@" ${where}`
    const { exitCode, stderr } = await execa('sh', ['-c', script, 'sh', ...program], options)
    expect(stderr).toContain('--output FILE')
    expect(exitCode).toBe(64)
    expect(emulator.requests()).toEqual([])
  })

  it('is not created when stdout is a closed pipe', async () => {
    const { words, emulator, env, project } = await start()
    const script = '(sleep 1; exec "$@"; ) | true; exit 0'
    const program = [process.execPath, join(root, 'bin/hookbell'), ...words]
    const options = { cwd: project, env, extendEnv: false, reject: false } as const
    await execa('sh', ['-c', script, 'sh', ...program], options)
    expect(emulator.requests()).toEqual([])
  })
})

describe('api: calls by path', () => {
  it('sends the method, the query and the body from the command line', async () => {
    const { run, emulator } = await makeApiHome()
    const computer = await run('api', 'GET', `/api/v0/computers/${emulator.computerId}?a=1&a=2`)
    expect(JSON.parse(computer.stdout)).toMatchObject({ id: emulator.computerId })
    expect(emulator.requests().at(-1)?.query).toEqual({ a: ['1', '2'] })
    const body = '{"limit": 2000000}'
    const limit = await run(
      'api',
      'PUT',
      '/api/v0/organization/usage/limits/global',
      '--body',
      body,
    )
    expect(JSON.parse(limit.stdout)).toEqual({ limit: 2_000_000 })
    const reports = await run('api', 'get', '/api/organization/maturity-level-reports', '--app')
    expect(reports.exitCode).toBe(0)
  })

  it.each([null, true, -1.5, 'text', [1]])('sends the JSON value %j as the body', async (value) => {
    const { run, emulator } = await makeApiHome()
    await run('api', 'POST', '/api/v0/anything', '--body', ` ${JSON.stringify(value)} `)
    expect(emulator.requests().at(-1)).toMatchObject({ method: 'POST', body: value })
  })

  it('reads the body from a file named like a JSON value if its folder is given', async () => {
    const { run, emulator, project } = await makeApiHome()
    writeFileSync(join(project, 'null'), '{"limit": 3000000}')
    await run('api', 'PUT', '/api/v0/organization/usage/limits/global', '--body', './null')
    expect(emulator.requests().at(-1)?.body).toEqual({ limit: 3_000_000 })
  })

  it('rejects an argument that is not a path', async () => {
    const { run } = await makeApiHome()
    expect(await run('api', 'GET', 'computers')).toMatchObject({ exitCode: 64 })
  })
})

describe('api: calls by endpoint', () => {
  it('rejects a body for an endpoint that is not a JSON object', async () => {
    const { run } = await makeApiHome()
    const { exitCode, stderr } = await run('api', 'organization.limits.setGlobal', '--body', 'null')
    expect(stderr).toContain('--body is not a JSON object')
    expect(exitCode).toBe(64)
  })

  it('accepts a JSON body on the command line', async () => {
    const { run } = await makeApiHome()
    const body = '{"users": [{"email": "ada@example.com", "limit": 5}]}'
    const { stdout } = await run('api', 'organization.limits.setUsers', '--body', body)
    expect(JSON.parse(stdout).updated).toEqual([{ email: 'ada@example.com', limit: 5 }])
  })

  it('accepts a flag of any name for an endpoint with undocumented inputs', async () => {
    const { run, emulator } = await makeApiHome()
    const words = ['--wiki-run-id', emulator.wikiRunId, '--query', 'spool', '--page-size', '5']
    expect(await run('api', 'wiki.search', ...words)).toMatchObject({ exitCode: 0 })
    expect(emulator.requests().at(-1)?.query).toEqual({ query: 'spool', pageSize: '5' })
  })

  it('prints a response without duplicate fields', async () => {
    const { run, emulator } = await makeApiHome()
    const { stdout } = await run('api', 'sessions.create', '--computer-id', emulator.computerId)
    const { tokenUsage } = JSON.parse(stdout).sessionSettings
    expect(Object.keys(tokenUsage).filter((name) => /credits/i.test(name))).toHaveLength(1)
  })
})

describe('api: destination of the key', () => {
  it('prints a note when the key of the agent is sent to a custom URL', async () => {
    const { runWith, emulator } = await makeApiHome()
    const env = { HOOKBELL_API_KEY: undefined, FACTORY_API_KEY: emulator.apiKey }
    const { stderr, exitCode } = await runWith({ env }, 'api', 'organization.limits.getGlobal')
    expect(stderr).toBe(
      `Note: the key in FACTORY_API_KEY goes to ${emulator.url} (HOOKBELL_API_BASE_URL)`,
    )
    expect(exitCode).toBe(0)
  })

  it('never sends the key to the public application when only the URL of the API is set', async () => {
    const { runWith, emulator } = await makeApiHome()
    const env = { HOOKBELL_APP_BASE_URL: undefined }
    const { stderr, exitCode } = await runWith({ env }, 'api', 'readiness.reports')
    expect(stderr).toContain('Set the environment variable HOOKBELL_APP_BASE_URL as well')
    expect(exitCode).toBe(78)
    expect(emulator.requests()).toEqual([])
  })

  it('prints the request ID with an error', async () => {
    const { run } = await makeApiHome({ faults: [makeFault({ status: 400 })] })
    const { stderr } = await run('api', 'automations.ci.scan')
    expect(stderr).toMatch(/\(request req_1\)$/m)
  })
})
