import { utimesSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findHere } from '../../src/prepare/here.ts'
import { startService } from '../support/dbus-service.ts'
import { missingDesktopPrograms, startDesktop } from '../support/desktop.ts'
import { makeHome } from '../support/home.ts'
import { hasPty, startPty } from '../support/pty.ts'

const missing = missingDesktopPrograms()
const noDesktop = missing.length > 0 ? ` (skipped: ${missing.join(', ')} not installed)` : ''
const noPty = hasPty ? '' : ' (skipped: script of util-linux not installed)'

/** Without a session bus, also that of the user who runs the tests. */
const noBus = { XDG_RUNTIME_DIR: '/nowhere' }
const look = (env: Record<string, string>, isAway = false, now = Date.now()) =>
  findHere({ env: { ...noBus, ...env } }, isAway, now)

describe('whether a person is at this machine', () => {
  it('is unknown where nothing shows it, and known after hookbell away', async () => {
    expect(await look({})).toBeUndefined()
    expect(await look({}, true)).toBe(false)
  })

  it.skipIf(noPty)(`is seen by a key in the terminal, but not over SSH${noPty}`, async () => {
    const pty = await startPty({ command: 'cat' })
    const typed = Date.now()
    utimesSync(pty.path, typed / 1000, typed / 1000)
    const env = { HOOKBELL_TTY: pty.tty }
    expect(await look(env, false, typed)).toBe(true)
    expect(await look({ ...env, SSH_TTY: pty.path }, false, typed)).toBeUndefined()
    expect(await look(env, false, typed + 1000_000)).toBeUndefined()
    expect(await look(env, true, typed)).toBe(false)
  })

  it.skipIf(noDesktop).each(['org.gnome.ScreenSaver', 'org.freedesktop.ScreenSaver'])(
    `is told by %s while it covers the screen${noDesktop}`,
    async (name) => {
      const desktop = await startDesktop({ daemon: false })
      onTestFinished(desktop.close)
      const env = { DBUS_SESSION_BUS_ADDRESS: desktop.env.DBUS_SESSION_BUS_ADDRESS ?? '' }
      expect(await look(env)).toBeUndefined()
      let isOn = 1
      const answer = () => [{ type: 'b', value: isOn } as const]
      onTestFinished(await startService(env.DBUS_SESSION_BUS_ADDRESS, name, answer))
      // The limit for a desktop that hangs may be over on a busy machine.
      await expect.poll(() => look(env), { timeout: 120_000 }).toBe(false)
      isOn = 0
      expect(await look(env)).toBeUndefined()
    },
  )
})

describe('a route that goes by it', () => {
  it('follows hookbell away, and tells while nothing is known', async () => {
    const home = await makeHome({
      channels: {
        desk: { type: 'file', path: '~/desk' },
        phone: { type: 'file', path: '~/phone' },
      },
      routes: [
        { on: ['*'], when: { here: true }, to: ['desk'] },
        { on: ['*'], when: { away: true }, to: ['phone'] },
      ],
    })
    const toldBy = async (session_id: string) => {
      home.accept({ session_id, hook_event_name: 'Stop', cwd: home.project }, 'claude', noBus)
      await home.run('worker', '--once')
      const event = JSON.parse((await home.run('log', '--json')).stdout).at(-1)
      return Object.keys(event.channels).sort()
    }
    expect(await toldBy('s1')).toEqual(['desk', 'phone'])
    expect((await home.run('away')).stdout).toMatch(/^Away until .*: routes go by that\./)
    expect(await toldBy('s2')).toEqual(['phone'])
    await home.run('back')
    expect(await toldBy('s3')).toEqual(['desk', 'phone'])
  })
})
