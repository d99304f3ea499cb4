import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withLock } from '../../src/fs/with-lock.ts'
import { makeFolder } from '../support/folder.ts'

describe('a lock file', () => {
  it('exists during the work, and is removed afterwards', async () => {
    const path = join(await makeFolder(), 'file')
    expect(withLock(path, () => existsSync(`${path}.lock`))).toBe(true)
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('is removed when the work fails', async () => {
    const path = join(await makeFolder(), 'file')
    const fail = () => {
      throw new Error('no room')
    }
    expect(() => withLock(path, fail)).toThrow('no room')
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('of a process that died is taken over', async () => {
    const folder = await makeFolder()
    const path = join(folder, 'file')
    writeFileSync(`${path}.lock`, '')
    expect(withLock(path, () => 'done', 50)).toBe('done')
    expect(readdirSync(folder)).toEqual([])
  })

  it('that another process has taken over meanwhile is not removed', async () => {
    const lock = join(await makeFolder(), 'file.lock')
    withLock(lock.replace(/\.lock$/, ''), () => {
      rmSync(lock)
      writeFileSync(lock, '')
    })
    expect(existsSync(lock)).toBe(true)
  })

  it('causes an error if it cannot be created', () => {
    expect(() => withLock('/proc/nowhere/file', () => 'done')).toThrow('ENOENT')
  })
})
