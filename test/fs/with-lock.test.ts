import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withLock } from '../../src/fs/with-lock.ts'
import { makeFolder } from '../support/folder.ts'

describe('a lock beside a file', () => {
  it('is there while the work is done, and gone afterwards', async () => {
    const path = join(await makeFolder(), 'file')
    expect(withLock(path, () => existsSync(`${path}.lock`))).toBe(true)
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('goes when the work fails', async () => {
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

  it('cannot be made where nobody may write', () => {
    expect(() => withLock('/proc/nowhere/file', () => 'done')).toThrow('ENOENT')
  })
})
