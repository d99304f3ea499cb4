import { execFile } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { file } from '../../src/notifiers/file.ts'
import { makeFolder } from '../support/folder.ts'
import { failureOf, makeContext, makeMessage, testNotifier } from './_suite.ts'

let folder = ''

beforeEach(async () => {
  folder = await fs.realpath(await makeFolder())
})

const send = (path: string, fields = {}, context = {}) =>
  file.send(makeMessage(fields), file.options.parse({ path }), makeContext(context))

const readLines = async (path: string) => {
  const text = await fs.readFile(path, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line))
}

const modeOf = async (path: string) => ((await fs.stat(path)).mode & 0o777).toString(8)

describe('notifiers: file', () => {
  testNotifier({
    notifier: file,
    accept: async () => {
      const path = join(folder, 'log.jsonl')
      const arrived = async () => {
        const [line] = await readLines(path)
        return `${line.title}\n${line.body}`
      }
      return { options: { path }, arrived }
    },
  })

  it('writes one JSON line for each message', async () => {
    const path = join(folder, 'log.jsonl')
    expect(await send(path, { body: 'a\nb', markup: '<b>' })).toBe(`written to ${path}`)
    await send(path, { id: 'second' })
    const lines = await readLines(path)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatchInlineSnapshot(`
      {
        "at": "2026-11-20T09:30:00.000Z",
        "body": "a
      b",
        "client": "claude",
        "cwd": "/home/me/shop",
        "event": "Notification",
        "id": "01J9ZK3QHV",
        "kind": "permission",
        "sessionId": "b7c1",
        "title": "Permission needed in shop",
        "urgency": "normal",
      }
    `)
  })

  const sendWithUmask = async (umask: number, path: string) => {
    const before = process.umask(umask)
    try {
      await send(path)
    } finally {
      process.umask(before)
    }
  }

  it('creates a file that its owner can use, even with umask 0777', async () => {
    const path = join(folder, 'log.jsonl')
    await sendWithUmask(0o777, path)
    expect(await modeOf(path)).toBe('600')
  })

  it('creates the file and its folders for their owner only', async () => {
    const path = join(folder, 'a/b/log.jsonl')
    await sendWithUmask(0, path)
    expect(await modeOf(path)).toBe('600')
    expect(await modeOf(join(folder, 'a'))).toBe('700')
    expect(await modeOf(join(folder, 'a/b'))).toBe('700')
  })

  it('keeps the mode of an existing file', async () => {
    const path = join(folder, 'log.jsonl')
    await fs.writeFile(path, '{}\n')
    await fs.chmod(path, 0o640)
    await send(path)
    expect(await modeOf(path)).toBe('640')
    expect(await readLines(path)).toHaveLength(2)
  })

  it('expands ~ to the home directory', async () => {
    vi.stubEnv('HOME', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await send('~/logs/x.jsonl')).toBe(`written to ${folder}/logs/x.jsonl`)
  })

  it.each(['log.jsonl', './log.jsonl', '~other/log.jsonl', ''])('rejects the path %j', (path) => {
    expect(file.options.safeParse({ path }).success).toBe(false)
  })

  it('begins a new line after an incomplete line', async () => {
    const path = join(folder, 'log.jsonl')
    await fs.writeFile(path, '{"id":"whole"}\n{"id":"cut sho')
    await send(path, { id: 'next' })
    const lines = (await fs.readFile(path, 'utf8')).split('\n')
    expect(lines.slice(0, 2)).toEqual(['{"id":"whole"}', '{"id":"cut sho'])
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ id: 'next' })
  })

  it('continues in a new file after a rotation', async () => {
    const path = join(folder, 'log.jsonl')
    await send(path, { id: 'old' })
    await fs.rename(path, `${path}.1`)
    await send(path, { id: 'new' })
    expect((await readLines(path)).map(({ id }) => id)).toEqual(['new'])
  })

  it('gives up on a link, which may point to a file of another user', async () => {
    const path = join(folder, 'log.jsonl')
    const victim = join(folder, 'victim')
    await fs.writeFile(victim, '')
    await fs.symlink(victim, path)
    const error = await failureOf(send(path))
    expect(error).toMatchObject({
      verdict: 'give-up',
      message: `file: ${path} is a link`,
      hint: expect.stringContaining('Links'),
    })
    expect(await fs.readFile(victim, 'utf8')).toBe('')
  })

  it('gives up on a dangling link', async () => {
    const path = join(folder, 'log.jsonl')
    await fs.symlink(join(folder, 'nowhere'), path)
    expect(await failureOf(send(path))).toMatchObject({ verdict: 'give-up' })
  })

  it('gives up on a pipe without waiting for a reader', async () => {
    const path = join(folder, 'pipe')
    await promisify(execFile)('mkfifo', [path])
    expect(await failureOf(send(path))).toMatchObject({ verdict: 'give-up' })
  })

  it('gives up on a folder', async () => {
    expect(await failureOf(send(folder))).toMatchObject({ verdict: 'give-up' })
  })

  it.runIf(process.getuid?.() === 0)('gives up on a file of another user', async () => {
    const path = join(folder, 'log.jsonl')
    await fs.writeFile(path, '')
    await fs.chown(path, 12345, 12345)
    const error = await failureOf(send(path))
    expect(error).toMatchObject({ verdict: 'give-up' })
    expect(error.message).toContain('another user')
  })

  it.runIf(process.platform === 'linux')('asks for a retry when the file cannot grow', async () => {
    const path = join(folder, 'log.jsonl')
    const module = new URL('../../src/notifiers/file.ts', import.meta.url).href
    const script = `
      const { file } = await import(${JSON.stringify(module)})
      const context = { signal: AbortSignal.timeout(600_000) }
      const sending = file.send(JSON.parse(process.argv[1]), { path: process.argv[2] }, context)
      console.log(JSON.stringify(await sending.catch(({ verdict, message }) => ({ verdict, message }))))
    `
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
    const message = JSON.stringify(makeMessage({ body: 'x'.repeat(100_000) }))
    const shell = 'ulimit -f 8; trap "" XFSZ; exec "$@"'
    const { stdout } = await promisify(execFile)('sh', ['-c', shell, 'sh', ...node, message, path])
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'retry',
      message: expect.stringContaining('EFBIG'),
    })
    await send(path, { id: 'next' })
    const last = (await fs.readFile(path, 'utf8')).split('\n').at(-2)
    expect(JSON.parse(last ?? '')).toMatchObject({ id: 'next' })
  })

  it.runIf(process.platform === 'linux')('leaves no file open', async () => {
    const open = async () => (await fs.readdir('/proc/self/fd')).length
    await send(join(folder, 'log.jsonl'))
    const before = await open()
    for (let count = 0; count < 20; count += 1) {
      await send(join(folder, 'log.jsonl'))
      await failureOf(send(folder))
    }
    expect(await open()).toBeLessThan(before + 20)
  })

  it('writes nothing if its signal is already aborted', async () => {
    const path = join(folder, 'log.jsonl')
    await failureOf(send(path, {}, { signal: AbortSignal.abort() }))
    await expect(fs.stat(path)).rejects.toThrow('ENOENT')
  })

  it('writes each line completely and in order when many are sent at the same time', async () => {
    const path = join(folder, 'log.jsonl')
    const ids = Array.from({ length: 2000 }, (_, index) => `id-${index}`)
    await Promise.all(ids.map((id) => send(path, { id, body: 'x'.repeat(5000) })))
    expect((await readLines(path)).map(({ id }) => id)).toEqual(ids)
  })
})
