import { describe, expect, it } from 'vitest'
import { isGroupOfOne } from '../../src/fs/private-group.ts'

describe('a group', () => {
  const passwd = 'root:x:0:0::/root:/bin/sh\nme:x:7:7::/home/me:/bin/sh\n'
  const group = 'root:x:0:\nme:x:7:\n'

  it.each([
    ['without members', passwd, group],
    ['that lists its user', passwd, 'me:x:7:me\n'],
  ])('%s has one member', (_, users, groups) => {
    expect(isGroupOfOne(users, groups, 7)).toBe(true)
  })

  it.each([
    ['that lists another user', passwd, 'me:x:7:me,you\n'],
    ['of two users', `${passwd}you:x:8:7::/home/you:/bin/sh\n`, group],
    ['of a user with two names', `${passwd}you:x:7:9::/home/you:/bin/sh\n`, group],
    ['with two names', passwd, `${group}us:x:7:you\n`],
    ['that is not listed', passwd, 'root:x:0:\n'],
    ['of a user who is not listed', 'root:x:0:0::/root:/bin/sh\n', group],
  ])('%s may have more members', (_, users, groups) => {
    expect(isGroupOfOne(users, groups, 7)).toBe(false)
  })
})
