import { describe, expect, it } from 'vitest'
import { bar, shortNumber, sparkline } from '../../src/api-cli/chart.ts'
import { lastDays } from '../../src/api-cli/period.ts'
import type { Usage } from '../../src/api-cli/usage.ts'
import { renderUsage } from '../../src/api-cli/usage-report.ts'
import { makeApiHome } from './_api-home.ts'

const DAY = 86_400_000
const iso = (time: number) => new Date(time).toISOString().slice(0, 10)

describe('usage: the command', () => {
  it('shows the last thirty days on one screen', async () => {
    const { run } = await makeApiHome()
    const { stdout, exitCode } = await run('usage')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^org_emulator {2}\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d \(30 days, UTC\)/)
    for (const label of ['credits', 'active users', 'sessions', 'tool calls', 'commits'])
      expect(stdout).toMatch(new RegExp(`^${label} +[\\d.]+[KM]? +[▁▂▃▄▅▆▇█ ]+`, 'm'))
    expect(stdout).toContain('credits by model')
    const lines = stdout.split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(110)
  })

  it('asks for nothing after yesterday', async () => {
    const { run, emulator } = await makeApiHome()
    const before = Date.now()
    await run('usage', '--days', '7')
    const ends = emulator.requests().map(({ query }) => query.endDate)
    expect(ends).toHaveLength(5)
    // Midnight may pass while the test runs.
    for (const end of ends) expect([iso(before - DAY), iso(Date.now() - DAY)]).toContain(end)
    expect(emulator.requests().every(({ status }) => status === 200)).toBe(true)
  })

  it('gives every day as JSON, and totals that are their sums', async () => {
    const { run } = await makeApiHome()
    const { stdout } = await run('usage', '--days', '14', '--json')
    const usage: Usage = JSON.parse(stdout)
    expect(usage.days).toHaveLength(14)
    expect(usage.days[0]?.date).toBe(usage.from)
    expect(usage.days.at(-1)?.date).toBe(usage.to)
    const sum = usage.days.reduce((all, { credits }) => all + credits, 0)
    expect(usage.totals.credits).toBe(sum)
    expect(usage.totals.activeUsers).toBe(Math.max(...usage.days.map((day) => day.activeUsers)))
    const byModel = usage.creditsByModel.reduce((all, { count }) => all + count, 0)
    expect(byModel).toBe(sum)
  })

  it('says who may see it', async () => {
    const { runWith, emulator } = await makeApiHome()
    const env = { HOOKBELL_API_KEY: emulator.memberApiKey }
    const { exitCode, stderr } = await runWith({ env }, 'usage')
    expect(stderr).toContain('Needs the Manager or Owner role')
    expect(exitCode).toBe(77)
  })

  it.each(['0', '1.5', 'all', '367'])('--days %s exits 64', async (days) => {
    const { run } = await makeApiHome()
    const { exitCode, stderr } = await run('usage', '--days', days)
    expect(stderr).toContain(`--days takes a whole number from 1 to 366, not "${days}"`)
    expect(exitCode).toBe(64)
  })
})

describe('usage: days', () => {
  it.each([
    ['2026-03-01T00:00:00.000Z', 1, '2026-02-28', '2026-02-28'],
    ['2026-03-01T23:59:59.999Z', 2, '2026-02-27', '2026-02-28'],
    ['2028-03-01T12:00:00.000Z', 1, '2028-02-29', '2028-02-29'],
    ['2026-01-05T00:00:00.001Z', 10, '2025-12-26', '2026-01-04'],
  ])('at %s the last %i are %s to %s', (now, count, startDate, endDate) => {
    const period = lastDays(count, Date.parse(now))
    expect(period).toMatchObject({ startDate, endDate })
    expect(period.days).toHaveLength(count)
  })
})

describe('usage: charts', () => {
  it.each([
    [[0, 1, 4, 8], ' ▂▅█'],
    [[0, 0], '  '],
    [[], ''],
    [[5], '█'],
    [[1, 1000], '▁█'],
  ])('%j as %j', (values, expected) => {
    expect(sparkline(values, 40)).toBe(expected)
  })

  it('averages what does not fit', () => {
    expect(sparkline([0, 0, 8, 8, 4, 4], 3)).toBe(' █▅')
    const long = Array.from({ length: 366 }, (_, index) => index)
    expect(sparkline(long, 40)).toHaveLength(40)
  })

  it('never draws an empty bar for more than nothing, or a longer one than there is room', () => {
    expect([bar(0, 10), bar(0.001, 10), bar(0.5, 10), bar(1, 10), bar(7, 10)]).toEqual([
      '',
      '█',
      '█'.repeat(5),
      '█'.repeat(10),
      '█'.repeat(10),
    ])
  })

  it('shortens numbers', () => {
    expect([0, 999, 1234, 46_100_000].map(shortNumber)).toEqual(['0', '999', '1.2K', '46.1M'])
  })

  it('shows an organization without any figures', () => {
    const nothing = {
      credits: 0,
      activeUsers: 0,
      sessions: 0,
      messages: 0,
      toolCalls: 0,
      filesCreated: 0,
      filesEdited: 0,
      commits: 0,
      pullRequests: 0,
    }
    const usage: Usage = {
      organization: 'org\u001b[2J',
      from: '2026-06-14',
      to: '2026-06-14',
      totals: nothing,
      monthlyActiveUsers: null,
      days: [{ date: '2026-06-14', ...nothing }],
      creditsByModel: [],
      toolCallsByTool: [],
      filesByLanguage: [],
    }
    expect(renderUsage(usage)).toMatchInlineSnapshot(`
      "org[2J  2026-06-14 to 2026-06-14 (1 day, UTC)

      credits             0
      active users        0     most on one day
      sessions            0
      messages            0
      tool calls          0
      files created       0
      files edited        0
      commits             0
      pull requests       0"
    `)
  })
})
