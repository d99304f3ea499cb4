import { statfsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { whyNoRoom } from '../../src/fs/room.ts'

const hasProc = process.platform === 'linux'

it.skipIf(!hasProc)('a file system that reports no limit does not count as full', () => {
  expect(statfsSync('/proc')).toMatchObject({ blocks: 0, bavail: 0, files: 0, ffree: 0 })
  expect(whyNoRoom('/proc')).toBeUndefined()
})
