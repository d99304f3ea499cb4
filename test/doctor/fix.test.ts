import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Check, check, type Facts } from '../../src/doctor/check.ts'
import { fixSafely } from '../../src/doctor/fix.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { makeFolder } from '../support/folder.ts'

const registered = check('client.droid.registered', 'ok', '')

async function makeFolders() {
  const folder = await makeFolder()
  const [configDir, stateDir] = [join(folder, 'config'), join(folder, 'state')]
  for (const path of [configDir, join(configDir, 'templates'), stateDir])
    mkdirSync(path, { mode: 0o700 })
  prepareSpool(stateDir)
  let renewals = 0
  const fix = async (...checks: Check[]) => {
    const renew = async () => {
      renewals += 1
      return true
    }
    const done = await fixSafely(checks, { configDir, stateDir } as Facts, renew)
    return { done, renewals }
  }
  return { configDir, stateDir, fix }
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)

describe('doctor --fix', () => {
  it('does nothing if it can repair none of the faults', async () => {
    const { fix } = await makeFolders()
    const checks = [
      registered,
      check('door.node', 'ok', ''),
      check('client.droid.door', 'broken', ''),
    ]
    expect(await fix(...checks)).toEqual({ done: [], renewals: 0 })
  })

  it.each([
    check('door.present', 'broken', ''),
    check('door.version', 'warning', ''),
    check('worker', 'warning', ''),
    check('client.droid.canary', 'broken', ''),
  ])('renews the front door for $id, but only where hooks are registered', async (one) => {
    const { fix } = await makeFolders()
    expect(await fix(one)).toEqual({ done: [], renewals: 0 })
    expect(await fix(one, check('client.droid.registered', 'warning', ''))).toMatchObject({
      renewals: 0,
    })
    expect(await fix(one, registered)).toEqual({
      done: [expect.stringMatching(/^renewed the front door/)],
      renewals: 1,
    })
  })

  it('does not renew the front door because of a hook that starts another one', async () => {
    const { fix } = await makeFolders()
    const other = check('client.droid.canary', 'warning', '')
    expect(await fix(other, registered)).toMatchObject({ renewals: 0 })
  })

  it('removes only the permission of others to write, and to read secrets', async () => {
    const { configDir, stateDir, fix } = await makeFolders()
    const templates = join(configDir, 'templates')
    const secrets = join(configDir, 'secrets.env')
    const config = join(configDir, 'config.json')
    writeFileSync(secrets, '')
    writeFileSync(config, '')
    chmodSync(config, 0o666)
    for (const path of [configDir, templates, stateDir]) chmodSync(path, 0o1777)
    chmodSync(secrets, 0o640)
    expect((await fix()).done).toEqual([
      `chmod go-w ${configDir}`,
      `chmod go-w ${templates}`,
      `chmod go-w ${stateDir}`,
      `chmod go-w ${config}`,
      `chmod 600 ${secrets}`,
    ])
    expect([configDir, templates, stateDir, config, secrets].map(modeOf)).toEqual([
      ...['1755', '1755', '1755', '644', '600'],
    ])
  })

  it.runIf(process.getuid?.() === 0)('changes nothing of another user, even as root', async () => {
    const { configDir, fix } = await makeFolders()
    chmodSync(configDir, 0o777)
    chownSync(configDir, 12345, 12345)
    expect((await fix()).done).toEqual([])
    expect(modeOf(configDir)).toBe('777')
  })

  it('changes nothing in folders that cannot be reached', async () => {
    const { configDir, fix } = await makeFolders()
    rmSync(configDir, { recursive: true })
    symlinkSync(configDir, configDir)
    expect((await fix()).done).toEqual([])
  })

  it('creates no state folder if init never ran', async () => {
    const { stateDir, fix } = await makeFolders()
    rmSync(stateDir, { recursive: true })
    expect(await fix(registered, check('door.present', 'broken', ''))).toEqual({
      done: [],
      renewals: 0,
    })
    expect(existsSync(stateDir)).toBe(false)
  })

  it.each<[string, (spool: string) => void]>([
    ['are missing', (spool) => rmSync(spool, { recursive: true })],
    ['can be changed by others', (spool) => chmodSync(join(spool, 'dead'), 0o777)],
  ])('repairs folders of the spool that %s', async (_, breakIt) => {
    const { stateDir, fix } = await makeFolders()
    breakIt(join(stateDir, 'spool'))
    expect((await fix()).done).toEqual([`made the folders of the spool in ${stateDir}`])
    expect(modeOf(join(stateDir, 'spool/dead'))).toBe('700')
  })

  it('does not claim to have created folders that it cannot create', async () => {
    const { stateDir, fix } = await makeFolders()
    rmSync(join(stateDir, 'spool'), { recursive: true })
    writeFileSync(join(stateDir, 'spool'), '')
    expect((await fix()).done).toEqual([])
  })
})
