import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  isRenamed,
  makeFolders,
  privateFolder,
  replaceFile,
  replaceUnsynced,
  whyNoSpace,
  writeDurable,
  writeDurableAsync,
} from '../../src/fs/durable.ts'
import { makeFolder } from '../support/folder.ts'
import { buildProgram } from '../support/program.ts'
import { hasStrace, writingCalls } from '../support/system-calls.ts'

const hasProc = process.platform === 'linux'

const writers = {
  writeDurable: 'writeDurable(path, ["text"], tmpPath)',
  writeDurableAsync: 'await writeDurableAsync(path, "text", tmpPath)',
}

interface Faults {
  error?: string
  times?: number
  os?: string
}

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

/** Writes a file in a process of its own, whose first renames fail. @returns what it prints, and the files there are */
async function writeWith(
  name: keyof typeof writers,
  { error = 'EBUSY', times = 3, os = 'win32' }: Faults,
) {
  const folder = await makeFolder()
  const program = pathToFileURL(await buildProgram('src/fs/durable.ts')).href
  const paths = ['file', 'tmp'].map((one) => JSON.stringify(join(folder, one)))
  const code = `
    Object.defineProperty(process, 'platform', { value: '${os}' })
    const { writeDurable, writeDurableAsync } = await import(${JSON.stringify(program)})
    const [path, tmpPath] = [${paths}]
    ${writers[name]}`
  const inject = `inject=rename:error=${error}:when=1..${times}`
  const node = [process.execPath, '--input-type=module', '--eval', code]
  const words = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=rename', '-e', inject, ...node]
  // strace counts per thread.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' }
  const { stderr } = spawnSync('strace', words, { encoding: 'utf8', env })
  return { stderr, files: readdirSync(folder) }
}

describe.skipIf(!hasStrace).each(['writeDurable', 'writeDurableAsync'] as const)(
  'a file that %s writes',
  (name) => {
    it.each(['EBUSY', 'EPERM', 'EACCES'])(
      'gets its name on Windows as soon as no other program keeps it open: %s',
      async (error) => {
        expect(await writeWith(name, { error })).toEqual({ stderr: '', files: ['file'] })
      },
    )

    it.each<[string, Faults]>([
      ['another program keeps it open', { times: 6 }],
      ['the rename fails for another reason', { error: 'EIO', times: 1 }],
      ['the rename fails on another system', { os: 'linux', times: 1 }],
    ])('is removed if %s', async (_, options) => {
      const { stderr, files } = await writeWith(name, options)
      expect(stderr).toContain(options.error ?? 'EBUSY')
      expect(files).toEqual([])
    })
  },
)

describe('a rename that failed', () => {
  const errorOf = (code: string) => Object.assign(new Error(code), { code })

  it.each([
    ['EIO', ['to'], true],
    // Another process has already moved the file on.
    ['EIO', [], true],
    ['EIO', ['from'], false],
    ['EIO', ['from', 'to'], false],
    // A file server gives this answer to a repeated request.
    ['ENOENT', ['to'], true],
    ['ENOENT', [], false],
  ])('with %s, when there are %j, has happened: %s', async (code, names, expected) => {
    const folder = await makeFolder()
    const [from, to] = ['from', 'to'].map((name) => join(folder, name)) as [string, string]
    for (const name of names) writeFileSync(join(folder, name), '')
    expect(isRenamed(from, to, errorOf(code))).toBe(expected)
  })

  it('counts as not happened if that cannot be determined', async () => {
    const folder = await makeFolder()
    symlinkSync('loop', join(folder, 'loop'))
    mkdirSync(join(folder, 'to'))
    const from = join(folder, 'loop/inside')
    expect(isRenamed(from, join(folder, 'to'), errorOf('ENOENT'))).toBe(false)
  })
})

it.skipIf(!hasProc)('a file system that reports no limit does not count as full', () => {
  expect(statfsSync('/proc')).toMatchObject({ blocks: 0, bavail: 0, files: 0, ffree: 0 })
  expect(whyNoSpace('/proc')).toBeUndefined()
})

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
      const program = pathToFileURL(await buildProgram('src/fs/durable.ts')).href
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
