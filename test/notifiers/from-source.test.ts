import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

// tsx, which runs the sources, presents the exports of a CommonJS package differently from Node.js.
describe('notifiers: run from source', () => {
  it.each([
    ['slack', {}],
    ['webhook', { allowPrivateNetwork: true, signingSecrets: [`whsec_${'x'.repeat(32)}`] }],
  ])('%s sends', async (type, options) => {
    const { url, received } = await startReceiver({ script: [{ body: 'ok' }] })
    const { env } = await makeHome({ channels: { there: { type, url, ...options } } })
    const words = ['--import', 'tsx', join(root, 'src/cli.ts'), 'test', 'there']
    const { stderr, exitCode } = await execa(process.execPath, words, {
      // The folder of the compiled code that tsx caches.
      env: { ...env, TMPDIR: process.env.TMPDIR },
      ...{ cwd: root, extendEnv: false, reject: false },
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(received).toHaveLength(1)
  })
})
