import { describe, expect, it } from 'vitest'
import { listEndpoints } from '../../../src/api/endpoints/index.ts'
import type { Report } from '../../../src/commands/api/check/check-service.ts'
import type { Emulator, OwnHandler } from '../../../src/emulator/index.ts'
import { makeApiHome, makeFault } from '../_api-home.ts'

async function makeCheck() {
  const home = await makeApiHome()
  const { url, appUrl, computerId, sessionId, wikiRunId, serviceAccountId, keyId } = home.emulator
  const ids = ['--computer-id', computerId, '--session-id', sessionId, '--wiki-run-id', wikiRunId]
  const others = ['--service-account-id', serviceAccountId, '--key-id', keyId]
  const words = ['api', 'check', '--base-url', url, '--app-url', appUrl, '--name', 'ada-devbox']
  const all = [...words, ...ids, ...others, '--email', 'eve@example.com']
  const run = async (...more: string[]) => {
    const { exitCode, stdout, stderr } = await home.run(...all, '--json', ...more)
    const report: Report = stdout === '' ? undefined : JSON.parse(stdout)
    return { exitCode, stderr, report }
  }
  return { ...home, all, checkWith: run }
}

const reads = listEndpoints().filter(({ method }) => method === 'GET')
const id = ({ id: one }: { id: string }) => one

describe('api check', () => {
  it('finds no deviation in the emulator, and changes nothing', async () => {
    const { checkWith, emulator } = await makeCheck()
    const before = emulator.state()
    const { exitCode, report, stderr } = await checkWith('--read-only')
    expect({ exitCode, stderr, deviations: report.deviations }).toEqual({
      ...{ exitCode: 0, stderr: '', deviations: [] },
    })
    expect(report.checked).toEqual(reads.map(id))
    expect(new Set(emulator.requests().map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(emulator.state()).toEqual(before)
  })

  it('calls what changes something only if it may, and keeps the limit', async () => {
    const { checkWith, emulator } = await makeCheck()
    const written = await checkWith('--write')
    expect(written).toMatchObject({ exitCode: 0, report: { deviations: [] } })
    expect(emulator.state().globalLimit).toBeNull()
    const final = ['serviceAccounts.keys.rotate', 'organization.users.remove', 'computers.delete']
    const undocumented = ['wiki.create', 'wiki.setPrivacy']
    expect(written.report.skipped.map(({ endpoint }) => endpoint).sort()).toEqual(
      [...final, ...undocumented].sort(),
    )
    const { report } = await checkWith('--write', '--irreversible')
    expect(report.deviations).toEqual([])
    expect(report.skipped.map(({ endpoint }) => endpoint)).toEqual(undocumented)
    expect(emulator.state().computers[0]?.deletedAt).toBeDefined()
  })

  it('leaves out what it was given no ID for, and says so', async () => {
    const { run, emulator } = await makeApiHome()
    const { exitCode, stdout } = await run('api', 'check', '--base-url', emulator.url)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^computers.get +needs --computer-id$/m)
    expect(stdout).toMatch(/^computers.delete +changes something: needs --write$/m)
    expect(stdout).toMatch(/^readiness.reports +needs --app-url$/m)
    expect(stdout).toContain('8 endpoints checked, 16 not checked, 0 deviations')
  })

  const problem = (status: number) => ({ detail: 'No', status, title: 'Title' })
  const isOf =
    (value: string): OwnHandler =>
    ({ params }) =>
      params.computerId === value
        ? { status: 404, body: { ...problem(404), status: 500 } }
        : undefined

  it.each<[string, string, OwnHandler, { sent: string; came: string; rule: string }]>([
    [
      'a field of another type',
      'computers.get',
      () => ({ body: { id: 'c', name: 'n', providerType: 'byom', createdAt: 'now' } }),
      {
        sent: '{"computerId":"comp_ada"}',
        came: '200; createdAt must be a number, not a string',
        rule: 'createdAt: When the computer was created',
      },
    ],
    [
      'a missing field of a row',
      'analytics.activity',
      () => ({ body: { data: [{ date: '2026-01-01' }], meta: {} } }),
      {
        sent: expect.stringContaining('startDate'),
        came: '200; data[].daily_active_users is missing',
        rule: 'data[].daily_active_users: Users active on the day',
      },
    ],
    [
      'another status',
      'organization.limits.getGlobal',
      () => ({ status: 202, body: { limit: null } }),
      { sent: '{}', came: '202', rule: 'a valid request is answered with 200' },
    ],
    [
      'a response that is not JSON',
      'organization.limits.getGlobal',
      () => ({ body: 'hello' }),
      { sent: '{}', came: '200, not JSON', rule: 'all responses are JSON' },
    ],
    [
      'a key that is not checked',
      'organization.limits.getGlobal',
      () => ({ body: { limit: 5 } }),
      {
        sent: 'a key that the service has not issued',
        came: '200',
        rule: 'a missing or invalid key is answered with 401',
      },
    ],
    [
      'a resource that nobody has',
      'computers.get',
      () => ({ body: { id: 'c', name: 'n', providerType: 'byom', createdAt: 1 } }),
      {
        sent: '{"computerId":"no-such-thing"}',
        came: '200',
        rule: 'a resource that does not exist is answered with 404, or with 403',
      },
    ],
    [
      'an invalid input that is accepted',
      'sessions.messages.list',
      ({ query }) =>
        query.limit === '101' ? { body: { messages: [], pagination: {} } } : undefined,
      {
        sent: 'limit 101',
        came: '200',
        rule: 'limit: Messages per page, 1 to 100; anything else is refused with a status from 400 to 499',
      },
    ],
    [
      'an invalid input with a status that the specification does not list',
      'readiness.reports',
      ({ query }) => (query.limit === '0' ? { status: 422, body: problem(422) } : undefined),
      {
        sent: 'limit 0',
        came: '422: No',
        rule: 'limit: Reports per page; anything else is refused with 400',
      },
    ],
    [
      'a valid input that is refused',
      'analytics.users',
      ({ query }) => (query.limit === '100' ? { status: 400, body: problem(400) } : undefined),
      {
        sent: 'limit 100',
        came: '400: No',
        rule: expect.stringContaining('this value is allowed'),
      },
    ],
    [
      'a cursor that is ignored',
      'sessions.messages.list',
      ({ query }) => {
        const one = { role: 'user', content: [], createdAt: 1, updatedAt: 1 }
        const messages = ['a', 'b', 'c', 'd'].map((name) => ({ ...one, id: name }))
        const page = query.limit === '2' ? messages.slice(0, 2) : messages
        return { body: { messages: page, pagination: { hasMore: true, nextCursor: 'b' } } }
      },
      {
        sent: 'limit 100, then 3 pages with limit 2',
        came: 'other items, with cursor as the cursor',
        rule: 'each item is on one page, whatever the size of the pages is',
      },
    ],
    [
      'an error with other fields',
      'computers.getByName',
      ({ params }) =>
        params.name === 'no-such-thing'
          ? { status: 404, body: { ...problem(404), code: 1 } }
          : undefined,
      {
        sent: '{"name":"no-such-thing"}',
        came: '404; code: an unknown field',
        rule: 'an error has detail, status and title, perhaps metadata, and nothing else',
      },
    ],
    [
      'an error that names another status',
      'computers.get',
      isOf('no-such-thing'),
      {
        sent: '{"computerId":"no-such-thing"}',
        came: '404; status is 500',
        rule: 'status is the HTTP status code',
      },
    ],
  ])('reports %s', async (_, endpoint, handler, deviation) => {
    const { checkWith, emulator } = await makeCheck()
    emulator.on(endpoint, handler)
    const { exitCode, report } = await checkWith()
    expect(exitCode).toBe(1)
    expect(report.deviations).toContainEqual({ endpoint, ...deviation })
    expect(new Set(report.deviations.map((one) => one.endpoint))).toEqual(new Set([endpoint]))
  })

  /** Answers whole lists of messages without the first ones: without as many as `missing` says after so many requests. */
  async function withoutFirst(
    { url, apiKey, sessionId, on }: Emulator,
    missing: (seen: { whole: number; small: number }) => number,
  ) {
    const address = `${url}/api/v0/sessions/${sessionId}/messages?limit=100`
    const headers = { authorization: `Bearer ${apiKey}` }
    const answer = await (await fetch(address, { headers })).text()
    const whole: { messages: unknown[] } = JSON.parse(answer)
    const seen = { whole: 0, small: 0 }
    on('sessions.messages.list', ({ query }) => {
      if (String(query.limit) === '2') seen.small += 1
      if (String(query.limit) !== '100') return undefined
      seen.whole += 1
      return { body: { ...whole, messages: whole.messages.slice(missing(seen)) } }
    })
  }

  it('accepts the pages of a list that grew while it was read', async () => {
    const { checkWith, emulator } = await makeCheck()
    await withoutFirst(emulator, ({ small }) => (small === 0 ? 1 : 0))
    expect((await checkWith()).report.deviations).toEqual([])
  })

  it('reports the pages of a list that is never the same', async () => {
    const { checkWith, emulator } = await makeCheck()
    await withoutFirst(emulator, ({ whole }) => 1 + (whole % 2))
    const { report } = await checkWith()
    expect(report.deviations).toMatchObject([{ endpoint: 'sessions.messages.list' }])
  })

  it('reports properties that must be refused in a rotation', async () => {
    const { checkWith, emulator } = await makeCheck()
    emulator.on('serviceAccounts.keys.rotate', ({ body }) =>
      Object.hasOwn(Object(body), 'noSuchProperty') ? { body: {} } : undefined,
    )
    const { report } = await checkWith('--write', '--irreversible')
    expect(report.deviations).toEqual([
      {
        endpoint: 'serviceAccounts.keys.rotate',
        sent: 'noSuchProperty 1',
        came: '200',
        rule: 'the body may have no other properties; anything else is refused with 400',
      },
    ])
  })

  it('reports a request without a response, and goes on', async () => {
    const { checkWith, emulator } = await makeCheck()
    emulator.faults.add(
      makeFault({ cut: 'before-headers' }, { path: undefined, endpoint: 'wiki.get', skip: 1 }),
    )
    const { exitCode, report } = await checkWith()
    expect(exitCode).toBe(1)
    expect(report.deviations).toContainEqual(
      expect.objectContaining({ endpoint: 'wiki.get', rule: 'every request gets a response' }),
    )
    expect(report.checked).toEqual(reads.map(id))
  })

  it('prints what was sent, what came, and the rule', async () => {
    const { run, all, emulator } = await makeCheck()
    emulator.on('organization.limits.getGlobal', () => ({ status: 202, body: { limit: null } }))
    const { exitCode, stdout } = await run(...all)
    expect(exitCode).toBe(1)
    expect(stdout).toContain(
      [
        'organization.limits.getGlobal',
        '  sent  {}',
        '  came  202',
        '  rule  a valid request is answered with 200',
      ].join('\n'),
    )
  })

  it.each([
    [[], 64, '--base-url is missing'],
    [['--base-url', 'http://127.0.0.1:1', '--write', '--read-only'], 64, 'exclude each other'],
    [['--base-url', 'http://127.0.0.1:1', '--irreversible'], 64, '--irreversible needs --write'],
    [['--base-url', 'http://127.0.0.1:1'], 69, 'ECONNREFUSED'],
    [['--base-url', 'http://example.com'], 78, 'baseUrl'],
  ])('%j exits with %i', async (words, code, message) => {
    const { run } = await makeApiHome()
    const { exitCode, stdout, stderr } = await run('api', 'check', ...words)
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('exits with 77 if the service does not accept the key', async () => {
    const { runWith, emulator } = await makeApiHome()
    const words = ['api', 'check', '--base-url', emulator.url]
    const env = { HOOKBELL_API_KEY: 'fk-of-somebody-else' }
    const { exitCode, stderr } = await runWith({ env }, ...words)
    expect(exitCode).toBe(77)
    expect(stderr).toContain('the service does not accept the key (401)')
    expect(stderr).not.toContain('fk-of-somebody-else')
  })
})
