import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fallbackStateDir } from '../../src/config/paths.ts'
import { fallbackFolders, isPinRefused, pinnedPath } from '../../src/config/pinned.ts'
import { windowsSystem, workerEnvironment } from '../../src/config/worker-env.ts'

const pinned = { configDir: '/me/config', fallbackDir: '/run/me/x', home: '/me', node: '/bin/node' }

function makeState(values: object | undefined = undefined): string {
  const stateDir = mkdtempSync(join(tmpdir(), 'hookbell-pins-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  mkdirSync(join(stateDir, 'runtime'), { mode: 0o700 })
  if (values) writeFileSync(pinnedPath(stateDir), JSON.stringify(values), { mode: 0o600 })
  return stateDir
}

describe('the environment of a worker', () => {
  it('has the pinned values, and nothing of the session', () => {
    const locale = { LANG: 'de_DE.UTF-8', TZ: 'Europe/Berlin' }
    const stateDir = makeState({ ...pinned, locale })
    const session = fc.dictionary(fc.string({ minLength: 1 }), fc.string())
    fc.assert(
      fc.property(session, (env) => {
        const named = {
          ...env,
          HOME: '/evil',
          HOOKBELL_CONFIG_DIR: '/evil',
          LANG: 'C',
          LC_ALL: 'C',
          TZ: 'Etc/GMT-10',
        }
        expect(workerEnvironment(stateDir, named, 'linux')).toEqual({
          PATH: expect.stringMatching(/^\/usr\/bin:/),
          ...locale,
          HOME: '/me',
          HOOKBELL_STATE_DIR: stateDir,
          HOOKBELL_CONFIG_DIR: '/me/config',
          HOOKBELL_FALLBACK_DIR: '/run/me/x',
        })
      }),
    )
  })

  it('has the folders of the session if nothing is pinned, but no language and time zone', () => {
    const stateDir = makeState()
    const folders = { HOME: '/me', XDG_RUNTIME_DIR: '/run/me' }
    const env = { ...folders, SLACK_WEBHOOK_URL: 'x', PATH: '/evil', LANG: 'C', TZ: 'Etc/GMT-10' }
    expect(workerEnvironment(stateDir, env, 'linux')).toEqual({
      PATH: expect.not.stringContaining('evil'),
      HOME: '/me',
      HOOKBELL_STATE_DIR: stateDir,
      HOOKBELL_CONFIG_DIR: '/me/.config/hookbell',
      XDG_RUNTIME_DIR: '/run/me',
    })
  })

  it.each(['/evil', '../evil', ':/evil', 'a b', 'x'.repeat(40), '', 'Europe/x'.repeat(20), 1])(
    'has no pinned language or time zone such as %j',
    (value) => {
      const locale = { LANG: value, LC_ALL: value, TZ: value, LD_PRELOAD: 'x' }
      const environment = workerEnvironment(makeState({ ...pinned, locale }), {}, 'linux')
      expect(Object.keys(environment).filter((name) => Object.hasOwn(locale, name))).toEqual([])
    },
  )

  it('has on Windows the variables that programs need to start', () => {
    const env = { SystemRoot: 'C:\\Windows', NODE_OPTIONS: 'x', HOME: '/me' }
    const result = workerEnvironment(makeState(pinned), env, 'win32')
    expect(result).toMatchObject({ SystemRoot: 'C:\\Windows', USERPROFILE: '/me' })
    expect(result).not.toHaveProperty('NODE_OPTIONS')
  })

  it('has on Windows the PATH that was pinned, not that of a session', () => {
    const system = windowsSystem({ PATH: 'C:\\me', SystemRoot: 'C:\\Windows', TOKEN: 'x' })
    const env = { PATH: 'D:\\repo', SystemRoot: 'D:\\repo', ComSpec: 'D:\\repo\\cmd.exe' }
    const result = workerEnvironment(makeState({ ...pinned, system }), env, 'win32')
    expect(result).toMatchObject({ PATH: 'C:\\me', SystemRoot: 'C:\\Windows' })
    expect(JSON.stringify(result)).not.toMatch(/repo|TOKEN/)
  })
})

describe('pinned values', () => {
  it.each([
    ['the file', 'runtime/pinned.json'],
    ['its folder', 'runtime'],
    ['the state folder', '.'],
  ])('are rejected if others can write %s', (_, path) => {
    const stateDir = makeState(pinned)
    expect(isPinRefused(stateDir)).toBe(false)
    chmodSync(join(stateDir, path), 0o777)
    expect(isPinRefused(stateDir)).toBe(true)
  })

  it.each(Object.keys(pinned))('are rejected if %s is missing or relative', (name) => {
    expect(isPinRefused(makeState({ ...pinned, [name]: 'me' }))).toBe(true)
    expect(isPinRefused(makeState({ ...pinned, [name]: undefined }))).toBe(true)
  })

  it('are rejected if the folder with them cannot be read', () => {
    const stateDir = makeState()
    expect(isPinRefused(stateDir)).toBe(false)
    rmSync(join(stateDir, 'runtime'), { recursive: true })
    symlinkSync('runtime', join(stateDir, 'runtime'))
    expect(isPinRefused(stateDir)).toBe(true)
  })
})

describe('the fallback folder', () => {
  const env = { XDG_RUNTIME_DIR: '/run/me' }

  it('is different for each state folder', () => {
    const [one, two] = [fallbackStateDir('/a/x', env), fallbackStateDir('/b/x', env)]
    expect(one).toMatch(/^\/run\/me\/hookbell-[0-9a-f]{12}$/)
    expect(one).not.toBe(two)
    expect(fallbackStateDir('//a//x', env)).toBe(one)
  })

  it('is the pinned one, not that of the session; nor another one beside it', () => {
    const expected = ['/run/me/x']
    expect(fallbackFolders(makeState(pinned), { XDG_RUNTIME_DIR: '/evil' })).toEqual(expected)
  })

  it.each([
    ['/run/me/given', ['/run/me/given']],
    ['given', [fallbackStateDir('/state', env)]],
    ['/state', []],
  ])(
    'is taken from HOOKBELL_FALLBACK_DIR=%s only if it is absolute and not the state folder',
    (given, expected) => {
      expect(fallbackFolders('/state', { ...env, HOOKBELL_FALLBACK_DIR: given })).toEqual(expected)
    },
  )
})
