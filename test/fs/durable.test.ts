import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  makeFolders,
  privateFolder,
  replaceFile,
  replaceUnsynced,
  writeDurable,
} from '../../src/fs/durable.ts'
import { makeFolder } from '../support/folder.ts'
import { buildProgram } from '../support/program.ts'
import { hasStrace, writingCalls } from '../support/system-calls.ts'

/** A program that replaces a file, for a process of its own. */
async function codeFor(path: string, text: string): Promise<string> {
  const program = pathToFileURL(await buildProgram('src/fs/durable.ts')).href
  const words = [path, text].map((one) => JSON.stringify(one)).join()
  return `import { replaceFile } from ${JSON.stringify(program)}; replaceFile(${words})`
}

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('a file', () => {
  it('is private by default, and otherwise has the given mode whatever the umask is', async () => {
    const folder = await makeFolder()
    const [own, shared] = ['own', 'shared'].map((name) => join(folder, name)) as [string, string]
    const mask = process.umask(0o077)
    replaceFile(shared, 'x', 0o664)
    process.umask(0)
    replaceFile(own, 'x')
    process.umask(mask)
    expect([modeOf(own), modeOf(shared)]).toEqual([0o600, 0o664])
  })

  it('is not written through a link in the place of the temporary file', async () => {
    const folder = await makeFolder()
    const [path, tmp, other] = ['file', 'tmp', 'other'].map((name) => join(folder, name))
    writeFileSync(String(other), 'theirs')
    symlinkSync('other', String(tmp))
    expect(() => writeDurable(String(path), ['ours'], String(tmp))).toThrow('EEXIST')
    expect(readFileSync(String(other), 'utf8')).toBe('theirs')
  })

  describe.each([replaceFile, replaceUnsynced])('replaced by %o', (replace) => {
    it('is private, although a killed process with the same id has left its temporary file', async () => {
      const folder = await makeFolder()
      const path = join(folder, 'file')
      writeFileSync(`${path}.${process.pid}`, 'half', { mode: 0o644 })
      replace(path, 'whole')
      expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['whole', 0o600])
      expect(readdirSync(folder)).toEqual(['file'])
    })

    it('leaves nothing behind if it cannot be put in place', async () => {
      const folder = await makeFolder()
      mkdirSync(join(folder, 'file/inside'), { recursive: true })
      expect(() => replace(join(folder, 'file'), 'x')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
      expect(readdirSync(folder)).toEqual(['file'])
    })

    it.runIf(process.platform === 'linux')('is closed, whether it is written or not', async () => {
      const folder = await makeFolder()
      const open = () => readdirSync('/proc/self/fd').length
      const before = open()
      replace(join(folder, 'file'), 'x')
      expect(() => replace(folder, 'x')).toThrow()
      expect(open()).toBe(before)
    })
  })

  it.skipIf(process.platform === 'win32')(
    'stays as it was if only a part of the new content can be written',
    async () => {
      const folder = await makeFolder()
      writeFileSync(join(folder, 'file'), 'before')
      const code = await codeFor(join(folder, 'file'), 'x'.repeat(5000))
      const line = 'ulimit -f 1; exec "$@"'
      const words = ['-c', line, 'sh', process.execPath, '--input-type=module', '--eval', code]
      expect(spawnSync('sh', words, { encoding: 'utf8' }).stderr).toContain('EFBIG')
      expect(readdirSync(folder)).toEqual(['file'])
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('before')
    },
  )

  it.skipIf(!hasStrace)(
    'is synced to the disk before it is renamed, and its folder is synced after that',
    async () => {
      const folder = await makeFolder()
      const calls = writingCalls(folder, await codeFor(join(folder, 'file'), 'some text'))
      expect(calls.map((call) => call.replace(/(?<=file)\.\d+/g, '.PID'))).toEqual([
        expect.stringMatching(/^p?write(64)? <\/file\.PID>, "some text"/),
        expect.stringMatching(/^fsync <\/file\.PID>/),
        expect.stringMatching(/^rename\w* .*"\/file\.PID", .*"\/file"/),
        expect.stringMatching(/^fsync <>/),
      ])
    },
  )
})

describe('a folder', () => {
  it('is made with its parents for this user only, and the highest new one is returned', async () => {
    const folder = await makeFolder()
    const mask = process.umask(0)
    const highest = makeFolders(join(folder, 'a/b/c'), 0o700)
    process.umask(mask)
    expect(highest).toBe(join(folder, 'a'))
    for (const name of ['a', 'a/b', 'a/b/c']) expect(modeOf(join(folder, name))).toBe(0o700)
    expect(makeFolders(join(folder, 'a/b/c'), 0o700)).toBe(undefined)
    expect(makeFolders(join(folder, 'a/b/d'), 0o700)).toBe(join(folder, 'a/b/d'))
  })

  it('that is private is no link, no file and not of another user', async () => {
    const folder = await makeFolder()
    const at = (name: string) => join(folder, name)
    const mask = process.umask(0)
    privateFolder(at('own'))
    process.umask(mask)
    expect(modeOf(at('own'))).toBe(0o700)
    privateFolder(at('own'))
    symlinkSync('own', at('link'))
    writeFileSync(at('file'), '')
    for (const name of ['link', 'file'])
      expect(() => privateFolder(at(name))).toThrow(`${at(name)}: not a folder of this user`)
    if (process.getuid?.() !== 0) return
    chownSync(at('own'), 54_321, 54_321)
    expect(() => privateFolder(at('own'))).toThrow('not a folder of this user')
    expect(existsSync(at('own'))).toBe(true)
  })
})
