import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writeDurableAsync } from '../../src/fs/durable-async.ts'
import { makeFolder } from '../support/folder.ts'
import { buildProgram } from '../support/program.ts'
import { hasStrace, writingCalls } from '../support/system-calls.ts'

async function makePaths() {
  const folder = await makeFolder()
  return { folder, path: join(folder, 'file'), tmp: join(folder, 'tmp') }
}

describe('a file that is written without blocking', () => {
  it('is not written through a link in the place of the temporary file', async () => {
    const { folder, path, tmp } = await makePaths()
    writeFileSync(join(folder, 'other'), 'theirs')
    symlinkSync('other', tmp)
    await expect(writeDurableAsync(path, 'ours', tmp)).rejects.toThrow('EEXIST')
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('theirs')
  })

  it('leaves nothing behind if it cannot be put in place', async () => {
    const { folder, path, tmp } = await makePaths()
    mkdirSync(join(path, 'inside'), { recursive: true })
    await expect(writeDurableAsync(path, 'x', tmp)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it.skipIf(!hasStrace)(
    'is synced to the disk before it is renamed, and its folder is synced after that',
    async () => {
      const { folder, path, tmp } = await makePaths()
      const program = pathToFileURL(await buildProgram('src/fs/durable-async.ts')).href
      const words = [path, 'text', tmp].map((one) => JSON.stringify(one)).join()
      const code = `import { writeDurableAsync } from ${JSON.stringify(program)}; await writeDurableAsync(${words})`
      expect(writingCalls(folder, code)).toEqual([
        expect.stringMatching(/^p?write(64)? <\/tmp>, "text"/),
        expect.stringMatching(/^fsync <\/tmp>/),
        expect.stringMatching(/^rename\w* .*"\/tmp", .*"\/file"/),
        expect.stringMatching(/^fsync <>/),
      ])
    },
  )
})
