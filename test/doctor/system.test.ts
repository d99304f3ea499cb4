import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Facts } from '../../src/doctor/check.ts'
import { checkSystem, desktopOf } from '../../src/doctor/system.ts'
import { emptyStatus } from '../../src/journal/history.ts'
import { makeFolder } from '../support/folder.ts'
import { makeHome } from '../support/home.ts'
import { find, MINUTE_MS, makeFacts, now } from './_facts.ts'

describe('the desktop bus', () => {
  const busOf = async (env: Facts['env']) =>
    find(await checkSystem(makeFacts({ env })), 'desktop.bus')

  it.runIf(process.platform === 'linux')(
    'is found by the variable or by the socket in the runtime folder',
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

it('names the system and its Node.js, and reports a clock that was set back', async () => {
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

it('does not look for a Linux desktop on WSL, where Windows shows the messages', async () => {
  expect(desktopOf({ WSL_DISTRO_NAME: 'Debian' })).toBe('win32')
  const home = await makeHome({})
  Object.assign(home.env, { WSL_DISTRO_NAME: 'Debian' })
  const { stdout } = await home.runAlone('doctor', '--offline', '--verbose')
  expect(stdout).toMatch(/cannot tell +desktop\.permission: Windows does not say/)
  expect(stdout).not.toMatch(/desktop\.(bus|do-not-disturb)/)
})
