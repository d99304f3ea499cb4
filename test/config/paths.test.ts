import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { frontDoorIn } from '../../src/config/paths.ts'

describe('the front door', () => {
  it.each([
    ['win32', join('state', 'runtime/dist/hook.cjs')],
    ['linux', join('state', 'hookbell-hook')],
  ] as const)('on %s is %s', (platform, path) => {
    expect(frontDoorIn('state', platform)).toBe(path)
  })
})
