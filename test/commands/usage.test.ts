import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bar, percent, shortNumber, sparkline } from '../../src/commands/api/chart.ts'
import { lastDays, type Measure, measures, type Usage } from '../../src/commands/api/usage.ts'
import { renderPage } from '../../src/commands/api/usage-page.ts'
import { renderUsage } from '../../src/commands/api/usage-report.ts'
import { browser, dumpPage } from '../support/browser.ts'
import { makeApiHome, makeFault } from './_api-home.ts'

const DAY = 86_400_000
const iso = (time: number) => new Date(time).toISOString().slice(0, 10)

describe('usage: the command', () => {
  it('shows the last thirty days on one screen', async () => {
    const { run } = await makeApiHome()
    const { stdout, exitCode } = await run('usage')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^org_emulator {2}\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d \(30 days, UTC\)/)
    for (const label of ['credits', 'active users', 'sessions', 'tool calls', 'commits'])
      expect(stdout).toMatch(
        new RegExp(`^${label} +([\\d.]+[KM]?|-) +[\\d.]+[KM]? .*[▁▂▃▄▅▆▇█]`, 'm'),
      )
    expect(stdout).toContain('credits by model')
    const lines = stdout.split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('requests no day after yesterday', async () => {
    const { run, emulator } = await makeApiHome()
    const before = Date.now()
    await run('usage', '--days', '7')
    const ends = emulator.requests().map(({ query }) => query.endDate)
    expect(ends).toHaveLength(5)
    // The test may run across midnight.
    for (const end of ends) expect([iso(before - DAY), iso(Date.now() - DAY)]).toContain(end)
    expect(emulator.requests().every(({ status }) => status === 200)).toBe(true)
  })

  it('prints every day as JSON with totals that match the sums', async () => {
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

  it('names the required role when access is denied', async () => {
    const { runWith, emulator } = await makeApiHome()
    const env = { HOOKBELL_API_KEY: emulator.memberApiKey }
    const { exitCode, stderr } = await runWith({ env }, 'usage')
    expect(stderr.match(/Needs the Manager or Owner role/g)).toHaveLength(1)
    expect(exitCode).toBe(77)
  })

  it('tolerates malformed rows', async () => {
    const odd = [
      null,
      5,
      { date: iso(Date.now() - DAY), by_tool: null, by_language: 5, sessions: 'x' },
    ]
    const body = { data: odd, meta: null }
    const { run } = await makeApiHome({ faults: [makeFault({ status: 200, body })] })
    const { stdout, stderr, exitCode } = await run('usage', '--days', '2')
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    expect(stdout).toMatch(/^sessions +0 +0 +0$/m)
  })

  it('exits with 76 for a response without rows', async () => {
    const faults = [makeFault({ status: 200, body: { data: {} } })]
    const { run } = await makeApiHome({ faults })
    const { stderr, exitCode } = await run('usage')
    expect(stderr).toContain('x usage: the response of analytics.tokens has no list at "data"')
    expect(exitCode).toBe(76)
  })

  it.each(['0', '1.5', 'all', '367'])('--days %s exits with 64', async (days) => {
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
  ])('at %s the last %i days are %s to %s', (now, count, startDate, endDate) => {
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
  ])('draws %j as %j', (values, expected) => {
    expect(sparkline(values, 40)).toBe(expected)
  })

  it('averages values that do not fit into the width', () => {
    expect(sparkline([0, 0, 8, 8, 4, 4], 3)).toBe(' █▅')
    const long = Array.from({ length: 366 }, (_, index) => index)
    expect(sparkline(long, 40)).toHaveLength(40)
  })

  it('never draws an empty bar for a positive share, nor a bar longer than the width', () => {
    expect([bar(0, 10), bar(0.001, 10), bar(0.5, 10), bar(1, 10), bar(7, 10)]).toEqual([
      '',
      '▏',
      '█'.repeat(5),
      '█'.repeat(10),
      '█'.repeat(10),
    ])
  })

  it('draws fractions of a character', () => {
    expect([0.05, 0.25, 0.49].map((share) => bar(share, 4))).toEqual(['▎', '█', '██'])
    expect(bar(0.33, 4)).toBe('█▍')
  })

  it('shortens numbers', () => {
    const numbers = [0, 3.06, 99.96, 123.4, 999, 999.6, 1000, 1234, 25_000_000]
    expect(numbers.map(shortNumber)).toEqual([
      '0',
      '3.1',
      '100',
      '123',
      '999',
      '1.0K',
      '1.0K',
      '1.2K',
      '25.0M',
    ])
  })

  it('formats a small positive share as less than one per cent', () => {
    expect([percent(0, 0), percent(0, 9), percent(1, 1000), percent(1, 3)]).toEqual([
      '0%',
      '0%',
      '<1%',
      '33%',
    ])
  })

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

  it('prints zeros and no charts for an organization without activity', () => {
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

                         total   a day    peak
      credits                0       0       0
      active users           -       0       0
      sessions               0       0       0
      messages               0       0       0
      tool calls             0       0       0
      files created          0       0       0
      files edited           0       0       0
      commits                0       0       0
      pull requests          0       0       0"
    `)
  })

  const days = Array.from({ length: 60 }, (_, at) => ({
    ...nothing,
    date: iso(Date.UTC(2026, 0, 1) + at * DAY),
    credits: at * 1000,
    activeUsers: at % 7,
  }))
  const busy: Usage = {
    organization: 'org',
    from: days[0]?.date ?? '',
    to: days.at(-1)?.date ?? '',
    totals: { ...nothing, credits: 1_770_000, activeUsers: 6 },
    monthlyActiveUsers: 1,
    days,
    creditsByModel: [
      { name: `a-model-with-a-very-long-name-${'x'.repeat(40)}`, count: 1_700_000 },
      { name: 'b\u001b[31m', count: 70_000 },
    ],
    toolCallsByTool: Array.from({ length: 9 }, (_, at) => ({ name: `tool${at}`, count: 900 - at })),
    filesByLanguage: [{ name: 'Rust', count: 1 }],
  }

  it('prints aligned columns and sums up the small entries', () => {
    expect(renderUsage(busy)).toMatchInlineSnapshot(`
      "org  2026-01-01 to 2026-03-01 (60 days, UTC)

                         total   a day    peak
      credits             1.8M   29.5K   59.0K   ▁▁▁▁▂▂▂▂▂▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▇▇▇▇▇█████
      active users           -     2.9       6   ▃▅▇█▁▄▆█ ▃▅▇▅▂▄▆█▁▃▅▇▅▂▄▇█▁▃▅▇▅▃▅▇█▁▄
      sessions               0       0       0
      messages               0       0       0
      tool calls             0       0       0
      files created          0       0       0
      files edited           0       0       0
      commits                0       0       0
      pull requests          0       0       0
                                                01-01                            03-01

      1 active user in the last 30 days

      credits by model
      a-model-with-a-very-long-name-x…    1.7M     96%  ████████████████████
      b                                  70.0K      4%  ▉

      tool calls by tool
      tool0                900     11%  █████
      tool1                899     11%  █████
      tool2                898     11%  █████
      tool3                897     11%  █████
      tool4                896     11%  █████
      4 others            3.6K     44%  ████████████████████

      files by language
      Rust                   1    100%  ████████████████████"
    `)
  })

  it.each([30, 48, 63, 64, 80, 200])('fits into %i columns, but never less than 42', (width) => {
    const lines = renderUsage(busy, width).split('\n').slice(1)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.max(width, 42))
  })
})

describe('usage: other formats', () => {
  it('prints one line of CSV per day', async () => {
    const { run } = await makeApiHome()
    const { stdout } = await run('usage', '--days', '3', '--csv')
    const [head, ...lines] = stdout.split('\n')
    expect(head).toMatch(/^date,credits,activeUsers,sessions,/)
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\d(,\d+(\.\d+)?){9}$/)
  })

  it('writes one self-contained HTML page with mode 0600', async () => {
    const { run, project } = await makeApiHome()
    const file = join(project, 'usage.html')
    expect(await run('usage', '--html', file)).toMatchObject({ exitCode: 0, stderr: '' })
    const page = readFileSync(file, 'utf8')
    expect(page).toContain('Credits by user')
    expect(page).toContain('ada@example.com')
    expect(page.match(/<svg/g)?.length).toBeGreaterThanOrEqual(6)
    expect(page).not.toMatch(/<script|<link|<img|src=|url\((?!#)/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('rejects --csv together with --json', async () => {
    const { run } = await makeApiHome()
    expect(await run('usage', '--csv', '--json')).toMatchObject({ exitCode: 64 })
  })

  it('escapes HTML in names from the service', () => {
    const evil = '<img src=x onerror=alert(1)>'
    const day = Object.fromEntries(measures.map((name) => [name, 1])) as Record<Measure, number>
    const usage: Usage = {
      organization: evil,
      from: '2026-02-01',
      to: '2026-02-01',
      totals: day,
      monthlyActiveUsers: 1,
      days: [{ date: '2026-02-01', ...day }],
      creditsByModel: [{ name: evil, count: 1 }],
      creditsByUser: [{ name: evil, count: 1 }],
      toolCallsByTool: [{ name: `"${evil}`, count: 1 }],
      filesByLanguage: [],
    }
    expect(renderPage(usage)).not.toContain('<img')
  })

  // Needs a browser.
  it.skipIf(!browser)('writes a page that chromium renders', async () => {
    const { run, project } = await makeApiHome()
    const file = join(project, 'usage.html')
    await run('usage', '--html', file)
    const stdout = await dumpPage(`file://${file}`, project)
    expect(stdout).toContain('Credits by model')
    expect(stdout.match(/<svg/g)?.length).toBeGreaterThanOrEqual(6)
  })

  it.skipIf(!browser)('writes a page that fits a phone and follows dark mode', async () => {
    const { run, project } = await makeApiHome()
    await run('usage', '--html', join(project, 'usage.html'))
    const page = readFileSync(join(project, 'usage.html'), 'utf8')
    const quoted = page.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    const look = `<iframe width=360 srcdoc="${quoted}"></iframe><script>
      onload = () => {
        const { body, documentElement, defaultView } = document.querySelector('iframe').contentDocument
        const isWide = documentElement.scrollWidth > 360
        const chart = body.querySelector('svg').clientWidth
        document.title = [isWide, chart, defaultView.getComputedStyle(body).backgroundColor].join()
      }</script>`
    const file = join(project, 'look.html')
    writeFileSync(file, look)
    // Simulates the colour scheme of the reader's system: 0 is dark.
    const dark = ['--blink-settings=preferredColorScheme=0']
    expect(await dumpPage(`file://${file}`, project)).toContain(
      '<title>false,620,rgb(244, 245, 247)',
    )
    expect(await dumpPage(`file://${file}`, project, dark)).toContain(
      '<title>false,620,rgb(22, 24, 28)',
    )
  })
})
