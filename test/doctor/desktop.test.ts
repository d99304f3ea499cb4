import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Facts } from '../../src/doctor/check.ts'
import { checkDoNotDisturb } from '../../src/doctor/desktop.ts'
import { missingDesktopPrograms, startDesktop } from '../support/desktop.ts'

const run = promisify(execFile)

const ask = (env: Record<string, string>, type = 'desktop') =>
  checkDoNotDisturb({
    env,
    loaded: { config: { channels: { desk: { type } } } },
  } as unknown as Facts)

describe.skipIf(missingDesktopPrograms().length > 0)('the check of do-not-disturb', () => {
  let desktop: Awaited<ReturnType<typeof startDesktop>>
  beforeAll(async () => {
    desktop = await startDesktop()
  }, 120_000)
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
      { id: 'desktop.do-not-disturb', status: 'warning', seen: expect.stringMatching(/^on: /) },
    ])
    await pause(false)
    expect(await ask(desktop.env)).toMatchObject([{ status: 'ok' }])
  })

  it('is skipped when no channel uses the desktop', async () => {
    expect(await ask(desktop.env, 'file')).toEqual([])
  })

  it('reports "cannot tell" when no notification service runs', async () => {
    const empty = await startDesktop({ daemon: false })
    try {
      expect(await ask(empty.env)).toMatchObject([{ status: 'cannot tell' }])
    } finally {
      await empty.close()
    }
  })
})
