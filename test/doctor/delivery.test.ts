import { expect, it } from 'vitest'
import { desktopOf, noRisk } from '../../src/doctor/delivery.ts'
import { makeHome } from '../support/home.ts'

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
