import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0

describe.skipIf(!hasStrace)('installFrontDoor', () => {
  it('leaves a front door that can be run if it is killed right after it put a new one in place', async () => {
    const home = await makeHome()
    const door = join(home.state, 'hookbell-hook')
    const log = join(home.home, 'calls')
    const init = ['init', '--client', 'droid', '--yes']
    // Without -f: Node.js makes the synchronous calls in its first thread.
    const renew = (...options: string[]) => {
      const words = ['-qq', '-o', log, '-e', 'trace=rename,fsync', ...options, process.execPath]
      return spawnSync('strace', [...words, join(root, 'bin/hookbell'), ...init], {
        env: home.env,
        cwd: home.project,
      })
    }
    expect(await home.run(...init)).toMatchObject({ exitCode: 0 })
    expect(renew().status).toBe(0)
    const before = statSync(door).ino
    const calls = readFileSync(log, 'utf8').split('\n')
    const placed = calls.findIndex(
      (call) => call.startsWith('rename') && call.includes(`"${door}"`),
    )
    expect(placed).toBeGreaterThan(-1)
    // The next one is the sync of the folder.
    const next = calls.slice(0, placed).filter((call) => call.startsWith('fsync')).length + 1
    expect(renew('-e', `inject=fsync:signal=KILL:when=${next}`).signal).toBe('SIGKILL')
    expect(statSync(door).ino).not.toBe(before)
    expect(statSync(door).mode & 0o777).toBe(0o700)
  })
})
