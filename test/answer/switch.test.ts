import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { switchOff, switchOn, whyOff } from '../../src/answer/switch.ts'
import { makeFolder } from '../support/folder.ts'

const HOUR_MS = 3600_000
const now = Date.parse('2026-11-20T09:00:00Z')

describe('the switch for answers', () => {
  it('is on until somebody switches it off, and on again at once', async () => {
    const state = await makeFolder()
    expect(whyOff(state, now)).toBeUndefined()
    expect(await switchOff(state)).toBe(0)
    expect(whyOff(state, now)).toBe('answers are switched off')
    switchOn(state)
    expect(whyOff(state, now)).toBeUndefined()
  })

  it('lets channels answer for a time, and then no more', async () => {
    const state = await makeFolder()
    switchOn(state, now + HOUR_MS)
    expect(whyOff(state, now + HOUR_MS - 1)).toBeUndefined()
    expect(whyOff(state, now + HOUR_MS)).toBe('the time for answers is over')
    await switchOff(state)
    expect(whyOff(state, now)).toBe('answers are switched off')
    switchOn(state)
    expect(whyOff(state, now + 2 * HOUR_MS)).toBeUndefined()
  })

  it('is off if nobody knows until when it is on', async () => {
    const state = await makeFolder()
    switchOn(state, now)
    writeFileSync(join(state, 'spool/requests/answers-until'), 'soon')
    expect(whyOff(state, 0)).toBe('the time for answers is over')
  })
})
