import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  closeNotification,
  formatHandle,
  handleArgs,
  isTooOldForHandles,
  notificationsOwner,
  parseHandle,
  printedId,
  type Shown,
} from '../../../src/notifiers/desktop/notification-ids.ts'
import { missingDesktopPrograms, startDesktop } from '../../support/desktop.ts'
import { makeFolder } from '../../support/folder.ts'

const run = promisify(execFile)
const missing = missingDesktopPrograms()
const reason = missing.length > 0 ? ` (skipped: ${missing.join(', ')} not installed)` : ''
const { signal } = new AbortController()

describe('notifiers: desktop: handles of notifications', () => {
  it('survive a round trip through their text form', () => {
    const number = fc.integer({ min: 1, max: 0xffff_ffff })
    const owner = fc.tuple(fc.nat(99), fc.nat(99_999)).map(([a, b]) => `:${a}.${b}`)
    fc.assert(
      fc.property(fc.record({ owner, id: number }), (shown) => {
        expect(parseHandle(formatHandle(shown))).toEqual(shown)
      }),
    )
  })

  it.each(['', '7', ':1.2/0', ':1.2/-1', ':1.2/7 ', ':1.2/7\n--x', 'org.x/7', '--help/7', ':1.2'])(
    'cannot be parsed from %j',
    (handle) => {
      expect(parseHandle(handle)).toBeUndefined()
    },
  )

  it('are read from the output of notify-send', () => {
    expect(printedId('17\n')).toBe(17)
    for (const text of ['', '0\n', '-1', '17 18', 'error']) expect(printedId(text)).toBeUndefined()
  })

  it('are requested from and passed to notify-send as arguments', () => {
    expect(handleArgs()).toEqual(['--print-id'])
    expect(handleArgs({ owner: ':1.2', id: 7 })).toEqual(['--print-id', '--replace-id=7'])
  })

  it('are unavailable if notify-send does not know its option', () => {
    expect(isTooOldForHandles('Unknown option --print-id\n')).toBe(true)
    expect(isTooOldForHandles('Could not connect: No such file or directory')).toBe(false)
  })
})

describe.skipIf(reason)(`notifiers: desktop: withdrawn notifications${reason}`, () => {
  let screen: Awaited<ReturnType<typeof startDesktop>>
  let owner = ''

  beforeAll(async () => {
    screen = await startDesktop()
    owner = (await notificationsOwner(screen.env, signal)) ?? expect.fail('nobody')
  })
  afterAll(() => screen.close())

  const show = async (title: string, options: string[] = [], replaces?: Shown) => {
    const args = [...handleArgs(replaces), ...options, '--', title, 'the text']
    const { stdout } = await run('notify-send', args, { env: screen.env })
    return { owner, id: printedId(stdout) ?? expect.fail('no id') }
  }
  const critical = ['--urgency=critical', '--expire-time=0']
  const reasonsFor = async ({ id }: Shown) => {
    await screen.caughtUp()
    return screen.closed.filter(([closed]) => closed === id).map(([, why]) => why)
  }

  it('stay until they are closed if they are critical, while others expire', async () => {
    const stays = await show('stays', critical)
    const goes = await show('goes', ['--expire-time=1'])
    // Reason 1 of the specification: it expired.
    await expect.poll(() => reasonsFor(goes)).toEqual([1])
    expect(await reasonsFor(stays)).toEqual([])
    await closeNotification(stays, screen.env, signal)
  })

  it('can be replaced by the next one and closed once', async () => {
    const first = await show('1 question', critical)
    const next = await show('2 questions', critical, first)
    expect(next).toEqual(first)
    await screen.screenshot('.artifacts/desktop-replaced.png')
    expect(await closeNotification(next, screen.env, signal)).toBe('closed')
    // Reason 3: closed by a call. Once, because there was only one notification.
    expect(await reasonsFor(next)).toEqual([3])
    await screen.screenshot('.artifacts/desktop-withdrawn.png')
  })

  it('count as gone if another daemon shows notifications now', async () => {
    const shown = await show('not ours', critical)
    const old = { owner: ':1.99999', id: shown.id }
    expect(await closeNotification(old, screen.env, signal)).toBe('gone')
    expect(await reasonsFor(shown)).toEqual([])
    await closeNotification(shown, screen.env, signal)
  })

  it.each(['dbus-send', 'gdbus', 'busctl'].filter((tool) => existsSync(`/usr/bin/${tool}`)))(
    'can be closed by %s alone',
    async (tool) => {
      const shown = await show(tool, critical)
      const folder = await makeFolder()
      await symlink(`/usr/bin/${tool}`, join(folder, tool))
      const env = { ...screen.env, PATH: folder }
      expect(await notificationsOwner(env, signal)).toBe(owner)
      expect(await closeNotification(shown, env, signal)).toBe('closed')
      expect(await reasonsFor(shown)).toEqual([3])
      expect(await closeNotification({ owner: ':1.99999', id: 1 }, env, signal)).toBe('gone')
    },
  )

  it('cannot be closed if no D-Bus program is installed', async () => {
    const env = { ...screen.env, PATH: await makeFolder() }
    expect(await notificationsOwner(env, signal)).toBeUndefined()
    expect(await closeNotification({ owner, id: 1 }, env, signal)).toBe('unable')
  })

  it('count as gone if no daemon shows notifications', async () => {
    const bare = await startDesktop({ daemon: false })
    try {
      expect(await notificationsOwner(bare.env, signal)).toBeUndefined()
      expect(await closeNotification({ owner, id: 1 }, bare.env, signal)).toBe('gone')
    } finally {
      await bare.close()
    }
  })
})
