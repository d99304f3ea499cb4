import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exists } from '../../src/fs/missing.ts'
import { makeFolder } from '../support/folder.ts'

it('nothing exists below a file', async () => {
  const folder = await makeFolder()
  writeFileSync(join(folder, 'file'), '')
  expect(exists(join(folder, 'file/name'))).toBe(false)
})

it('a link exists even if it leads to nothing', async () => {
  const folder = await makeFolder()
  symlinkSync('nowhere', join(folder, 'link'))
  expect(exists(join(folder, 'link'))).toBe(true)
})
