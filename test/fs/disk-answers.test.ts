import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diskAnswers } from '../../src/fs/disk-answers.ts'
import { makeFolder } from '../support/folder.ts'
import { canHang, makeHungMount } from '../support/hung-mount.ts'

it.runIf(process.platform !== 'win32')(
  'a disk answers even if the path is a pipe or missing',
  async () => {
    const folder = await makeFolder()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    for (const name of ['pipe', 'missing']) await diskAnswers(join(folder, name))
  },
)

it.runIf(canHang)(
  'a file on a disk that does not answer is opened once, however many wait for it',
  async () => {
    const path = join(await makeHungMount(), 'program')
    const first = diskAnswers(path)
    expect(diskAnswers(path)).toBe(first)
  },
)
