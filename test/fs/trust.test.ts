import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isTrusted, isTrustedIfPresent } from '../../src/fs/trust.ts'

const isRoot = process.getuid?.() === 0

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
