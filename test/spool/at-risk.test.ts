import { chmodSync, chownSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { spoolAtRisk } from '../../src/spool/at-risk.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { makeFolder } from '../support/folder.ts'
import { shellQuote } from '../support/shell-quote.ts'

const STRANGER = 65_533

describe('spool folders that other users can change', () => {
  it('are reported with the command that repairs them', async () => {
    const state = await makeFolder()
    const spool = prepareSpool(state)
    expect(spoolAtRisk(state)).toEqual([])
    chmodSync(spool.cards, 0o777)
    const [fault, ...more] = spoolAtRisk(state)
    expect(fault?.message).toContain(`${spool.cards}: other users can change it`)
    expect(fault?.hint).toBe(`Run: chmod go-w ${shellQuote(spool.cards)}`)
    expect(more).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('are reported if they belong to another user', async () => {
    const state = await makeFolder()
    const spool = prepareSpool(state)
    chownSync(spool.dead, STRANGER, STRANGER)
    const [fault] = spoolAtRisk(state)
    expect(fault?.message).toContain(`${spool.dead}: belongs to another user (uid ${STRANGER})`)
  })
})
