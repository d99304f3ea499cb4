import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { opencode } from '../../src/clients/opencode.ts'
import type { Facts } from '../../src/doctor/check.ts'
import { checkCommands, checkDoor } from '../../src/doctor/door.ts'
import { pluginText } from '../../src/install/plugin.ts'
import { readRegistered } from '../../src/install/registered.ts'
import { packageRoot } from '../../src/package-root.ts'
import { acquireLock, releaseLock } from '../../src/spool/lock/lock.ts'
import { makeHome } from '../install/make-home.ts'

const RENEW = 'hookbell doctor --fix, or hookbell init'

let stateDir = ''
let facts: Facts
const checkOf = (id: string) => checkDoor(facts, true).find((one) => one.id === id)

beforeEach(() => {
  stateDir = makeHome({
    'hookbell-hook': '#!/bin/sh\n',
    'runtime/package.json': '{"version": "1.2.3"}',
  })
  facts = { stateDir, version: '1.2.3', env: {} } as Facts
  chmodSync(join(stateDir, 'hookbell-hook'), 0o755)
  mkdirSync(join(stateDir, 'runtime/dist'))
  for (const name of ['worker.cjs', 'worker-code.cjs'])
    cpSync(join(packageRoot(), 'dist', name), join(stateDir, 'runtime/dist', name))
})

describe('the check of the front door', () => {
  it.each([
    [true, RENEW],
    [false, 'hookbell init'],
  ])('gives advice if nothing is installed, with hooks registered: %s', (isRegistered, advice) => {
    const door = join(stateDir, 'elsewhere/hookbell-hook')
    facts = { ...facts, stateDir: join(stateDir, 'elsewhere') }
    expect(checkDoor(facts, isRegistered)).toEqual([
      { id: 'door.present', status: 'broken', seen: `no ${door}`, do: advice },
    ])
  })

  it('finds no fault in a front door of this version, and names its Node.js', () => {
    const pinned = { configDir: '/c', fallbackDir: '/f', home: '/h', node: process.execPath }
    writeFileSync(join(stateDir, 'runtime/pinned.json'), JSON.stringify(pinned))
    expect(checkDoor(facts, true)).toEqual([
      { id: 'door.present', status: 'ok', seen: join(stateDir, 'hookbell-hook'), do: '' },
      { id: 'door.version', status: 'ok', seen: '1.2.3', do: '' },
      { id: 'door.node', status: 'ok', seen: process.execPath, do: '' },
      { id: 'worker', status: 'ok', seen: 'not running; it starts with the next event', do: '' },
    ])
  })

  it('reports that no Node.js is pinned', () => {
    expect(checkOf('door.node')).toMatchObject({ status: 'broken', do: RENEW })
    expect(checkOf('door.node')?.seen).toContain('nothing pinned')
  })

  it.each(['nonsense', '{}'])('reports an unknown version for the package.json %s', (text) => {
    writeFileSync(join(stateDir, 'runtime/package.json'), text)
    const seen = 'the copy is unknown, this is 1.2.3'
    expect(checkOf('door.version')).toMatchObject({ status: 'warning', seen, do: RENEW })
  })

  it.each([
    ['1.2.3', 'ok', ''],
    ['1.2.2', 'warning', RENEW],
  ])('names the process and the version of a worker of version %s', (version, status, advice) => {
    acquireLock(stateDir, version)
    const seen = `process ${process.pid}, version ${version}`
    expect(checkOf('worker')).toEqual({ id: 'worker', status, seen, do: advice })
    releaseLock(stateDir)
  })
})

describe('the check of a plug-in', () => {
  const door = () => join(stateDir, 'hookbell-hook')
  const checksOf = (text: string) => {
    const path = join(stateDir, 'hookbell.js')
    writeFileSync(path, text)
    const place = { client: 'opencode', scope: 'user', form: 'plugin', path } as const
    return checkCommands([readRegistered(place)], facts)
  }

  it('finds no fault in the plug-in that init would write, and does not run it', async () => {
    expect(await checksOf(pluginText(opencode, opencode.events, [door()]))).toEqual([])
  })

  it('reports a plug-in of another version', async () => {
    const text = pluginText(opencode, opencode.events, [door()])
    expect(await checksOf(`${text}// of before\n`)).toEqual([
      {
        id: 'client.opencode.canary',
        status: 'warning',
        seen: `${join(stateDir, 'hookbell.js')} was written by another version`,
        do: 'hookbell init --client opencode',
      },
    ])
    expect(readFileSync(join(stateDir, 'hookbell.js'), 'utf8')).toBe(`${text}// of before\n`)
  })
})
