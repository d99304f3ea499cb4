import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportPage } from '../../src/commands/report/page.ts'
import { renderReport } from '../../src/commands/report/text.ts'
import type { Report } from '../../src/report/report.ts'
import { browser, dumpPage } from '../support/browser.ts'
import { entriesOf, eventsOfSequence } from '../support/entries.ts'
import { makeHome } from '../support/home.ts'
import { loadSequences } from '../support/sequence.ts'

const DAY_MS = 86_400_000

/** A home with a journal of several days that ends yesterday. */
async function makeReportHome() {
  const home = await makeHome()
  const entries = loadSequences().flatMap(({ name }, index) => {
    const events = eventsOfSequence(name, Date.now() - (1 + (index % 6)) * DAY_MS)
    const named = events.map((event) => ({ ...event, sessionId: `${name} ${event.sessionId}` }))
    return entriesOf(named)
  })
  mkdirSync(home.state)
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`)
  writeFileSync(join(home.state, 'journal.jsonl'), lines.join(''))
  return { home, entries }
}

const evil = '<img src=x onerror=alert(1)>'
const report: Report = {
  from: Date.parse('2026-11-13T09:00'),
  to: Date.parse('2026-11-20T09:00'),
  events: 90,
  waits: [
    {
      ...{ project: 'shop', kind: 'permission', waits: 4, answered: 3, open: 1 },
      ...{ medianMs: 95_000, p90Ms: 600_000, longestMs: 3_900_000 },
    },
    {
      ...{ project: `x\u001b[2J${evil}`, kind: 'done', waits: 1, answered: 0, open: 0 },
      ...{ medianMs: null, p90Ms: null, longestMs: null },
    },
  ],
  answers: [
    { name: 'under 1 min', count: 1 },
    { name: '1 to 5 min', count: 2 },
  ],
  places: [
    { name: 'where the agent asks', count: 2 },
    { name: 'telegram', count: 1 },
  ],
  turns: [{ project: 'shop', turns: 3, medianMs: 7_260_000, medianWorkMs: 360_000 }],
  days: [{ date: '2026-11-19', messages: 12, notTold: 3 }],
  channels: [{ name: 'team', messages: 12, events: 14, retries: 1, failed: 0, unavailable: 2 }],
  suppressed: [
    { name: 'short-turns', count: 30 },
    { name: evil, count: 1 },
  ],
}

describe('hookbell report', () => {
  it('prints the waits, answers, channels and suppressed events on one screen', async () => {
    const { home, entries } = await makeReportHome()
    const { stdout, exitCode } = await home.run('report')
    expect(exitCode).toBe(0)
    const count = entries.filter(({ type }) => type === 'accepted').length
    expect(stdout).toMatch(new RegExp(`^${count} events from \\d{4}-`))
    for (const block of [
      'waited for a person',
      'answered',
      'turns',
      'channels',
      'not told (each channel counts)',
    ])
      expect(stdout).toContain(`\n${block}\n`)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    const { stdout: json } = await home.run('report', '--json', '--since', '30d')
    expect(JSON.parse(json)).toMatchObject({ events: count, channels: [{ name: 'desktop' }] })
  })

  it('prints aligned columns', () => {
    expect(renderReport(report)).toMatchInlineSnapshot(`
      "90 events from 2026-11-13 09:00 to 2026-11-20 09:00

      waited for a person
        project                           kind        times  median  90 %    longest
        shop                              permission  4      2 min   10 min  1 h 5 min  1 open  ████████
        x[2J<img src=x onerror=alert(1)>  done        1      -       -       -

      answered
        under 1 min       1   33%  ███████████████
        1 to 5 min        2   67%  ██████████████████████████████

      answered from
        where the agent asks       2   67%  ██████████████████████████████
        telegram                   1   33%  ███████████████

      turns
        project  times  median     worked at least
        shop     3      2 h 1 min  6 min

      channels
        channel  messages  events  retried  failed  unavailable
        team     12        14      1        0       2

      not told (each channel counts)
        short-turns                       30   97%  ██████████████████████████████
        <img src=x onerror=alert(1)>       1    3%  █"
    `)
  })

  it('writes one self-contained HTML page with mode 0600', async () => {
    const { home } = await makeReportHome()
    const file = join(home.project, 'report.html')
    expect(await home.run('report', '--html', file)).toMatchObject({ exitCode: 0, stderr: '' })
    const page = readFileSync(file, 'utf8')
    expect(page.match(/<svg/g)?.length).toBe(5)
    expect(page).not.toMatch(/<script|<link|<img|src=|url\((?!#)/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('escapes HTML in names', () => {
    expect(reportPage(report)).not.toContain('<img')
  })

  it.each([
    [['--json', '--html', 'x.html'], '--json and --html exclude each other'],
    [['--html', ''], '--html takes a file'],
    [['--html', '/no/such/file'], 'cannot write "/no/such/file"'],
    [['--since', 'soon'], '--since takes a duration or a date'],
  ])('%j exits with 64', async (words, message) => {
    const home = await makeHome()
    const { exitCode, stderr } = await home.run('report', ...words)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(64)
  })

  it('prints an empty report without a journal', async () => {
    const home = await makeHome()
    expect((await home.run('report')).stdout).toMatch(/^0 events from /)
  })
})

// Needs a browser.
it.skipIf(!browser)('chromium renders the page of the report', async () => {
  const { home } = await makeReportHome()
  const file = join(home.project, 'report.html')
  await home.run('report', '--html', file)
  const stdout = await dumpPage(`file://${file}`, home.project)
  expect(stdout).toContain('How long agents waited')
  expect(stdout.match(/<svg/g)?.length).toBe(5)
})
