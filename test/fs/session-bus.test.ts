import { symlinkSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sessionBus } from '../../src/fs/session-bus.ts'
import { makeFolder } from '../support/folder.ts'
import { canHang, makeHungMount } from '../support/hung-mount.ts'

/** A folder with a socket of this user, as a bus has one. */
async function makeBus(name = 'bus') {
  const folder = await realpath(await makeFolder())
  const path = join(folder, name)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => void server.close())
  return { folder, path }
}

describe.runIf(process.platform === 'linux')('the session bus', () => {
  it.each<[string, (path: string) => string]>([
    ['a path', (path) => `unix:path=${path}`],
    ['a path with an id', (path) => `unix:path=${path},guid=0123abcd`],
    ['an id and a path', (path) => `unix:guid=0123abcd,path=${path}`],
    ['an escaped path', (path) => `unix:path=${path.replace('bus', '%62%75s')}`],
    ['a list of addresses', (path) => `unix:abstract=/x;unix:path=/none;unix:path=${path}`],
    [
      'a path with a link',
      (path) => {
        symlinkSync(path, `${path}-link`)
        return `unix:path=${path}-link`
      },
    ],
  ])('is named by %s, and reduced to the path of its socket', async (_, addressOf) => {
    const { path } = await makeBus()
    const env = { DBUS_SESSION_BUS_ADDRESS: addressOf(path) }
    expect(await sessionBus(env)).toEqual({ address: `unix:path=${path}` })
  })

  it('is escaped as D-Bus wants it', async () => {
    const { folder } = await makeBus("b~(ü)'! s")
    const name = `${folder}/b~(%c3%bc)'! s`
    const found = await sessionBus({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${name}` })
    expect(found).toEqual({ address: `unix:path=${folder}/b%7e%28%c3%bc%29%27%21%20s` })
  })

  it('is the one in the runtime folder if no variable names it', async () => {
    const { folder, path } = await makeBus()
    for (const DBUS_SESSION_BUS_ADDRESS of [undefined, '', 'unix:abstract=/x']) {
      const env = { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR: folder }
      expect(await sessionBus(env)).toEqual({ address: `unix:path=${path}` })
    }
  })

  it.each<[string, (path: string) => string]>([
    ['an abstract socket', () => 'unix:abstract=/tmp/dbus-1'],
    ['an abstract socket beside a path', (path) => `unix:path=${path},abstract=/tmp/dbus-1`],
    ['a folder to listen in', (path) => `unix:dir=${join(path, '..')}`],
    ['another transport with a path', (path) => `unixexec:path=/bin/sh,argv1=${path}`],
    ['another machine', () => 'tcp:host=127.0.0.1,port=9'],
    ['another machine with a nonce', (path) => `nonce-tcp:host=127.0.0.1,port=9,noncefile=${path}`],
    ['a program that finds it', () => 'autolaunch:'],
    ['a launcher', () => 'launchd:env=X'],
    ['a path that is relative', (path) => `unix:path=${path.slice(1)}`],
    ['a path with an escaped zero byte', (path) => `unix:path=${path}%00`],
    ['a path with a damaged escape', (path) => `unix:path=${path.replace('bus', '%6')}`],
    ['a path with letters of no script', (path) => `unix:path=${path}%ff`],
    ['a path to no socket', (path) => `unix:path=${join(path, '..')}`],
    ['a path among unknown keys', (path) => `unix:path=${path},exec=/bin/sh`],
    ['a path with a line end', (path) => `unix:path=${path}\n`],
    ['nothing', () => ';;'],
  ])('is not %s', async (_, addressOf) => {
    const { path } = await makeBus()
    const found = await sessionBus({ DBUS_SESSION_BUS_ADDRESS: addressOf(path) })
    // The person who runs the tests may have one.
    const usual = { address: expect.stringMatching(/^unix:path=\/run\//) }
    const none = { why: expect.stringMatching(/is no socket that only this user can have made/) }
    expect([usual, none]).toContainEqual(found)
  })

  it.runIf(canHang)('on a disk that is away blocks no other file operation', async () => {
    const mount = await makeHungMount()
    // More than there are threads for file operations.
    const names = Array.from({ length: 20 }, (_, number) => `unix:path=${mount}/${number}`)
    const found = names.map((name) => sessionBus({ DBUS_SESSION_BUS_ADDRESS: name }))
    for (const one of await Promise.all(found)) expect(JSON.stringify(one)).not.toContain(mount)
    expect(await readFile(import.meta.filename, 'utf8')).toContain('disk that is away')
  })
})
