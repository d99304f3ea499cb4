import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expandHome, homeDir, runtimeDir } from '../../src/fs/home.ts'

describe('the home directory', () => {
  it.each(['', 'relative', undefined])('is that of the user if HOME is %j', (HOME) => {
    expect(homeDir({ HOME })).toBe(userInfo().homedir)
    expect(expandHome('~/notes', { HOME })).toBe(join(userInfo().homedir, 'notes'))
  })

  it('is USERPROFILE on Windows, as for the agents, and HOME elsewhere', () => {
    const env = { HOME: '/network', USERPROFILE: '/me' }
    expect([homeDir(env, 'win32'), homeDir(env, 'linux')]).toEqual(['/me', '/network'])
    expect(homeDir({ HOME: '/network' }, 'win32')).toBe('/network')
  })

  it('is what a leading ~ stands for', () => {
    const env = { USERPROFILE: '/me' }
    expect(expandHome('~', env)).toBe('/me')
    expect(expandHome('~/notes', env)).toBe('/me/notes')
    expect(expandHome('/other/~/notes', env)).toBe('/other/~/notes')
    for (const path of ['~root/notes', 'notes', '']) expect(expandHome(path, env)).toBeUndefined()
  })
})

describe('the private folder of a user', () => {
  it('is below /run/user if no variable names it', () => {
    expect(runtimeDir({}, 'linux')).toBe(`/run/user/${process.getuid?.() ?? 0}`)
  })

  it('is in the profile of the user on Windows', () => {
    const local = 'C:\\Users\\me\\AppData\\Local'
    const temp = `${local}\\Temp`
    expect(runtimeDir({ LOCALAPPDATA: local }, 'win32')).toBe(temp)
    expect(runtimeDir({ USERPROFILE: 'C:\\Users\\me' }, 'win32')).toBe(temp)
    expect(runtimeDir({ LOCALAPPDATA: 'relative' }, 'win32')).toMatch(/AppData\\Local\\Temp$/)
  })
})
