import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays } from '../../../src/emulator/handlers/analytics.ts'
import { runs } from '../../support/runs.ts'
import { type Answer, startTestEmulator, type TestEmulator } from '../_support.ts'

const ANALYTICS = '/api/v1/analytics'
const all = ['tokens', 'tools', 'activity', 'productivity', 'users'] as const
const groups = { tokens: 'model', tools: 'tool_name', activity: 'client' } as const
const week = { startDate: '2026-06-01', endDate: '2026-06-07' }

interface Row {
  date: string
  group_key: string
  user_id: string
  [field: string]: unknown
}

async function read(emulator: TestEmulator, name: string, query: Record<string, string> = {}) {
  return emulator.get(`${ANALYTICS}/${name}?${new URLSearchParams({ ...week, ...query })}`)
}

async function rowsOf(emulator: TestEmulator, name: string, query: Record<string, string> = {}) {
  const { status, body } = await read(emulator, name, query)
  expect(status).toBe(200)
  return body.data as Row[]
}

const sumOf = (rows: readonly object[], field: string) =>
  rows.reduce((sum, row) => sum + Number(Object(row)[field]), 0)

describe.each(all)('GET .../%s', (name) => {
  it('returns the organization and the period in meta', async () => {
    const emulator = await startTestEmulator()
    const { meta } = (await read(emulator, name)).body
    expect(meta).toMatchObject({
      org_id: 'org_emulator',
      start_date: week.startDate,
      end_date: week.endDate,
    })
  })

  it('responds with 200 to managers and owners, and with 403 to others', async () => {
    const emulator = await startTestEmulator()
    const statuses = []
    for (const key of [
      emulator.apiKey,
      'fk-emulator-manager-84a0e7',
      emulator.memberApiKey,
      emulator.serviceAccountKey,
    ]) {
      statuses.push(
        (await emulator.get(`${ANALYTICS}/${name}?${new URLSearchParams(week)}`, { key })).status,
      )
    }
    expect(statuses).toEqual([200, 200, 403, 403])
  })

  it('responds with 400 to today, to future days and to reversed or excessive ranges', async () => {
    const emulator = await startTestEmulator()
    const ranges = [
      ['2026-06-15', '2026-06-15'],
      ['2026-06-10', '2026-06-15'],
      ['2027-01-01', '2027-01-02'],
      ['2026-06-02', '2026-06-01'],
      ['1990-01-01', '2026-06-01'],
    ]
    for (const [startDate = '', endDate = ''] of ranges) {
      const { status, body } = await read(emulator, name, { startDate, endDate })
      expect([status, body.title], `${startDate} to ${endDate}`).toEqual([400, 'Bad Request'])
      expect(Object.keys(body).sort()).toEqual(['detail', 'requestId', 'status', 'title'])
      expect(body.detail).toContain('query.endDate')
    }
    const yesterday = { startDate: '2026-06-14', endDate: '2026-06-14' }
    expect((await read(emulator, name, yesterday)).status).toBe(200)
  })

  it('includes a day as soon as it is over in UTC', async () => {
    const emulator = await startTestEmulator()
    const day = { startDate: '2026-06-15', endDate: '2026-06-15' }
    emulator.clock.set(Date.UTC(2026, 5, 16) - 1)
    expect((await read(emulator, name, day)).status).toBe(400)
    emulator.clock.set(Date.UTC(2026, 5, 16))
    expect((await read(emulator, name, day)).status).toBe(200)
  })

  it('returns the same rows for the same days, also if they are requested in two parts', async () => {
    const one = await startTestEmulator()
    const other = await startTestEmulator()
    const query = { limit: '100' }
    const more = name === 'users' ? query : {}
    const day = fc.integer({ min: 0, max: 700 }).map((back) => addDays('2026-06-14', -back))
    const range = fc.record({ start: day, length: fc.integer({ min: 1, max: 20 }) })
    await fc.assert(
      fc.asyncProperty(range, fc.nat(), async ({ start, length }, cut) => {
        const last = addDays(start, length - 1)
        const endDate = last > '2026-06-14' ? '2026-06-14' : last
        const whole = await rowsOf(one, name, { startDate: start, endDate, ...more })
        other.clock.advance(1)
        expect(await rowsOf(other, name, { startDate: start, endDate, ...more })).toEqual(whole)
        const middle = addDays(start, cut % length)
        if (middle >= endDate) return
        const parts = [
          ...(await rowsOf(one, name, { startDate: start, endDate: middle, ...more })),
          ...(await rowsOf(one, name, { startDate: addDays(middle, 1), endDate, ...more })),
        ]
        expect(byUser(name, parts)).toEqual(whole)
      }),
      { numRuns: runs(25) },
    )
  })

  it('returns other rows for another seed, and keeps the rows of a removed user', async () => {
    const emulator = await startTestEmulator()
    const rows = await rowsOf(emulator, name)
    await emulator.delete('/api/v0/organization/users?email=eve%40example.com')
    expect(await rowsOf(emulator, name)).toEqual(rows)
    const other = await startTestEmulator({ seed: { analytics: { seed: 'other' } } })
    expect(await rowsOf(other, name)).not.toEqual(rows)
  })
})

// Users are sorted by ID, each with all days.
function byUser(name: string, rows: Row[]) {
  if (name !== 'users') return rows
  return rows.toSorted((a, b) => `${a.user_id} ${a.date}`.localeCompare(`${b.user_id} ${b.date}`))
}

describe.each(Object.entries(groups))('GET .../%s by %s', (name, dimension) => {
  it('returns one row for each value and day', async () => {
    const emulator = await startTestEmulator()
    const rows = await rowsOf(emulator, name, { group_by: dimension })
    const keys = rows.map(({ date, group_key }) => `${date} ${group_key}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toEqual(keys.toSorted())
    expect(rows.length).toBeGreaterThan(7)
  })

  it('rejects every other dimension', async () => {
    const emulator = await startTestEmulator()
    for (const other of [...Object.values(groups), 'user']) {
      const { status } = await read(emulator, name, { group_by: other })
      expect(status).toBe(other === dimension ? 200 : 400)
    }
    const { status, body } = await read(emulator, name, { groupBy: dimension })
    expect([status, body.detail]).toEqual([400, 'query.groupBy: unknown property'])
  })
})

describe('the figures', () => {
  it('have the same sum by day, group and user', async () => {
    const emulator = await startTestEmulator()
    const [tokens, byModel, tools, byTool, users] = await Promise.all([
      rowsOf(emulator, 'tokens'),
      rowsOf(emulator, 'tokens', { group_by: 'model' }),
      rowsOf(emulator, 'tools'),
      rowsOf(emulator, 'tools', { group_by: 'tool_name' }),
      rowsOf(emulator, 'users', { limit: '100' }),
    ])
    expect(tokens).toHaveLength(7)
    expect(sumOf(byModel, 'billable_tokens')).toBe(sumOf(tokens, 'billable_tokens'))
    expect(sumOf(users, 'billable_tokens')).toBe(sumOf(tokens, 'billable_tokens'))
    expect(sumOf(byTool, 'tool_calls')).toBe(sumOf(tools, 'tool_calls'))
    expect(sumOf(users, 'tool_calls')).toBe(sumOf(tools, 'tool_calls'))
    for (const field of ['sessions', 'messages', 'user_messages']) {
      expect(sumOf(users, field)).toBe(sumOf(await rowsOf(emulator, 'activity'), field))
    }
    for (const field of ['files_created', 'files_edited', 'git_commits', 'git_prs_created']) {
      expect(sumOf(users, field)).toBe(sumOf(await rowsOf(emulator, 'productivity'), field))
    }
  })

  it('count a user of two clients once per day, and once per client', async () => {
    const emulator = await startTestEmulator()
    const query = { startDate: '2026-05-01', endDate: '2026-06-14' }
    const days = await rowsOf(emulator, 'activity', query)
    const clients = await rowsOf(emulator, 'activity', { ...query, group_by: 'client' })
    for (const day of days) {
      const { daily_active_users: daily, weekly_active_users: weekly } = day
      const ofDay = clients.filter(({ date }) => date === day.date)
      const counts = ofDay.map((row) => [row.group_key, row.daily_active_users])
      expect(day.daily_active_users_by_client).toEqual(Object.fromEntries(counts))
      expect(sumOf(ofDay, 'daily_active_users')).toBeGreaterThanOrEqual(Number(daily))
      expect(Number(weekly)).toBeGreaterThanOrEqual(Number(daily))
      expect(Number(day.monthly_active_users)).toBeGreaterThanOrEqual(Number(weekly))
    }
    expect(sumOf(clients, 'daily_active_users')).toBeGreaterThan(sumOf(days, 'daily_active_users'))
  })

  it('include users without an email address', async () => {
    const emulator = await startTestEmulator()
    const rows = await rowsOf(emulator, 'users', { limit: '100' })
    const dan = rows.filter((row) => row.user_id === 'user_dan')
    expect(dan.length).toBeGreaterThan(0)
    expect(dan.every((row) => row.user_email === null)).toBe(true)
  })
})

describe('the pages of users', () => {
  const users = Array.from({ length: 45 }, (_, index) => ({
    id: `user_${String(index).padStart(2, '0')}`,
    email: `user${index}@example.com`,
    role: 'owner' as const,
    apiKey: `fk-${index}`,
  }))
  const computers = [{ id: 'c', name: 'box', ownerId: 'user_00' }]
  const seed = { users, computers, sessions: [] }

  it.each([
    ['', 20],
    ['1', 1],
    ['7', 7],
    ['100', 100],
  ])('with the limit "%s" contain at most %i users, and each user once', async (limit, size) => {
    const emulator = await startTestEmulator({ seed })
    const whole = await rowsOf(emulator, 'users', { limit: '100' })
    const rows: Row[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: Record<string, string> = {
        ...(limit ? { limit } : {}),
        ...(cursor ? { cursor } : {}),
      }
      const answer: Answer = await read(emulator, 'users', query)
      const { data, meta } = answer.body
      expect(new Set(data.map((row: Row) => row.user_id)).size).toBeLessThanOrEqual(size)
      expect(meta.has_more).toBe(meta.next_cursor !== null)
      if (meta.has_more) expect(meta.next_cursor).toBe(data.at(-1).user_id)
      rows.push(...data)
      cursor = meta.next_cursor
    }
    expect(rows).toEqual(whole)
    expect(new Set(rows.map((row) => row.user_id)).size).toBeGreaterThan(40)
  })
})
