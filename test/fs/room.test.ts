import { statfsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { whyNoRoom } from '../../src/fs/room.ts'

const hasProc = process.platform === 'linux'

it.skipIf(!hasProc)('does not call a file system full that knows no limit', () => {
  expect(statfsSync('/proc')).toMatchObject({ blocks: 0, bavail: 0, files: 0, ffree: 0 })
  expect(whyNoRoom('/proc')).toBeUndefined()
})
