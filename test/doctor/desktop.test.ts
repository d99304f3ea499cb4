import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Facts } from '../../src/doctor/check.ts'
import { checkDoNotDisturb } from '../../src/doctor/desktop.ts'
import { missingDesktopPrograms, startDesktop } from '../support/desktop.ts'

const run = promisify(execFile)

const ask = (env: Record<string, string>, type = 'desktop') =>
  checkDoNotDisturb({
    env,
    loaded: { config: { channels: { desk: { type }, log: { type: 'file' } } } },
  } as unknown as Facts)

/** The schema comes with the package gsettings-desktop-schemas. */
const showBanners = ['get', 'org.gnome.desktop.notifications', 'show-banners']
const hasGnomeSettings = spawnSync('gsettings', showBanners).status === 0

describe.skipIf(missingDesktopPrograms().length > 0)('the check of do-not-disturb', () => {
  let desktop: Awaited<ReturnType<typeof startDesktop>>
  beforeAll(async () => {
    desktop = await startDesktop()
  })
  afterAll(() => desktop?.close())

  const pause = (value: boolean) =>
    run(
      'dbus-send',
      [
        '--print-reply',
        '--dest=org.freedesktop.Notifications',
        '/org/freedesktop/Notifications',
        'org.freedesktop.DBus.Properties.Set',
        'string:org.dunstproject.cmd0',
        'string:paused',
        `variant:boolean:${value}`,
      ],
      { env: desktop.env },
    )

  it('asks the notification service for its state', async () => {
    expect(await ask(desktop.env)).toMatchObject([{ status: 'ok', seen: 'off' }])
    await pause(true)
    expect(await ask(desktop.env)).toMatchObject([
      {
        id: 'desktop.do-not-disturb',
        status: 'warning',
        seen: 'on: the desktop shows nothing now',
      },
    ])
    await pause(false)
    expect(await ask(desktop.env)).toMatchObject([{ status: 'ok' }])
  })

  it('is skipped when no channel uses the desktop, or it is that of Windows', async () => {
    expect(await ask(desktop.env, 'file')).toEqual([])
    expect(await ask({ ...desktop.env, WSL_DISTRO_NAME: 'Debian' })).toEqual([])
  })

  it.runIf(hasGnomeSettings)(
    'asks GNOME for its setting, which other desktops do not follow',
    async () => {
      const settings = join(desktop.env.HOME ?? '', 'glib-2.0/settings')
      mkdirSync(settings, { recursive: true })
      const seenIn = async (name: string, areShown: boolean) => {
        const text = `[org/gnome/desktop/notifications]\nshow-banners=${areShown}\n`
        writeFileSync(join(settings, 'keyfile'), text)
        const more = { GSETTINGS_BACKEND: 'keyfile', XDG_CONFIG_HOME: desktop.env.HOME ?? '' }
        const [found] = await ask({ ...desktop.env, ...more, XDG_CURRENT_DESKTOP: name })
        return found?.seen
      }
      const critical =
        'on: the desktop shows only critical messages, such as permission questions, now'
      expect(await seenIn('ubuntu:GNOME', false)).toBe(critical)
      expect(await seenIn('ubuntu:GNOME', true)).toBe('off')
      expect(await seenIn('XFCE', false)).toBe('off')
    },
  )

  it('starts no program that a variable names in the place of the bus', async () => {
    const canary = join(desktop.env.HOME ?? '', 'canary')
    const address = `unixexec:path=/usr/bin/touch,argv1=${canary}`
    await ask({ ...desktop.env, DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: '/nowhere' })
    expect(existsSync(canary)).toBe(false)
  })

  it('reports "cannot tell" when no notification service runs', async () => {
    const empty = await startDesktop({ daemon: false })
    try {
      expect(await ask(empty.env)).toMatchObject([
        { status: 'cannot tell', seen: expect.stringMatching(/^no program/) },
      ])
    } finally {
      await empty.close()
    }
  })
})
