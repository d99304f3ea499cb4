import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasArrived } from '../../src/doctor/door.ts'
import { makeHome } from '../install/make-home.ts'

const mark = 'hookbell-doctor-1'
const body = `hookbell-event 1\nclient: droid\n\n{"session_id":"${mark}"}`

describe('hasArrived', () => {
  it.each(['spool/new/a', 'spool/cur/worker-1/a', 'journal.jsonl'])(
    'finds an event in %s',
    async (path) => {
      const folders = ['/nowhere', makeHome({ [path]: body })]
      expect(await hasArrived(mark, { folders, since: Date.now() })).toBe(true)
    },
  )

  it('does not find an event that is absent or not completely written', async () => {
    const home = makeHome({ 'spool/tmp/a': body, 'spool/new/b': 'x', 'journal.jsonl': '{}\n' })
    mkdirSync(join(home, 'spool/new/folder'))
    expect(await hasArrived(mark, { folders: [home], since: Date.now() }, 300)).toBe(false)
  })

  it('finds an event that arrives while it waits', async () => {
    const home = makeHome({ 'spool/tmp/a': body, 'spool/new/b': '' })
    const found = hasArrived(mark, { folders: [home], since: Date.now() }, 60_000)
    writeFileSync(join(home, 'journal.jsonl'), `${'x'.repeat(400_000)}\n`)
    renameSync(join(home, 'spool/tmp/a'), join(home, 'spool/new/a'))
    expect(await found).toBe(true)
  })
})
