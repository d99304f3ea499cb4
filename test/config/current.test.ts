import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CurrentConfig } from '../../src/config/current.ts'
import { makeFolder } from '../support/folder.ts'

it('recent() returns the configuration that was last read', async () => {
  const folder = await makeFolder()
  const configure = (lingerSeconds: number) => {
    const path = join(folder, 'config.json')
    writeFileSync(`${path}.new`, JSON.stringify({ lingerSeconds }))
    renameSync(`${path}.new`, path)
  }
  const config = new CurrentConfig(folder, folder)
  for (const seconds of [1, 2, 3]) {
    configure(seconds)
    expect(config.get().config.lingerSeconds).toBe(seconds)
    expect(config.recent()).toBe(config.last)
  }
})
