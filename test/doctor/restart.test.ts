import { describe, expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import type { Check } from '../../src/doctor/check.ts'
import { checkRestart, readAll } from '../../src/doctor/clients.ts'
import { emptyStatus } from '../../src/journal/history.ts'
import { makeHome } from '../support/home.ts'

const HOUR_MS = 3600_000

/** Events of sessions, in hours relative to the time when the hooks were written. */
const cases: [string, [session: string, hours: number, event?: string][], Check['status'][]][] = [
  ['no event', [], []],
  ['only events from before the hooks were written', [['one', -1]], ['cannot tell']],
  [
    'a session that started before the hooks were written and continues',
    [
      ['one', -2],
      ['one', 1],
    ],
    ['warning'],
  ],
  [
    'a session that started after the hooks were written',
    [
      ['one', -2],
      ['two', 1],
    ],
    ['ok'],
  ],
  [
    'events without a session, whose start is unknown',
    [
      ['', -2],
      ['', 1],
    ],
    ['ok'],
  ],
  ["only doctor's own test event", [['one', 1, 'HookbellCanary']], []],
]

describe('the check whether a session must be restarted', () => {
  it.each(cases)('reports the expected status for %s', async (_, events, expected) => {
    const home = await makeHome()
    await home.run('init', '--client', 'claude', '--yes')
    const facts = { env: home.env, cwd: home.project, stateDir: home.state, now: Date.now() }
    const ours = readAll(facts).filter(({ hooks }) => hooks.length > 0)
    expect(ours).toHaveLength(1)
    const statuses = events.map(([sessionId, hours, event = 'Stop'], at) => ({
      ...emptyStatus(String(at), facts.now + hours * HOUR_MS),
      ...{ client: 'claude', sessionId, event },
    }))
    const checks = checkRestart('claude', ours, { ...facts, events: statuses })
    expect(checks.map(({ status }) => status)).toEqual(expected)
    for (const one of checks.filter(({ status }) => status !== 'ok'))
      expect(one.do).toBe(clients.claude.restartNote)
    await home.run('uninstall', '--yes')
  })

  it('checks the hooks of a project only for sessions in that project', async () => {
    const home = await makeHome()
    await home.run('init', '--client', 'claude', '--project', '--yes')
    const facts = { env: home.env, cwd: home.project, stateDir: home.state, now: Date.now() }
    const ours = readAll(facts).filter(({ hooks }) => hooks.length > 0)
    expect(ours).toHaveLength(1)
    const statusesIn = (project: string) => {
      const events = [-2, 1].map((hours, at) => ({
        ...emptyStatus(String(at), facts.now + hours * HOUR_MS),
        ...{ client: 'claude', sessionId: 'one', event: 'Stop', project },
      }))
      return checkRestart('claude', ours, { ...facts, events }).map(({ status }) => status)
    }
    expect(statusesIn('api-server')).toEqual(['warning'])
    expect(statusesIn('shop (api-server)')).toEqual(['warning'])
    expect(statusesIn('shop')).toEqual([])
  })
})
