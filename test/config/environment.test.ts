import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asTyped } from '../../src/cli/how-to-call.ts'
import { brokenChannels } from '../../src/config/channels.ts'
import { CurrentConfig } from '../../src/config/current.ts'
import { environmentFile } from '../../src/config/environment.ts'
import { howToSet } from '../../src/config/secrets/how-to-set.ts'
import { readSecrets } from '../../src/config/secrets/secrets.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookbell env ' "))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const config = JSON.stringify({
  env: ['TEAM_URL'],
  channels: { team: { type: 'slack', url: '${TEAM_URL}' } },
})

function makeConfig() {
  const folders = [makeFolder(), makeFolder()] as const
  writeFileSync(join(folders[0], 'config.json'), config, { mode: 0o600 })
  return { folders, state: folders[1], current: new CurrentConfig(...folders) }
}

const url = 'https://hooks.example.com/services/canary'

describe('a variable that the configuration lists', () => {
  it('is stored in a private file from the shell of the user, for workers without it', () => {
    const { folders, state, current } = makeConfig()
    expect(current.get().unset).toEqual(['TEAM_URL'])
    current.storeVariables({ TEAM_URL: url, OTHER: 'not asked for' })
    expect(statSync(environmentFile(state)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(environmentFile(state), 'utf8'))).toEqual({ TEAM_URL: url })
    for (const one of [current, new CurrentConfig(...folders)]) {
      expect(one.get().config.channels.team).toMatchObject({ url })
      expect(one.get().secrets).toContain(url)
    }
  })

  it('is never taken from the environment of the process', () => {
    process.env.TEAM_URL = 'https://evil.example.com/x'
    onTestFinished(() => {
      delete process.env.TEAM_URL
    })
    const { current } = makeConfig()
    expect(brokenChannels(current.get().config)).toMatchObject([
      { name: 'team', why: '${TEAM_URL} not set' },
    ])
  })

  it('stays stored if another shell does not have it, and is removed when it is no longer listed', () => {
    const { folders, state, current } = makeConfig()
    current.storeVariables({ TEAM_URL: url })
    current.storeVariables({})
    expect(current.get().unset).toEqual([])
    writeFileSync(join(folders[0], 'config.json'), '{}')
    current.storeVariables({})
    expect(readFileSync(environmentFile(state), 'utf8')).toBe('{}\n')
  })

  it.each(['nonsense', '[]', 'null', '{"TEAM_URL": 1}'])(
    'counts as unset if %s is stored',
    (text) => {
      const { state, current } = makeConfig()
      writeFileSync(environmentFile(state), text)
      expect(current.get().unset).toEqual(['TEAM_URL'])
    },
  )
})

describe('a missing variable', () => {
  it('is stored by the suggested command, which does not contain its value', async () => {
    const { folders, current } = makeConfig()
    const file = join(folders[0], 'secrets.env')
    // Without a line break at the end, as some editors save it.
    writeFileSync(file, 'OLD=kept', { mode: 0o600 })
    const value = `${url}/a #b`
    const hint = howToSet(['TEAM_URL', 'OTHER'], folders[0], { TEAM_URL: value })
    expect(hint).not.toContain('canary')
    const [, command = ''] = asTyped(hint).split('run: ')
    const { PATH } = process.env
    const env = { PATH, TEAM_URL: value, HOOKBELL_CONFIG_DIR: folders[0] }
    await execa('sh', ['-c', command], { env, extendEnv: false })
    expect(readSecrets(folders[0]).values).toEqual(
      new Map([
        ['OLD', 'kept'],
        ['TEAM_URL', value],
      ]),
    )
    expect(current.get().problem).toBeUndefined()
  })

  it('is set with `hookbell secrets set` if the shell does not have it either', () => {
    expect(howToSet(['TEAM_URL'], '/c', {})).toBe('Set it: hookbell secrets set TEAM_URL')
  })
})
