import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { file } from '../../src/notifiers/file.ts'
import { makeFolder } from '../support/folder.ts'
import { failureOf, makeContext, makeMessage } from './_suite.ts'

let folder = ''

beforeEach(async () => {
  folder = await makeFolder()
})

const send = (path: string, context = {}) =>
  file.send(makeMessage(), file.options.parse({ path }), makeContext(context))

describe('notifiers: file: disk syncs', () => {
  it('accepts a line only once it is on the disk, and syncs many waiting lines at once', async () => {
    const path = join(folder, 'log.jsonl')
    const { datasync, letGo } = await holdDatasync()
    const accepted: number[] = []
    const sending = Array.from({ length: 64 }, async (_, index) => {
      await send(path)
      accepted.push(index)
    })
    // The first line is synced alone, because no other line was waiting yet.
    await expect.poll(() => datasync.mock.calls).toHaveLength(1)
    expect(accepted).toEqual([])
    letGo[0]?.()
    await expect.poll(() => datasync.mock.calls).toHaveLength(2)
    expect(accepted).toEqual([0])
    expect((await fs.readFile(path, 'utf8')).split('\n')).toHaveLength(65)
    letGo[1]?.()
    await Promise.all(sending)
    expect(datasync).toHaveBeenCalledTimes(2)
  })

  it('syncs the parent folders of a new file once', async () => {
    const sync = vi.spyOn(await fileHandlePrototype(), 'sync')
    onTestFinished(() => sync.mockRestore())
    const path = join(folder, 'a/b/log.jsonl')
    await send(path)
    // The new folders `b` and `a`, and the existing folder around them.
    expect(sync).toHaveBeenCalledTimes(3)
    await send(path)
    expect(sync).toHaveBeenCalledTimes(3)
  })

  it.each(['EINVAL', 'EPERM', 'EACCES'])(
    'accepts a line whose folder the system cannot sync: %s',
    async (code) => {
      await failSync(code)
      const path = join(folder, 'a/log.jsonl')
      await send(path)
      expect((await fs.readFile(path, 'utf8')).split('\n')).toHaveLength(2)
    },
  )

  it('fails when the disk cannot write the folder', async () => {
    await failSync('EIO')
    expect(await failureOf(send(join(folder, 'log.jsonl')))).toMatchObject({ verdict: 'retry' })
  })

  it('stops at its abort signal when the disk does not answer', async () => {
    const { datasync, letGo } = await holdDatasync()
    const controller = new AbortController()
    const path = join(folder, 'log.jsonl')
    const sending = failureOf(send(path, { signal: controller.signal }))
    await expect.poll(() => datasync.mock.calls).toHaveLength(1)
    controller.abort()
    expect(await sending).toMatchObject({ verdict: 'retry' })
    letGo[0]?.()
  })
})

/** Makes each fdatasync wait until the test releases it. */
async function holdDatasync() {
  const letGo: (() => void)[] = []
  const prototype = await fileHandlePrototype()
  const real = prototype.datasync
  const datasync = vi.spyOn(prototype, 'datasync').mockImplementation(async function (
    this: fs.FileHandle,
  ) {
    await new Promise<void>((resolve) => letGo.push(resolve))
    return real.call(this)
  })
  onTestFinished(() => datasync.mockRestore())
  return { datasync, letGo }
}

/** Makes each fsync fail, which here is only called for folders. */
async function failSync(code: string) {
  const error = Object.assign(new Error(`${code}: fsync`), { code })
  const sync = vi.spyOn(await fileHandlePrototype(), 'sync').mockRejectedValue(error)
  onTestFinished(() => sync.mockRestore())
}

async function fileHandlePrototype(): Promise<fs.FileHandle> {
  const handle = await fs.open(join(folder, 'any'), 'w')
  await handle.close()
  return Object.getPrototypeOf(handle)
}
