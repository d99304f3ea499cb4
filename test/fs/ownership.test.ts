import { type Stats, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkOwnership, folderFault, isGroupOfOne } from '../../src/fs/ownership.ts'
import { userAlone } from '../support/user-alone.ts'

/** Any user but root; no system has an account of this number. */
const ME = 4_000_001

/** What is wrong with a file of this owner, group and mode, for the user `me`. */
function faultOf(file: Partial<Stats>, me = ME, myGroup = me): string | undefined {
  const { getuid, getgid } = process
  Object.assign(process, { getuid: () => me, getgid: () => myGroup })
  try {
    checkOwnership('/x', Object.assign(statSync('/'), { uid: me, gid: me, mode: 0o600 }, file))
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    Object.assign(process, { getuid, getgid })
  }
}

describe.skipIf(process.platform === 'win32')('a file', () => {
  it.each<[string, Partial<Stats>]>([
    ['of this user', {}],
    ['of root', { uid: 0, gid: 0, mode: 0o644 }],
    ['that others can only read', { mode: 0o755 }],
  ])('%s is accepted', (_, file) => {
    expect(faultOf(file)).toBe(undefined)
  })

  it.each<[string, Partial<Stats>, string]>([
    ['of another user', { uid: ME + 1 }, `belongs to another user (uid ${ME + 1})`],
    ['that all can write', { mode: 0o602 }, 'other users can change it (mode 0602)'],
    ['that an unknown group can write', { mode: 0o660 }, 'other users can change it (mode 0660)'],
    ['of root that all can write', { uid: 0, mode: 0o666 }, 'can change it (mode 0666)'],
  ])('%s is refused', (_, file, fault) => {
    expect(faultOf(file)).toContain(fault)
  })

  it.skipIf(userAlone === undefined)(
    'that a group can write is accepted if it is mine alone',
    () => {
      expect(faultOf({ mode: 0o660 }, userAlone)).toBe(undefined)
      const fault = expect.stringContaining('other users can change it')
      expect(faultOf({ mode: 0o660, gid: 0 }, userAlone)).toEqual(fault)
      expect(faultOf({ mode: 0o660 }, userAlone, 0)).toEqual(fault)
      expect(faultOf({ mode: 0o662 }, userAlone)).toEqual(fault)
      expect(faultOf({ mode: 0o660 }, 0)).toEqual(fault)
    },
  )
})

it('a folder that cannot be reached has no fault of its own', () => {
  expect(folderFault('/dev/null/folder')).toBe(undefined)
})

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
