import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acceptEvent } from '../../src/spool/write.ts'
import { makeFolder } from '../support/folder.ts'

describe('storing an event', () => {
  it('works in an existing folder on a system without user ids', async () => {
    const state = await makeFolder()
    const { getuid } = process
    onTestFinished(() => void Object.assign(process, { getuid }))
    Object.assign(process, { getuid: undefined })
    const header = { client: 'droid', env: {} }
    const ids = [1, 2].map(() => acceptEvent(state, header, Buffer.from('{}')))
    expect(readdirSync(join(state, 'spool/new')).sort()).toEqual(ids.sort())
  })
})
