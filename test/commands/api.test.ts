import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { everything, listEndpoints } from '../../src/api/endpoints/index.ts'
import { flagName } from '../../src/commands/api/flags.ts'
import { renderResponse } from '../../src/commands/api/response-table.ts'
import { hasTerminal, runInTerminal } from '../support/terminal.ts'
import { makeApiHome, makeFault } from './_api-home.ts'

const messages = 'sessions.messages.list'
const lines = (text: string) => text.split('\n').map((line) => JSON.parse(line))

describe('api: list and help of the endpoints', () => {
  it('lists all endpoints', async () => {
    const home = await makeApiHome()
    const { stdout } = await home.run('api')
    for (const { id } of listEndpoints(everything)) expect(stdout).toContain(`${id} `)
    const { stdout: json } = await home.run('api', '--json')
    const listed: { id: string; source?: string }[] = JSON.parse(json)
    expect(listed).toHaveLength(listEndpoints(everything).length)
    const sources = listed.filter(({ source }) => source).map(({ id }) => id)
    expect(sources).toEqual(listEndpoints(everything.beyond).map(({ id }) => `${id}`))
  })

  it('calls an endpoint beyond the specification, and says in its help where it comes from', async () => {
    const { run } = await makeApiHome()
    const { stdout } = await run('api', 'beyond.sessions.list')
    expect(lines(stdout)).toMatchObject([{ sessionId: 'sess_welcome', status: 'idle' }])
    const { stdout: help } = await run('api', 'beyond.sessions.list', '--help')
    expect(help).toContain(
      'Not in the specification, but in the public documentation: list-sessions.md',
    )
  })

  it.runIf(hasTerminal)('lists each endpoint on one line in a terminal', async () => {
    const { env } = await makeApiHome()
    const { text } = await runInTerminal({ env: { ...env, NO_COLOR: '1' }, columns: 80 }, 'api')
    const widths = text.split('\n').map((line) => line.length)
    expect(Math.max(...widths)).toBe(80)
  })

  it('shows the inputs of an endpoint in its help', async () => {
    const home = await makeApiHome()
    const { stdout } = await home.run('api', messages, '--help')
    expect(stdout).toMatchInlineSnapshot(`
      "List the messages of a session, page by page.
      Enabled for selected organizations only. The order is not documented.
      GET /api/v0/sessions/{sessionId}/messages
      The API key comes from the environment variable HOOKBELL_API_KEY, else from FACTORY_API_KEY.

      Usage: hookbell api sessions.messages.list [OPTIONS]

        --session-id TEXT           Session ID (required)
        --limit NUMBER              Messages per page, 1 to 100 (default 20)
        --cursor TEXT               Cursor from the previous page
        --computer-id TEXT          ID of a computer to read from directly
        --role user|assistant|tool  Only messages of this role
        --all                       All pages, not only the first
        --json                      Print one JSON value instead of one line per item
        --table                     Print a table"
    `)
  })

  it('shows the fields of a body in the help', async () => {
    const home = await makeApiHome()
    const { stdout } = await home.run('api', 'organization.limits.setUsers', '--help')
    expect(stdout).toContain(
      '"users" in --body: Users and their limits, 1 to 100 entries (required)\n  [{email, limit}]\n',
    )
    const { stdout: create } = await home.run('api', 'sessions.create', '--help')
    expect(create).toContain('\n  {model?, specModeModel?, runInWorktree?, ')
    const { stdout: add } = await home.run('api', 'sessions.messages.add', '--help')
    expect(add).toContain('\n  [{type, data, mediaType?, parsedData?, name?, path?}]\n')
  })

  it.each([
    ['Computers.Get', 'Did you mean: computers.get$'],
    ['sessions.mesages.list', 'Did you mean: .*sessions.messages.list'],
    ['xyz', 'List them with: hookbell api'],
  ])('suggests a known endpoint for %s', async (id, hint) => {
    const home = await makeApiHome()
    const { exitCode, stderr } = await home.run('api', id)
    expect(stderr).toMatch(new RegExp(`^x api: unknown endpoint "${id}"\n  ${hint}`, 'm'))
    expect(exitCode).toBe(64)
  })

  it('has a unique flag for every input', () => {
    for (const { params, query, body, id } of listEndpoints(everything)) {
      const inputs = [params, query, body].flatMap((schema) => Object.keys(schema?.shape ?? {}))
      const flags = [...inputs.map(flagName), '--body', '--all', '--json', '--table', '--help']
      expect(new Set(flags).size, id).toBe(flags.length)
    }
  })
})

describe('api: lists', () => {
  it('prints one line of JSON per item and how to get the next page', async () => {
    const { run, emulator } = await makeApiHome()
    const words = ['api', messages, '--session-id', emulator.sessionId]
    const { stdout, stderr, exitCode } = await run(...words, '--limit', '2')
    expect(lines(stdout).map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(stderr).toBe('More: --all, or --cursor sess_welcome_message_2')
    expect(exitCode).toBe(0)
    const { stdout: rest } = await run(...words, '--cursor', 'sess_welcome_message_2')
    expect(lines(rest).map(({ id }) => id)).toEqual(['sess_welcome_message_3'])
  })

  it('prints all pages with --all', async () => {
    const { run, emulator } = await makeApiHome()
    const words = ['api', messages, '--session-id', emulator.sessionId, '--limit', '1', '--all']
    const { stdout, stderr } = await run(...words)
    expect(lines(stdout)).toHaveLength(3)
    expect(stderr).toBe('')
    expect(emulator.requests()).toHaveLength(3)
    const { stdout: json } = await run(...words, '--json')
    expect(JSON.parse(json)).toHaveLength(3)
  })

  it('prints the pages that arrived before one failed', async () => {
    const { run, emulator } = await makeApiHome()
    emulator.faults.add(
      makeFault({ status: 400, body: 'no' }, { endpoint: messages, path: undefined, skip: 1 }),
    )
    const { stdout, stderr, exitCode } = await run(
      ...['api', messages, '--session-id', emulator.sessionId, '--limit', '2', '--all'],
    )
    expect(lines(stdout)).toHaveLength(2)
    expect(stderr).toContain('400 Bad Request')
    expect(exitCode).toBe(65)
  })

  it.each([
    [
      ['computers.get', '--computer-id', 'none'],
      65,
      {
        code: 'E_DATA',
        message: expect.stringMatching(/^api computers\.get: .*404 Not Found/),
        hint: expect.stringMatching(/^Check the name or ID/),
        cause: { kind: 'http', status: 404, requestId: 'req_1', attempts: 1 },
      },
    ],
    [
      ['sessions.create', '--computer-id', 'a', '--cwd', ''],
      64,
      { code: 'E_USAGE', cause: { kind: 'validation', issues: [{ field: 'cwd' }] } },
    ],
    [['computers.get'], 64, { code: 'E_USAGE', message: expect.stringMatching(/computer-id/) }],
  ])('prints the error of %j as JSON with --json', async (words, exitCode, error) => {
    const { run, env } = await makeApiHome()
    const result = await run('api', ...words, '--json')
    expect({ stdout: result.stdout, exitCode: result.exitCode }).toEqual({ stdout: '', exitCode })
    expect(JSON.parse(result.stderr)).toMatchObject({ error })
    expect(result.stderr).not.toContain(env.HOOKBELL_API_KEY)
    expect((await run('api', ...words)).stderr).toMatch(/^x api/)
  })

  it('names the key, the list of endpoints and any other path in its help', async () => {
    const { run } = await makeApiHome()
    const { stdout } = await run('api', '--help')
    for (const word of ['HOOKBELL_API_KEY', 'api ENDPOINT --help', 'api GET /path', 'list them'])
      expect(stdout).toContain(word)
  })

  it('prints a table and names the columns that it leaves out', async () => {
    const { run } = await makeApiHome()
    const { stdout, stderr } = await run('api', 'readiness.reports', '--limit', '1', '--table')
    expect(stdout).toMatchInlineSnapshot(`
      "reportId                              createdAt             repoUrl                          branch  commitHash                                hasLocalChanges  hasNonRemoteCommits  droidVersion
      00000000-0000-4000-8000-000000000005  2026-01-01 04:00:00Z  https://github.com/example/shop  main    4444444444444444444444444444444444444444  false            false                0.1.0"
    `)
    expect(stderr).toBe(
      'Not shown: apps, report, modelUsed (--json)\n' +
        'Perhaps more: --all, or --start-after 00000000-0000-4000-8000-000000000005',
    )
  })

  it('says "perhaps" when the service does not tell whether more pages exist', async () => {
    const { run } = await makeApiHome()
    const { stderr } = await run('api', 'readiness.reports')
    expect(stderr).toMatch(/^Perhaps more: --all/)
  })

  it.each([[], ['--table']])('exits with 76 for a page without its list %j', async (...format) => {
    const { run } = await makeApiHome({ faults: [makeFault({ status: 200, body: {} })] })
    const { stderr, stdout, exitCode } = await run('api', 'readiness.reports', ...format)
    expect(stderr).toContain('x api readiness.reports: the response has no list at "reports"')
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 76 })
  })

  it.runIf(hasTerminal)('fits the table into the width of the terminal', async () => {
    const { env, run, emulator } = await makeApiHome()
    const words = ['api', messages, '--session-id', emulator.sessionId, '--table']
    const { text } = await runInTerminal({ env, columns: 60 }, ...words)
    const [head, ...rows] = text.split('\n')
    expect(head).toBe('id                      role       content')
    expect(rows[1]).toContain('A session of the emul')
    const { stdout } = await run(...words)
    expect(stdout).toMatch(/^id +role +content +createdAt +updatedAt +userMessageSource/)
  })
})

describe('api: single responses', () => {
  it('prints JSON, or names and values with --table', async () => {
    const { run } = await makeApiHome()
    const words = ['api', 'computers.get', '--computer-id', 'comp_ada']
    const { stdout } = await run(...words)
    expect(JSON.parse(stdout)).toMatchObject({ id: 'comp_ada', status: 'active' })
    const { stdout: table } = await run(...words, '--table')
    expect(table).toMatch(/^id +comp_ada$/m)
    expect(table).toMatch(/^createdAt +2026-01-01 00:00:00Z$/m)
  })

  it('does not truncate a key that is shown only once', async () => {
    const { run, emulator } = await makeApiHome()
    const { serviceAccountId, keyId } = emulator
    const { stdout } = await run(
      ...['api', 'serviceAccounts.keys.rotate', '--service-account-id', serviceAccountId],
      ...['--key-id', keyId, '--table', '--yes'],
    )
    expect(stdout).toMatch(/^apiKey\.value +fk-emulator-[0-9a-f]{32}$/m)
  })

  it('renders a list of 200,000 items', () => {
    const items = Array.from({ length: 200_000 }, (_, id) => ({ id }))
    expect(renderResponse(items, 80).text).toMatch(/\n199999$/)
  })

  it.each([
    [{}, '(nothing)'],
    [{ limit: null }, 'limit  -'],
    [{ apps: ['a', 'b\u001b[2J'], none: [] }, 'apps  a, b[2J\nnone  -'],
    [{ of: { x: { y: 1 } }, no: {} }, 'of.x.y  1\nno      {}'],
    [[], '(none)'],
    [[1, null], 'value\n1\n-'],
    [[{ x: {} }], '1 item'],
    [{ n: 1, list: [{ a: 1, b: {} }] }, 'n  1\n\nlist:\na\n1'],
    [[{ id: 'x'.repeat(99) }], `id\n${'x'.repeat(63)}…`],
    ['text', 'text'],
  ])('renders %j as a table', (answer, expected) => {
    expect(renderResponse(answer).text).toBe(expected)
  })

  it('reads the body from stdin or a file, and flags override it', async () => {
    const { runWith, run, emulator, home } = await makeApiHome()
    // With a byte order mark, as programs of Windows write it.
    const body = `\ufeff${JSON.stringify({ computerId: 'none', sessionSettings: { model: 'm' } })}`
    const words = ['api', 'sessions.create', '--computer-id', emulator.computerId, '--body']
    const { stdout, stderr } = await runWith({ input: body }, ...words, '-')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout).sessionSettings.model).toBe('m')
    writeFileSync(join(home, 'body.json'), body)
    const { exitCode } = await run(...words, join(home, 'body.json'))
    expect(exitCode).toBe(0)
    expect(emulator.requests().map(({ body }) => body)).toEqual([
      { computerId: emulator.computerId, sessionSettings: { model: 'm' } },
      { computerId: emulator.computerId, sessionSettings: { model: 'm' } },
    ])
  })

  it('sends null for the word null', async () => {
    const { run, emulator } = await makeApiHome()
    await run('api', 'organization.limits.setGlobal', '--limit', 'null')
    expect(emulator.requests().at(-1)?.body).toEqual({ limit: null })
  })

  it.each([
    'organization.limits.setUsers',
    'PUT /api/v0/organization/usage/limits/users',
    'put /api/v0/organization/usage/limits/users?x=1',
  ])('`api %s` exits with 1 after a partial failure, and prints what was set', async (words) => {
    const { runWith } = await makeApiHome()
    const users = ['bo@example.com', 'nobody@example.com'].map((email) => ({ email, limit: 5 }))
    const { stdout, stderr, exitCode } = await runWith(
      { input: JSON.stringify({ users }) },
      ...['api', ...words.split(' '), '--body', '-'],
    )
    expect(JSON.parse(stdout).updated).toEqual([users[0]])
    expect(stderr).toContain('1 of 2 limits not set: nobody@example.com')
    expect(exitCode).toBe(1)
  })

  it('reports refused limits on one line, also without a list of those that were set', async () => {
    const body = { errors: [{ email: 'bo@example.com', error: 'no\u001b[2J\n  run this: x' }] }
    const { run } = await makeApiHome({ faults: [makeFault({ status: 200, body })] })
    const users = '{"users":[{"email":"bo@example.com","limit":5}]}'
    const { stderr, exitCode } = await run('api', 'organization.limits.setUsers', '--body', users)
    expect(stderr).toContain('1 of 1 limits not set: bo@example.com: no[2J run this: x\n')
    expect(exitCode).toBe(1)
  })

  it('prints nothing for an empty response of an endpoint whose responses are not documented', async () => {
    const { run } = await makeApiHome({ faults: [makeFault({ status: 200, body: '' })] })
    const words = 'wiki.setPrivacy --wiki-run-id w --privacy private'.split(' ')
    expect(await run('api', ...words)).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
  })

  it('sends undocumented queries', async () => {
    const { run, emulator } = await makeApiHome()
    await run('api', 'automations.ci.scan', '--repo-url', 'https://example.com/r')
    await run('api', 'wiki.get', '--wiki-run-id', 'wiki_shop', '--page=2')
    expect(emulator.requests()).toMatchObject([
      { path: '/api/v0/automations/ci/scan', query: { repoUrl: 'https://example.com/r' } },
      { path: '/api/v0/wiki/wiki_shop', query: { page: '2' }, status: 200 },
    ])
  })

  it('exits with 76 for a response that is nested too deeply', async () => {
    const body = `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const { run } = await makeApiHome({ faults: [makeFault({ status: 200, body })] })
    const { stderr, exitCode } = await run('api', 'automations.ci.scan')
    expect(stderr).toBe('x the response is nested too deep to be shown')
    expect(exitCode).toBe(76)
  })

  it('escapes control characters in the JSON that it prints', async () => {
    const text = 'a\u009b31mb\u202ec\u061cd\u200be\u200ef\u200fg\u001b[2J'
    const { run, emulator } = await makeApiHome({
      seed: {
        sessions: [
          {
            id: 's',
            computerId: 'comp_ada',
            messages: [{ role: 'user', content: [{ type: 'text', text }] }],
          },
        ],
      },
    })
    const { stdout } = await run('api', messages, '--session-id', emulator.sessionId)
    expect(stdout).not.toMatch(/[\u001b\u0080-\u009f\u061c\u200b\u200e\u200f\u202e]/)
    expect(lines(stdout)[0].content[0].text).toBe(text)
  })
})

describe('api: usage errors', () => {
  it.each([
    [['computers.get'], 'x api computers.get: --computer-id is missing'],
    [['computers.get', '--id', '1'], 'x api computers.get: unknown option "--id"'],
    [
      ['computers.get', 'comp_ada'],
      'too many arguments: "comp_ada"\n  It takes no arguments. Options: --computer-id',
    ],
    // As after an unset variable in a script: the text must not be posted as "--table".
    [
      ['sessions.messages.add', '--session-id', 's', '--text', '--table'],
      '--text needs a value\n  If "--table" is the value: --text=--table',
    ],
    [['readiness.reports', '--limit', 'ten'], 'not "ten"\n  Reports per page'],
    [['readiness.reports', '--limit', '0'], '--limit: must be at least 1'],
    [['organization.limits.setUsers'], '"users" in --body is missing'],
    [['sessions.create', '--body', 'no-such-file'], 'cannot read "no-such-file"'],
    [['computers.get', '--json', '--table'], '--json and --table exclude each other'],
    [['computers.get', '--computer-id', '..'], 'computer'],
  ])('%j exits with 64 before any request', async (words, message) => {
    const { run, emulator } = await makeApiHome()
    const { exitCode, stderr, stdout } = await run('api', ...words)
    expect(stderr).toContain(message)
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' })
    expect(emulator.requests()).toEqual([])
  })

  it('names flags as flags and body fields as fields in error messages', async () => {
    const { run, runWith } = await makeApiHome()
    const flag = await run('api', 'organization.limits.setGlobal', '--limit', '5')
    expect(flag.stderr).toMatch(/^x api organization\.limits\.setGlobal: --limit: must be/)
    expect(flag.stderr).toContain('\n  See: hookbell api organization.limits.setGlobal --help')
    const input = JSON.stringify({ users: [{ email: 'a@example.com' }], other: 1 })
    const words = ['api', 'organization.limits.setUsers', '--body', '-']
    const { stderr, exitCode } = await runWith({ input }, ...words)
    expect(stderr).toContain(' users[0].limit: ')
    expect(stderr).not.toMatch(/--(other|users)/)
    expect(exitCode).toBe(64)
    const other = '{"users": [{"email": "a@example.com", "limit": 5}], "user": 1}'
    const sent = await run('api', 'organization.limits.setUsers', '--body', other)
    expect(sent.stderr).toContain('Note: user: is not a known input; did you mean users?')
  })

  it.each(['{"users": [', '[]', 'fk-secret-that-is-no-json'])(
    'rejects the invalid body %j without printing it',
    async (input) => {
      const { runWith } = await makeApiHome()
      const words = ['api', 'organization.limits.setUsers', '--body', '-']
      const { exitCode, stderr } = await runWith({ input }, ...words)
      expect(stderr).toContain('the body on stdin is not')
      expect(stderr).not.toContain('fk-secret')
      expect(exitCode).toBe(64)
    },
  )

  // As PowerShell 5 and some editors write it.
  it.each(['utf-16le', 'utf-16be'])('says that a body is in UTF-16: %s', async (encoding) => {
    const { run, runWith, emulator, home } = await makeApiHome()
    const bytes = Buffer.from('\ufeff{"limit": null}', 'utf16le')
    const input = encoding === 'utf-16be' ? bytes.swap16() : bytes
    const words = ['api', 'organization.limits.setGlobal', '--body']
    const piped = await runWith({ input }, ...words, '-')
    expect(piped.stderr).toBe(
      'x api organization.limits.setGlobal: stdin is in UTF-16\n  Save it as UTF-8',
    )
    const file = join(home, 'body.json')
    writeFileSync(file, input)
    const { stderr, exitCode } = await run(...words, file)
    expect(stderr).toContain(`"${file}" is in UTF-16\n  Save it as UTF-8`)
    expect(exitCode).toBe(64)
    expect(emulator.requests()).toEqual([])
  })

  it.each(['api computers.get', 'usage', 'messages', 'reply'])(
    '%s rejects a key on the command line',
    async (command) => {
      const { run, emulator } = await makeApiHome()
      for (const flag of ['--api-key=fk-secret', '--apikey', '--token', '--key']) {
        const { exitCode, stderr } = await run(...command.split(' '), flag, 'fk-secret')
        expect(stderr).toContain('no secret is taken from the command line')
        expect(stderr).toContain('HOOKBELL_API_KEY')
        expect(stderr).not.toContain('fk-secret')
        expect(exitCode).toBe(64)
      }
      expect(emulator.requests()).toEqual([])
    },
  )
})
