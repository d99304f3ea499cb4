import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SecretFetcher } from '../../../src/config/secrets/fetcher.ts'
import { readQuietly } from '../../../src/fs/read.ts'
import { makeFolder } from '../../support/folder.ts'
import { canHang, makeHungMount } from '../../support/hung-mount.ts'
import { makeScript } from '../../support/script.ts'

const node = process.execPath
const printing = (code: string) => [node, '-e', code]

async function makeFetcher(options: { timeoutMs?: number; now?: () => number } = {}) {
  const folder = await makeFolder()
  return { folder, fetcher: new SecretFetcher({ stateDir: folder, ...options }) }
}

describe('a secret from a command', () => {
  it('is the output of the command without the last line break', async () => {
    const { fetcher } = await makeFetcher()
    const source = printing('console.log(" a b ")')
    expect(fetcher.valueOf('A', source)).toBeUndefined()
    expect(await fetcher.fetch({ A: source })).toBe(true)
    expect(fetcher.valueOf('A', source)).toBe(' a b ')
    // The same name with another command has no value yet.
    expect(fetcher.valueOf('A', printing('1'))).toBeUndefined()
  })

  it('is fetched once', async () => {
    const { fetcher, folder } = await makeFetcher()
    const log = join(folder, 'log')
    const source = printing(
      `require('fs').appendFileSync(${JSON.stringify(log)}, 'x'); console.log(1)`,
    )
    await Promise.all([fetcher.fetch({ A: source }), fetcher.fetch({ A: source })])
    expect(await fetcher.fetch({ A: source })).toBe(false)
    expect(readFileSync(log, 'utf8')).toBe('x')
  })

  it.runIf(canHang)(
    'fails after a timeout if its command or the interpreter is on a hung disk',
    async () => {
      const { fetcher } = await makeFetcher({ timeoutMs: 500 })
      const hung = join(await makeHungMount(60), 'op')
      const sources = { A: [hung], B: [await makeScript(hung)] }
      await fetcher.fetch(sources)
      for (const [name, source] of Object.entries(sources))
        expect(fetcher.failureOf(name, source)).toContain('did not end within 0.5 s')
    },
  )

  it('is fetched without a shell', async () => {
    const { fetcher, folder } = await makeFetcher()
    const canary = join(folder, 'canary')
    const source = [node, '-p', 'process.argv[1]', `$(touch ${canary}); \`touch ${canary}\``]
    await fetcher.fetch({ A: source })
    expect(fetcher.valueOf('A', source)).toBe(`$(touch ${canary}); \`touch ${canary}\``)
    expect(existsSync(canary)).toBe(false)
  })

  it('is fetched without the variables of the session', async () => {
    const { fetcher } = await makeFetcher()
    process.env.HOOKBELL_TEST_CANARY = 'seen'
    const source = [node, '-p', 'process.env.HOOKBELL_TEST_CANARY ?? "unseen"']
    await fetcher.fetch({ A: source })
    delete process.env.HOOKBELL_TEST_CANARY
    expect(fetcher.valueOf('A', source)).toBe('unseen')
  })

  it.runIf(process.platform === 'linux')(
    'is fetched with a runtime folder that no other user can change',
    async () => {
      const { fetcher, folder } = await makeFetcher()
      const runtime = await realpath(await makeFolder())
      const source = [node, '-p', 'process.env.XDG_RUNTIME_DIR']
      onTestFinished(() => void vi.unstubAllEnvs())
      const seenFor = async (name: string, given: string) => {
        vi.stubEnv('XDG_RUNTIME_DIR', given)
        await fetcher.fetch({ [name]: source })
        return fetcher.valueOf(name, source)
      }
      const usual = `/run/user/${process.getuid?.()}`
      expect(await seenFor('OWN', runtime)).toBe(runtime)
      expect(await seenFor('NONE', join(folder, 'none'))).toBe(usual)
      chmodSync(runtime, 0o1777)
      expect(await seenFor('OPEN', runtime)).toBe(usual)
    },
  )

  it.each<[string, string[], RegExp]>([
    [
      'an exit status',
      printing('console.log("canary"); console.error("canary"); process.exit(3)'),
      /ended with status 3$/,
    ],
    [
      'a signal',
      printing('console.log("canary"); process.kill(process.pid, "SIGKILL")'),
      /was killed by SIGKILL$/,
    ],
    ['no output', printing('console.error("canary")'), /printed nothing$/],
    [
      'too much output',
      printing('console.log("canary".repeat(100000))'),
      /printed more than 65536 bytes$/,
    ],
    ['a missing program', ['/no/such/canary-program'], /could not be started \(ENOENT\)$/],
  ])(
    'that fails with %s gives a reason without the output of the command',
    async (_, source, reason) => {
      const { fetcher } = await makeFetcher()
      expect(await fetcher.fetch({ A: source })).toBe(true)
      expect(fetcher.valueOf('A', source)).toBeUndefined()
      expect(fetcher.failureOf('A', source)).toMatch(reason)
      expect(fetcher.failureOf('A', source)?.replace('/no/such/canary-program', '')).not.toContain(
        'canary',
      )
    },
  )

  it('that failed is fetched again after a minute', async () => {
    let now = 1000
    const { fetcher, folder } = await makeFetcher({ now: () => now })
    const file = join(folder, 'value')
    const source = printing(
      `process.stdout.write(require('fs').readFileSync(${JSON.stringify(file)}))`,
    )
    await fetcher.fetch({ A: source })
    writeFileSync(file, 'late')
    expect(await fetcher.fetch({ A: source })).toBe(false)
    now += 60_000
    expect(await fetcher.fetch({ A: source })).toBe(true)
    expect(fetcher.valueOf('A', source)).toBe('late')
    expect(fetcher.failureOf('A', source)).toBeUndefined()
  })

  it('that may be wrong is fetched again after a minute', async () => {
    let now = 1000
    const { fetcher, folder } = await makeFetcher({ now: () => now })
    const file = join(folder, 'value')
    const source = printing(
      `process.stdout.write(require('fs').readFileSync(${JSON.stringify(file)}))`,
    )
    writeFileSync(file, 'not logged in')
    await fetcher.fetch({ A: source })
    const { version } = fetcher
    const fetchAgain = (inDoubt: boolean) => {
      now += 60_000
      return fetcher.fetch({ A: source }, { inDoubt })
    }
    expect([await fetchAgain(true), fetcher.version]).toEqual([false, version])
    writeFileSync(file, 'right')
    expect([await fetchAgain(false), fetcher.valueOf('A', source)]).toEqual([
      false,
      'not logged in',
    ])
    expect([await fetchAgain(true), fetcher.valueOf('A', source)]).toEqual([true, 'right'])
  })

  it.skipIf(process.platform === 'win32')(
    'that hangs is killed together with its child processes',
    async () => {
      const file = join(await makeFolder(), 'pid')
      const child = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`
      const source = printing(
        `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })`,
      )
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const { fetcher } = await makeFetcher()
      const fetching = fetcher.fetch({ A: source })
      const pidIn = () => Number(readQuietly(file))
      await expect.poll(pidIn).toBeGreaterThan(1)
      const pid = pidIn()
      vi.advanceTimersByTime(30_000)
      await fetching
      expect(fetcher.failureOf('A', source)).toContain('did not end within 30 s')
      await expect.poll(() => isAlive(pid)).toBe(false)
    },
  )
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie counts as ended.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
