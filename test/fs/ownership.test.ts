import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdtempSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  checkOwnership,
  folderFault,
  isGroupOfOne,
  isTrusted,
  isTrustedIfPresent,
} from '../../src/fs/ownership.ts'
import { userAlone } from '../support/user-alone.ts'

const isRoot = process.getuid?.() === 0

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

function makeFile(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-trust-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'file')
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

/** Makes the code believe, until the end of the test, that it runs as this user. The process itself stays as it is. */
function becomeUser(uid: number) {
  const { getuid } = process
  onTestFinished(() => void Object.assign(process, { getuid }))
  Object.assign(process, { getuid: () => uid })
}

describe('a file', () => {
  it.each([
    [0o600, true],
    [0o755, true],
    [0o620, false],
    [0o602, false],
    [0o777, false],
  ])('with mode %o is trusted: %s', (mode, expected) => {
    expect(isTrusted(makeFile(mode))).toBe(expected)
  })

  it.skipIf(!isRoot)('of another user is not trusted, neither directly nor through a link', () => {
    const path = makeFile(0o600)
    const link = `${path}-link`
    symlinkSync(path, link)
    expect(isTrusted(link)).toBe(true)
    chownSync(path, 54321, 54321)
    expect([isTrusted(path), isTrusted(link)]).toEqual([false, false])
  })

  it.skipIf(!isRoot)('is not trusted through a link of another user, who could change it', () => {
    const link = `${makeFile(0o600)}-link`
    symlinkSync('file', link)
    lchownSync(link, 54321, 54321)
    expect(isTrusted(link)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('of root is trusted by every user', () => {
    becomeUser(54321)
    expect(isTrusted('/etc/passwd')).toBe(true)
  })

  it.skipIf(!isRoot)('of an ordinary user is trusted by that user only', () => {
    const path = makeFile(0o600)
    chownSync(path, 54321, 54321)
    becomeUser(54321)
    expect(isTrusted(path)).toBe(true)
    becomeUser(54322)
    expect(isTrusted(path)).toBe(false)
  })

  it('that does not exist is trusted only if it is optional', () => {
    expect(isTrustedIfPresent(makeFile(0o600))).toBe(true)
    const path = makeFile(0o666)
    expect(isTrusted(`${path}-missing`)).toBe(false)
    expect(isTrustedIfPresent(`${path}-missing`)).toBe(true)
    expect(isTrustedIfPresent(path)).toBe(false)
    symlinkSync('nowhere', `${path}-link`)
    expect(isTrustedIfPresent(`${path}-link`)).toBe(false)
  })
})
