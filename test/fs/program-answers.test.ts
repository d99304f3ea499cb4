import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { programAnswers } from '../../src/fs/program-answers.ts'
import { makeFolder } from '../support/folder.ts'
import { canHang, makeHungMount } from '../support/hung-mount.ts'
import { makeScript } from '../support/script.ts'

const isHanging = (file: string, path?: string) =>
  Promise.race([programAnswers(file, path).then(() => false), sleep(300, true)])

describe.runIf(process.platform !== 'win32')('the disk of a program', () => {
  it('answers for a pipe, a missing file, and a script that is its own interpreter', async () => {
    const folder = await makeFolder()
    const [pipe, loop] = [join(folder, 'pipe'), join(folder, 'loop')]
    execFileSync('mkfifo', [pipe])
    await writeFile(loop, `#!${loop}\n`, { mode: 0o755 })
    for (const path of [pipe, loop, join(folder, 'missing')]) await programAnswers(path)
  })

  it.runIf(canHang)('is waited for by one thread, however many wait', async () => {
    const path = join(await makeHungMount(), 'program')
    const waiting = Array.from({ length: 20 }, () => isHanging(path))
    await programAnswers('sh', '/bin')
    expect(await Promise.all(waiting)).not.toContain(false)
  })

  it.runIf(canHang)('is also that of its interpreter, and of the interpreter of that', async () => {
    const hung = join(await makeHungMount(), 'python')
    expect(await isHanging(await makeScript(` \t${hung} -u`))).toBe(true)
    expect(await isHanging(await makeScript(await makeScript(hung)))).toBe(true)
    for (const answering of ['/usr/bin/env python', 'python', await makeScript(hung, 0o644)])
      await programAnswers(await makeScript(answering))
  })

  it.runIf(canHang)('is also that of each folder in which it is looked for', async () => {
    const hung = await makeHungMount()
    const folder = await makeFolder()
    await mkdir(join(folder, 'sh'))
    await programAnswers('sh', `${folder}:/none:/bin:${hung}`)
    expect(await isHanging('sh', `${folder}:${hung}:/bin`)).toBe(true)
    expect(await isHanging('no-such-program', `/bin:${hung}`)).toBe(true)
  })
})
