import { request } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hubPage } from '../../../src/commands/hub/page.ts'
import { parsePlace, startPage } from '../../../src/commands/hub/page-server.ts'
import { browser } from '../../support/browser.ts'
import { makeFolder } from '../../support/folder.ts'

const HOUR_MS = 3600_000
const now = Date.now()

const status = {
  inbox: 2,
  ...{ isRunning: true, isShut: true },
  counts: { delivered: 1284, refused: 1 },
  lastRefused: { at: now - HOUR_MS, why: 'not a record: title' },
  destinations: [
    {
      ...{
        channels: ['team', 'oncall'],
        waiting: 14,
        questions: 2,
        active: 1,
        endedInLastHour: 97,
      },
      ...{ dead: 3, deadBecause: [{ reason: 'slack: channel_not_found', count: 3 }] },
      ...{ oldest: now - 90_000, restMs: 30_000 },
      lastFailure: { at: now - 9000, attempt: 4, reason: 'slack: 503 <b>', until: now + 30_000 },
    },
    {
      ...{ channels: ['archive'], waiting: 0, questions: 0, active: 0, endedInLastHour: 204 },
      ...{ dead: 0, deadBecause: [], oldest: null, restMs: 0 },
      lastFailure: null,
    },
  ],
}

const waiting = (host: string, title: string, ms: number, more = 0) => ({
  ...{ host, project: 'shop', label: 'fix the checkout', kind: 'permission', title, more },
  text: '',
  since: now - ms,
})

const sessions = [
  waiting('build-7', 'shop: may the agent run npm publish?', 2.4 * HOUR_MS, 2),
  waiting('laptop-anna', '<script>alert(1)</script><img src=x onerror=alert(1)>', 12 * 60_000),
]

async function serve(render = async () => hubPage(status, sessions, now)) {
  const page = await startPage(parsePlace('127.0.0.1:0'), render)
  onTestFinished(() => page.close())
  return page.url
}

/** Sends one request, optionally with a Host header of its own. */
function ask(
  url: string,
  { host, method = 'GET', path = '/' }: { host?: string; method?: string; path?: string } = {},
) {
  return new Promise<{ status: number; headers: object; body: string }>((resolve, reject) => {
    const headers = host === undefined ? {} : { host }
    const sent = request(new URL(path, url), { method, headers, agent: false }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      )
    })
    sent.on('error', reject).end()
  })
}

describe('commands: the web page of the hub', () => {
  it.each([
    '0.0.0.0:8765',
    '192.0.2.1:80',
    'hub.example:80',
    '127.0.0.1',
    '8765',
    '127.0.0.1:99999',
  ])('refuses to listen on %s', (place) => {
    expect(() => parsePlace(place)).toThrow('must be on this machine')
  })

  it.each(['127.0.0.1:80', 'localhost:8765', '[::1]:8765'])('accepts to listen on %s', (place) => {
    expect(parsePlace(place).port).toBeGreaterThan(0)
  })

  it('responds only to the host names of this machine, against DNS rebinding', async () => {
    const url = await serve()
    expect(await ask(url)).toMatchObject({ status: 200 })
    expect(await ask(url, { host: 'localhost:1' })).toMatchObject({ status: 200 })
    for (const host of ['evil.example', '127.0.0.1.evil.example', '192.0.2.1', '@'])
      expect(await ask(url, { host }), host).toMatchObject({ status: 403 })
  })

  it('is read-only and sends strict security headers', async () => {
    const url = await serve()
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await ask(url, { method })).toMatchObject({ status: 405 })
    expect(await ask(url, { path: '/favicon.ico' })).toMatchObject({ status: 404 })
    expect((await ask(url)).headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-frame-options': 'DENY',
    })
  })

  it('reports that Redis does not respond, without the details of the error', async () => {
    const url = await serve(() => Promise.reject(new Error('AUTH secret failed')))
    const { status: code, body } = await ask(url)
    expect([code, body]).toEqual([503, 'Redis does not answer\n'])
  })

  it('queries Redis once for simultaneous requests', async () => {
    let count = 0
    const url = await serve(async () => {
      count += 1
      return 'page'
    })
    await Promise.all(Array.from({ length: 20 }, () => ask(url)))
    expect(count).toBe(1)
  })

  it('says why messages wait', () => {
    const page = hubPage(status, sessions, now)
    expect(page).toContain('team, oncall: attempt 4 failed: slack: 503 &lt;b&gt;')
    expect(page).toContain('Redis is almost full')
    expect(page).not.toContain('no hub is running')
  })

  it('escapes the HTML in text from a machine', () => {
    const page = hubPage(status, sessions, now)
    expect(page).toContain('&lt;script&gt;alert(1)')
    expect(page).not.toMatch(/<script|<img/)
  })
})

// Needs a browser.
it.skipIf(!browser)('chromium renders the web page of the hub without scripts', async () => {
  const [url, folder] = [await serve(), await makeFolder()]
  const flags = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ...[`--user-data-dir=${join(folder, 'browser')}`, '--window-size=1150,900'],
  ]
  const picture = process.env.HOOKBELL_PICTURE
  if (picture) await execa(String(browser), [...flags, `--screenshot=${picture}`, url])
  const { stdout } = await execa(String(browser), [...flags, '--dump-dom', url], {
    timeout: 600_000,
  })
  expect(stdout).toContain('Who waits for an answer')
  expect(stdout).toContain('2 h 24 min')
  expect(stdout.match(/<table/g)).toHaveLength(4)
  expect(stdout).not.toMatch(/<script|<img/)
})
