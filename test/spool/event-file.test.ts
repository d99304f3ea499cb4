import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acceptEvent } from '../../src/spool/event-file.ts'
import { makeFolder } from '../support/folder.ts'

describe('storing an event', () => {
  it('works in an existing folder on a system without user ids', async () => {
    const state = await makeFolder()
    const { getuid } = process
    onTestFinished(() => void Object.assign(process, { getuid }))
    Object.assign(process, { getuid: undefined })
    const header = { client: 'droid', env: {} }
    const ids = [1, 2].map(() => acceptEvent(state, header, Buffer.from('{}')))
    const folder = join(state, 'spool/new')
    expect(readdirSync(folder).sort()).toEqual(ids.sort())
    const text = readFileSync(join(folder, ids[0] ?? ''), 'utf8')
    expect(text).toBe('hookbell-event 1\nclient: droid\n\n{}')
  })

  it.runIf(process.getuid?.() === 0)('is refused in the folder of another user', async () => {
    const state = await makeFolder()
    chownSync(state, 54321, 54321)
    const accept = () => acceptEvent(state, { client: 'droid', env: {} }, Buffer.from('{}'))
    expect(accept).toThrow('belongs to another user')
    expect(existsSync(join(state, 'spool'))).toBe(false)
  })
})
