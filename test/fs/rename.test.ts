import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isRenamed } from '../../src/fs/rename.ts'
import { makeFolder } from '../support/folder.ts'
import { buildProgram } from '../support/program.ts'
import { hasStrace } from '../support/system-calls.ts'

const writers = {
  'durable.ts': 'writeDurable(path, ["text"], tmpPath)',
  'durable-async.ts': 'await writeDurableAsync(path, "text", tmpPath)',
}

interface Faults {
  error?: string
  times?: number
  os?: string
}

/** Writes a file in a process of its own, whose first renames fail. @returns what it prints, and the files there are */
async function writeWith(
  name: keyof typeof writers,
  { error = 'EBUSY', times = 3, os = 'win32' }: Faults,
) {
  const folder = await makeFolder()
  const program = pathToFileURL(await buildProgram(`src/fs/${name}`)).href
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

describe.skipIf(!hasStrace).each(['durable.ts', 'durable-async.ts'] as const)(
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
