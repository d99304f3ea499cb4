import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configDir, frontDoorIn, stateDir } from '../../src/config/paths.ts'

describe('the front door', () => {
  it.each([
    ['win32', join('state', 'runtime/dist/hook.cjs')],
    ['linux', join('state', 'hookbell-hook')],
  ] as const)('on %s is %s', (platform, path) => {
    expect(frontDoorIn('state', platform)).toBe(path)
  })
})

describe('the folders', () => {
  it('are taken from the environment if they are absolute', () => {
    expect(configDir({ HOOKBELL_CONFIG_DIR: '/c' })).toBe('/c')
    expect(stateDir({ HOOKBELL_STATE_DIR: '/s', XDG_STATE_HOME: '/x' })).toBe('/s')
    expect(stateDir({ XDG_STATE_HOME: '/x' })).toBe('/x/hookbell')
    expect(stateDir({ HOOKBELL_STATE_DIR: 's', XDG_STATE_HOME: 'x', HOME: '/h' })).toBe(
      '/h/.local/state/hookbell',
    )
    expect(configDir({ HOME: '/h' })).toBe('/h/.config/hookbell')
  })
})
