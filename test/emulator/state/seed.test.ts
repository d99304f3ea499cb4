import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EmulatorError, loadSeed, parseSeed, type SeedInput } from '../../../src/emulator/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { startTestEmulator } from '../_support.ts'

const owner = { id: 'u', email: 'u@example.com', role: 'owner' as const, apiKey: 'fk-u' }
const message = { id: 'm', role: 'user', content: [] }
const report = {
  ...{ reportId: '00000000-0000-4000-8000-000000000001', repoId: 'r', repoUrl: 'https://x' },
  ...{ createdAt: 1, apps: {}, report: {} },
}

describe('a seed', () => {
  it('has defaults for omitted parts, and a parsed seed can be parsed again', () => {
    const seed = parseSeed({})
    expect(seed.users.length).toBeGreaterThan(2)
    expect(parseSeed(seed)).toEqual(seed)
  })

  it('replaces whole lists', async () => {
    const seed: SeedInput = { users: [owner], computers: [], sessions: [], serviceAccounts: [] }
    const emulator = await startTestEmulator({ seed })
    expect(emulator.apiKey).toBe('fk-u')
    expect(emulator.state().members.map(({ id }) => id)).toEqual(['u'])
    const { computerId, keyId, memberApiKey } = emulator
    expect([computerId, keyId, memberApiKey]).toEqual(['none', 'none', 'none'])
    expect((await emulator.get(`/api/v0/computers/${computerId}`)).status).toBe(404)
  })

  it('with only users drops the default entries of other users', () => {
    const seed = parseSeed({ users: [owner] })
    expect(seed.computers.map(({ id }) => id)).toEqual(['comp_deploy'])
    expect(seed.sessions).toEqual([])
    const ada = { ...owner, id: 'user_ada' }
    expect(parseSeed({ users: [ada] }).sessions.map(({ id }) => id)).toEqual(['sess_welcome'])
  })

  it.each([
    [{ user: [] }, 'user'],
    [{ users: [{ ...owner, role: 'boss' }] }, 'users[0].role'],
    [{ users: [{ id: 'u' }] }, 'users[0].email'],
    [{ users: [{ ...owner, apiKey: undefined }] }, 'users: one owner or manager'],
    [{ users: [owner, { ...owner, email: 'v@example.com' }] }, 'users: duplicate "u"'],
    [{ invitations: [{ email: 'ADA@example.com' }] }, 'users: duplicate "ada@example.com"'],
    [{ sessions: [{ id: 's', computerId: 'c' }] }, 'sessions[0].computerId: no computer "c"'],
    [
      { computers: [{ id: 'c', name: 'c', ownerId: 'u' }] },
      'computers[0].ownerId: no user or service account "u"',
    ],
    [{ computers: [{ id: 'c', name: 'x'.repeat(64), ownerId: 'user_ada' }] }, 'computers[0].name'],
    [
      { sessions: [{ id: 's', computerId: 'comp_ada', messages: [message, message] }] },
      'sessions[0].messages: duplicate "m"',
    ],
    [{ wikiRuns: [{ id: 'w' }, { id: 'w' }] }, 'wikiRuns: duplicate "w"'],
    [{ readinessReports: [report, report] }, `readinessReports: duplicate "${report.reportId}"`],
    [{ limits: { global: -1 } }, 'limits.global'],
    [{ agent: { stepMs: '5' } }, 'agent.stepMs'],
  ])('is rejected when invalid: %j', (seed, message) => {
    expect(() => parseSeed(seed)).toThrow(message)
    expect(() => parseSeed(seed)).toThrow(EmulatorError)
  })

  it('is read from a file, with the file in error messages', async () => {
    const file = join(await makeFolder(), 'seed.json')
    // With a byte order mark, as Windows programs write it.
    await writeFile(file, `\ufeff${JSON.stringify({ limits: { global: 5 } })}`)
    const emulator = await startTestEmulator({ seed: await loadSeed(file) })
    expect((await emulator.get('/api/v0/organization/usage/limits/global')).body.limit).toBe(5)
    await writeFile(file, JSON.stringify({ limits: { global: 'x' } }))
    await expect(loadSeed(file)).rejects.toThrow(`seed file "${file}": limits.global: `)
    await writeFile(file, 'x')
    await expect(loadSeed(file)).rejects.toThrow(`seed file "${file}": not JSON: `)
  })
})

describe('a new emulator', () => {
  it('gives new sessions, messages and wiki runs other IDs than those of the seed', async () => {
    const { computerId, post } = await startTestEmulator({
      seed: {
        sessions: [
          {
            ...{ id: 'sess_000001', computerId: 'comp_ada' },
            messages: [{ id: 'msg_000007', role: 'user', content: [] }],
          },
        ],
        wikiRuns: [{ id: 'wiki_000002' }],
      },
    })
    const { body: session } = await post('/api/v0/sessions', { computerId })
    const messages = `/api/v0/sessions/${session.sessionId}/messages`
    const { body: message } = await post(messages, { text: 'x' })
    const { body: run } = await post('/api/v0/wiki', {})
    const ids = [session.sessionId, message.messageId, run.wikiRunId]
    expect(ids).toEqual(['sess_000008', 'msg_000009', 'wiki_000010'])
  })

  it('returns IDs that can be used at once', async () => {
    const emulator = await startTestEmulator()
    const { computerId, sessionId, wikiRunId } = emulator
    const paths = [
      `/api/v0/computers/${computerId}`,
      `/api/v0/sessions/${sessionId}/messages`,
      `/api/v0/wiki/${wikiRunId}`,
    ]
    for (const path of paths) expect((await emulator.get(path)).status).toBe(200)
    const key = emulator.memberApiKey
    expect((await emulator.get('/api/v0/automations/ci/scan', { key })).status).toBe(200)
  })

  it('uses real time by default', async () => {
    const emulator = await startTestEmulator({ now: undefined })
    const before = Date.now()
    const now = emulator.clock.now()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
    expect(() => emulator.clock.advance(0.5)).toThrow('not a whole number')
  })
})
