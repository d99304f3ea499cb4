import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load/load.ts'
import type { Check, Facts } from '../../src/doctor/check.ts'
import {
  checkConfig,
  checkSpool,
  checkSystem,
  desktopOf,
  howToRepair,
  noRisk,
} from '../../src/doctor/delivery.ts'
import { type ChannelStatus, emptyStatus, type Outcome } from '../../src/journal/history.ts'
import { makeFolder } from '../support/folder.ts'
import { makeHome } from '../support/home.ts'

const MINUTE_MS = 60_000
const now = Date.parse('2026-11-20T09:00:00Z')

/** What the checks look at, of a configuration as it is in config.json. */
function makeFacts(changes: Partial<Facts> = {}, config: object = {}): Facts {
  const context = { path: 'config.json', secrets: { file: new Map(), env: {} } }
  return {
    ...{ env: {}, cwd: '/', stateDir: '/nowhere/state', configDir: '/nowhere/config' },
    loaded: parseConfig(JSON.stringify(config), context),
    ...{ folders: ['/nowhere/state'], templateProblems: [], events: [], isOnHold: false },
    ...{ mutes: [], version: '1.0.0', now },
    ...changes,
  }
}

const find = (checks: readonly Check[], id: string) => checks.filter((one) => one.id === id)

describe('what is said of a channel', () => {
  const channels = { team: { type: 'file', path: '/x' }, other: { type: 'file', path: '/y' } }
  const config = { channels, routes: [{ on: ['*'], to: ['team'] }] }
  const at = (hour: number) => Date.parse(`2026-11-20T${hour}:00:00Z`)
  /** The state of the channel after each of its last events. */
  const said = (name: string, states: Pick<ChannelStatus, 'state' | 'at'>[]) => {
    const results = states.map((one) => ({ [name]: { attempts: 1, detail: 'why', ...one } }))
    // The last event was for another channel.
    const events = [...results, { elsewhere: { ...results[0]?.[name] } as ChannelStatus }].map(
      (one, index) => ({ ...emptyStatus(`${index}`, index), channels: one }),
    )
    return find(checkConfig(makeFacts({ events }, config)), `channel.${name}`)
  }

  it.each<[ChannelStatus['state'], status: string, seen: string, advice: string]>([
    ['delivered', 'ok', 'delivered 2026-11-20 11:00', ''],
    [
      'deferred',
      'warning',
      'deferred, next 2026-11-20 11:00: why; the last success 2026-11-20 10:00',
      'hookbell flush',
    ],
    ['held', 'ok', 'held, next 2026-11-20 11:00: why; the last success 2026-11-20 10:00', ''],
    ['suppressed', 'ok', 'suppressed 2026-11-20 11:00: why; the last success 2026-11-20 10:00', ''],
    [
      'exhausted',
      'warning',
      'exhausted 2026-11-20 11:00: why; the last success 2026-11-20 10:00',
      'hookbell test team',
    ],
    [
      'unavailable',
      'warning',
      'unavailable 2026-11-20 11:00: why; the last success 2026-11-20 10:00',
      'hookbell test team',
    ],
  ])('names its last result, %s, and the last success', (state, status, seen, advice) => {
    const states = [
      { state: 'delivered', at: at(10) },
      { state, at: at(11) },
    ] as const
    expect(said('team', [...states])).toEqual([{ id: 'channel.team', status, seen, do: advice }])
  })

  it('names no success before the first one', () => {
    expect(said('team', [{ state: 'exhausted', at: at(10) }])).toMatchObject([
      { seen: 'exhausted 2026-11-20 10:00: why; no success yet' },
    ])
    expect(said('team', [])).toEqual([
      {
        id: 'channel.team',
        status: 'cannot tell',
        seen: 'nothing sent yet',
        do: 'hookbell test team',
      },
    ])
  })

  it('is first of all that no route leads to it', () => {
    expect(said('other', [{ state: 'deferred', at: at(10) }])).toMatchObject([
      { status: 'warning', do: expect.stringMatching(/^Name it in a route/) },
    ])
  })
})

describe('what is said of the configuration', () => {
  it('is only that a secret is missing if no channel can be used for that', () => {
    const team = { type: 'slack', url: '${S}' }
    const routes = [{ on: ['*'], to: ['team'] }]
    const checks = checkConfig(makeFacts({}, { channels: { team }, routes }))
    expect(checks.filter(({ status }) => status !== 'ok').map(({ id }) => id)).toEqual([
      'channel.team',
    ])
  })

  it('names for each warning the file to correct', () => {
    const loaded = {
      ...makeFacts().loaded,
      warnings: ['/c/config.json:1:2: what', '/c/secrets.env:3: not NAME=value'],
    }
    expect(find(checkConfig(makeFacts({ loaded })), 'config.warning')).toMatchObject([
      { do: 'hookbell config edit' },
      { do: 'Remove that line, or: hookbell secrets set NAME' },
    ])
  })

  it.each([
    ['${A}, ${B} not set', 'hookbell secrets set A, hookbell secrets set B'],
    ['${A}: waits for the keychain', 'Unlock the keychain, or: hookbell secrets set A --keychain'],
    ['${A}: /usr/bin/op ended with status 7', 'Run that command yourself, and look'],
    ['waits for config.json, which has its secret', 'Correct it: hookbell config edit'],
    ['waits for secrets.env', 'Repair that file, as the checks above say'],
  ])('advises for a channel that cannot be used, %s: %s', (why, advice) => {
    expect(howToRepair(why)).toBe(advice)
  })
})

describe('what is said of waiting events', () => {
  /** Events that were accepted so many minutes ago. */
  const said = (...events: [minutes: number, outcome: Outcome][]) => {
    const statuses = events.map(([minutes, outcome]) => ({
      ...emptyStatus(`${minutes}`, now - minutes * MINUTE_MS),
      outcome,
    }))
    return find(checkSpool(makeFacts({ events: statuses })), 'spool.backlog')[0]
  }

  it('is a warning once the oldest waits for more than an hour', () => {
    expect(said([90, 'delivered'])).toMatchObject({ status: 'ok', seen: 'nothing waits' })
    expect(said([60, 'waiting'], [5, 'waiting'], [90, 'dead'])).toMatchObject({
      ...{ status: 'ok', seen: '2 wait, the oldest 60 min', do: '' },
    })
    expect(said([61, 'waiting'], [5, 'waiting'])).toMatchObject({
      ...{ status: 'warning', seen: '2 wait, the oldest 61 min', do: 'hookbell log' },
    })
    // Accepted before the clock was set back.
    expect(said([-5, 'waiting'])).toMatchObject({ seen: '1 wait, the oldest 0 min' })
  })

  it('names the other folders in which events were stored', () => {
    const folders = ['/nowhere/state', '/run/fallback']
    expect(find(checkSpool(makeFacts({ folders })), 'spool.fallback')).toMatchObject([
      {
        status: 'warning',
        seen: 'events were stored in /run/fallback',
        do: expect.stringMatching(/repair \/nowhere/),
      },
    ])
  })
})

describe('the desktop bus', () => {
  const busOf = async (env: Facts['env']) =>
    find(await checkSystem(makeFacts({ env })), 'desktop.bus')

  it.runIf(process.platform === 'linux')(
    'is the one that the variable or the socket names',
    async () => {
      const folder = await makeFolder()
      const path = join(folder, 'bus')
      const server = createServer().listen(path)
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      const address = `unix:path=${path.split('/').map(encodeURIComponent).join('/')}`
      const named = { DBUS_SESSION_BUS_ADDRESS: `${address},guid=0123` }
      for (const env of [named, { XDG_RUNTIME_DIR: folder }])
        expect(await busOf(env)).toMatchObject([{ status: 'ok', seen: address }])
    },
  )
})

it('names what matters of the system, and a clock that was set back', async () => {
  const events = [emptyStatus('a', now + MINUTE_MS)]
  const env = { SSH_CONNECTION: '1', WSL_DISTRO_NAME: 'Debian' }
  expect(await checkSystem(makeFacts({ env, events }))).toMatchObject([
    { id: 'desktop.permission' },
    { id: 'system', status: 'ok', seen: expect.stringMatching(/, Node\.js v\S+, SSH, WSL/) },
    { id: 'clock', status: 'ok', seen: '2026-11-20T09:00:00.000Z' },
  ])
  const later = [emptyStatus('a', now + MINUTE_MS + 1)]
  expect(find(await checkSystem(makeFacts({ events: later })), 'clock')).toMatchObject([
    { status: 'warning' },
  ])
})

it('looks for no Linux desktop on WSL, where messages are shown by Windows', async () => {
  expect(desktopOf({ WSL_DISTRO_NAME: 'Debian' })).toBe('win32')
  const home = await makeHome({})
  Object.assign(home.env, { WSL_DISTRO_NAME: 'Debian' })
  const { stdout } = await home.runAlone('doctor', '--offline')
  expect(stdout).toMatch(/cannot tell +desktop\.permission: Windows does not say/)
  expect(stdout).not.toMatch(/desktop\.(bus|do-not-disturb)/)
})

it('does not claim on Windows what it cannot check there', () => {
  expect(noRisk('win32').status).toBe('cannot tell')
  expect(noRisk('linux').status).toBe('ok')
})
