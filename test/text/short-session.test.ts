import { describe, expect, it } from 'vitest'
import { shortSession } from '../../src/text/short-session.ts'

describe('the short id of a session', () => {
  it.each([
    ['3f2a9c1e-7b44-4c1d-9e0f-2a6d1c5b8e77', '3f2a9c1e'],
    // Kimi Code and opencode.
    ['session_3f2a9c1e-7b44-4c1d-9e0f-2a6d1c5b8e77', 'session_3f2a9c1e'],
    ['ses_6a1b2c3d4e5f', 'ses_6a1b2c3d'],
    ['s1', 's1'],
    ['', ''],
    ['1234567😀', '1234567\uFFFD'],
  ])('of %j is %j', (id, short) => {
    expect(shortSession(id)).toBe(short)
  })
})
