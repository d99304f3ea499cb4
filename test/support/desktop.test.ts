import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { missingDesktopPrograms, startDesktop } from './desktop.ts'

const missing = missingDesktopPrograms()
const reason = missing.length > 0 ? ` (skipped: ${missing.join(', ')} not installed)` : ''

it.skipIf(reason)(
  `a desktop that is closed leaves no socket of its X server${reason}`,
  async () => {
    const { env, close } = await startDesktop({ daemon: false })
    const socket = `/tmp/.X11-unix/X${env.DISPLAY?.slice(1)}`
    expect(existsSync(socket)).toBe(true)
    await close()
    expect(existsSync(socket)).toBe(false)
  },
)
