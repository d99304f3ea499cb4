import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { showByNodeNotifier } from '../../../src/notifiers/desktop/node-notifier.ts'
import { missingDesktopPrograms, startDesktop } from '../../support/desktop.ts'

const missing = missingDesktopPrograms()
const reason = missing.length > 0 ? ` (skipped: ${missing.join(', ')} not installed)` : ''

// hookbell uses node-notifier only on Intel Macs and Windows. It runs other programs there, but our code is the same.
describe.skipIf(reason)(`notifiers: node-notifier${reason}`, () => {
  let screen: Awaited<ReturnType<typeof startDesktop>>
  const { signal } = new AbortController()
  const notice = {
    title: 'Done in shop',
    body: 'All tests pass',
    urgency: 'normal' as const,
    timeoutSeconds: 1,
  }

  beforeAll(async () => {
    screen = await startDesktop()
  })
  afterAll(() => screen.close())
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.useRealTimers()
  })

  it('shows title and body', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', screen.env.DBUS_SESSION_BUS_ADDRESS)
    expect(await showByNodeNotifier(notice, signal)).toBe(true)
    await expect.poll(() => screen.notices).toHaveLength(1)
    expect(screen.notices[0]).toMatchObject({ title: notice.title, body: notice.body })
  })

  it('shows a message without a body', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', screen.env.DBUS_SESSION_BUS_ADDRESS)
    expect(await showByNodeNotifier({ ...notice, body: '' }, signal)).toBe(true)
  })

  it('returns false when the notification cannot be shown', async () => {
    // The result of the program counts, however long it takes.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere/bus')
    expect(await showByNodeNotifier(notice, signal)).toBe(false)
  })

  it('returns false for a text with a NUL character', async () => {
    expect(await showByNodeNotifier({ ...notice, body: 'a\0b' }, signal)).toBe(false)
  })

  it('stops at its abort signal', async () => {
    const controller = new AbortController()
    const showing = showByNodeNotifier(notice, controller.signal)
    controller.abort()
    expect(await showing).toBe(false)
  })
})
