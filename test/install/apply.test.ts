import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ApplyOptions, applyPlan, commitUnchanged } from '../../src/install/apply.ts'
import { readSettings } from '../../src/install/file.ts'
import { FileBeside } from '../../src/install/file-beside.ts'
import { buildProgram } from '../support/program.ts'
import { hasStrace, writingCalls } from '../support/system-calls.ts'
import { fixtures } from './fixtures.ts'
import { makeHome, makePlan } from './make-home.ts'

const settings = '.factory/settings.json'
const plain = '{\n  "model": "x"\n}\n'

function apply(home: string, options: Partial<ApplyOptions> = {}) {
  const path = join(home, settings)
  const stateDir = join(home, 'state')
  return applyPlan({ path, isShared: false, stateDir, plan: makePlan(path), ...options })
}

function read(home: string): string {
  return readFileSync(join(home, settings), 'utf8')
}

function planned(home: string, text: string): string {
  return makePlan(join(home, settings))(text).text
}

describe('applyPlan', () => {
  it.each(fixtures.filter(([, shape]) => shape === 'wrapped'))(
    'writes the planned text and a backup: %s',
    (_, __, text) => {
      const home = makeHome({ [settings]: text })
      const { changed, created, backup } = apply(home)
      expect({ changed, created }).toEqual({ changed: true, created: false })
      expect(read(home)).toBe(planned(home, text))
      expect(readFileSync(String(backup), 'utf8')).toBe(text)
      expect(readdirSync(join(home, '.factory'))).toEqual(['settings.json'])
    },
  )

  it('does not touch the file when nothing changes', () => {
    const home = makeHome({ [settings]: plain })
    apply(home)
    utimesSync(join(home, settings), 1000, 1000)
    const before = [statSync(join(home, settings)), statSync(join(home, '.factory'))]
    expect(apply(home)).toEqual({ changed: false, created: false, backup: undefined })
    const after = [statSync(join(home, settings)), statSync(join(home, '.factory'))]
    expect(after.map(({ ino, mtimeMs, ctimeMs }) => [ino, mtimeMs, ctimeMs])).toEqual(
      before.map(({ ino, mtimeMs, ctimeMs }) => [ino, mtimeMs, ctimeMs]),
    )
    expect(readdirSync(join(home, 'state/backups'))).toHaveLength(1)
  })

  it.each([0o640, 0o600, 0o644, 0o664, 0o755])('keeps the mode %o', (mode) => {
    const home = makeHome({ [settings]: plain })
    chmodSync(join(home, settings), mode)
    apply(home)
    expect(statSync(join(home, settings)).mode & 0o7777).toBe(mode)
  })

  it.runIf(process.getuid?.() === 0)('keeps the group', () => {
    const home = makeHome({ [settings]: plain })
    chownSync(join(home, settings), 0, 12345)
    apply(home)
    expect(statSync(join(home, settings)).gid).toBe(12345)
  })

  describe('on a system whose program for attributes is not known', () => {
    beforeEach(() => {
      const { platform } = process
      Object.defineProperty(process, 'platform', { value: 'freebsd' })
      onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }))
    })

    it('gives nobody else access to the new text before it has its mode', () => {
      const home = makeHome({ [settings]: plain })
      chmodSync(join(home, settings), 0o600)
      const mask = process.umask(0)
      onTestFinished(() => void process.umask(mask))
      new FileBeside().prepare(readSettings(join(home, settings)))
      const folder = join(home, '.factory')
      const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)
      expect(modes).toEqual([0o600, 0o600])
    })

    it('keeps the mode', () => {
      const home = makeHome({ [settings]: plain })
      chmodSync(join(home, settings), 0o2640)
      apply(home)
      expect(statSync(join(home, settings)).mode & 0o7777).toBe(0o2640)
    })

    it.runIf(process.getuid?.() === 0)('keeps the group, if the user still belongs to it', () => {
      const home = makeHome({ [settings]: plain })
      chownSync(join(home, settings), 0, 12345)
      apply(home)
      expect(statSync(join(home, settings)).gid).toBe(12345)

      const folder = join(home, '.factory')
      const old = { ...readSettings(join(home, settings)), uid: 54321 }
      chownSync(folder, 54321, 54321)
      chmodSync(home, 0o755)
      process.seteuid?.(54321)
      onTestFinished(() => process.seteuid?.(0))
      const beside = new FileBeside()
      beside.prepare(old)
      expect(readFileSync(beside.write(old, 'new'), 'utf8')).toBe('new')
    })
  })

  it('keeps a symbolic link and changes its target', () => {
    const home = makeHome({ 'dotfiles/droid.json': plain, '.factory/other': '' })
    symlinkSync('../dotfiles/droid.json', join(home, settings))
    apply(home)
    expect(readlinkSync(join(home, settings))).toBe('../dotfiles/droid.json')
    expect(readFileSync(join(home, 'dotfiles/droid.json'), 'utf8')).toBe(planned(home, plain))
    expect(readdirSync(join(home, 'dotfiles'))).toEqual(['droid.json'])
  })

  it('follows chained links and a linked folder', () => {
    const home = makeHome({ 'real/a.json': plain })
    symlinkSync('real', join(home, '.factory'))
    symlinkSync('b.json', join(home, 'real/settings.json'))
    symlinkSync('a.json', join(home, 'real/b.json'))
    apply(home)
    expect(lstatSync(join(home, 'real/a.json')).isSymbolicLink()).toBe(false)
    expect(readFileSync(join(home, 'real/a.json'), 'utf8')).toBe(planned(home, plain))
    expect(readdirSync(join(home, 'real'))).toEqual(['a.json', 'b.json', 'settings.json'])
  })

  it('does not write through a link that replaces its new file', () => {
    const home = makeHome({ [settings]: plain, other: plain })
    const old = readSettings(join(home, settings))
    const beside = new FileBeside()
    beside.prepare(old)
    const names = readdirSync(join(home, '.factory')).filter((name) => name !== 'settings.json')
    const path = join(home, '.factory', String(names[0]))
    rmSync(path)
    symlinkSync('../other', path)
    expect(() => beside.write(old, 'new')).toThrow(/ELOOP/)
    expect(readFileSync(join(home, 'other'), 'utf8')).toBe(plain)
  })

  it('changes only one of several hard links', () => {
    const home = makeHome({ [settings]: plain })
    linkSync(join(home, settings), join(home, 'second'))
    apply(home)
    expect(readFileSync(join(home, 'second'), 'utf8')).toBe(plain)
  })

  it('creates a missing folder with mode 0700 and a missing file with the permissions of the umask', () => {
    const home = makeHome()
    const mask = process.umask(0o022)
    const { created, backup } = apply(home)
    process.umask(mask)
    expect({ created, backup }).toEqual({ created: true, backup: undefined })
    expect(read(home)).toBe(planned(home, ''))
    expect(statSync(join(home, '.factory')).mode & 0o777).toBe(0o700)
    expect(statSync(join(home, settings)).mode & 0o777).toBe(0o644)
    expect(readdirSync(join(home, '.factory'))).toEqual(['settings.json'])
  })

  it('creates the folder of a project with the permissions of the umask', () => {
    const home = makeHome()
    const mask = process.umask(0o022)
    apply(home, { isShared: true })
    process.umask(mask)
    expect(statSync(join(home, '.factory')).mode & 0o777).toBe(0o755)
  })

  it.each<[string, (home: string) => boolean, string[]]>([
    ['from the start', () => true, []],
    ['when its folder is made', (home) => existsSync(join(home, '.factory')), ['.factory']],
    ['at the end', (home) => existsSync(join(home, 'state')), ['.factory', 'state']],
  ])('writes nothing outside of the project: a link found %s', (_, isLinked, left) => {
    const home = makeHome()
    const guard = () => {
      if (isLinked(home)) throw new Error('a link')
    }
    expect(() => apply(home, { guard })).toThrow('a link')
    expect(readdirSync(home).sort()).toEqual(left)
    if (left.length > 0) expect(readdirSync(join(home, '.factory'))).toEqual([])
  })

  it('removes the temporary files of a killed process, and nothing else', () => {
    const home = makeHome({ [settings]: plain })
    const folder = join(home, '.factory')
    const { pid: dead } = spawnSync('true')
    const ofDead = `.settings.json.hookbell-${dead}-0123456789ab`
    // Its process is alive, and may still write it.
    const left = `.settings.json.hookbell-${process.ppid}-0123456789ab`
    const others = ['.settings.json.hookbell-mine', `.other.json.hookbell-${dead}-0123456789ab`]
    for (const name of [ofDead, left, ...others]) writeFileSync(join(folder, name), '')
    apply(home)
    expect(readdirSync(folder).sort()).toEqual([...others, left, 'settings.json'].sort())
    vi.useFakeTimers({ now: Date.now() + 120_000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    writeFileSync(join(home, settings), plain)
    apply(home)
    expect(readdirSync(folder).sort()).toEqual([...others, 'settings.json'].sort())
  })

  it('writes nothing when planning fails', () => {
    const home = makeHome({ [settings]: '{"hooks": 1}' })
    expect(() => apply(home)).toThrow(/settings\.json:1:11: "hooks" is a number/)
    expect(read(home)).toBe('{"hooks": 1}')
    expect(existsSync(join(home, 'state'))).toBe(false)
  })

  it('reports when the folder cannot be created', () => {
    const home = makeHome({ '.factory': 'a file' })
    expect(() => apply(home)).toThrow(
      expect.objectContaining({
        code: 'E_SETTINGS',
        message: expect.stringMatching(/not a folder/),
      }),
    )
  })

  it.skipIf(!hasStrace).each([
    ['a new file', '', /^link\w* .*new"/],
    ['an existing file', plain, /^rename\w* .*new"/],
  ])(
    'syncs the text, then puts the file in place, then syncs the folder: %s',
    async (_, text, placed) => {
      const folder = join(makeHome({ 'own/x': '', ...(text && { 'own/new': text }) }), 'own')
      const program = pathToFileURL(await buildProgram('src/install/apply.ts')).href
      const plan = "() => ({ text: 'wanted', changed: true, spans: [], shape: 'wrapped' })"
      const options = `{ path: ${JSON.stringify(`${folder}/new`)}, isShared: false, stateDir: ${JSON.stringify(`${folder}.state`)}, plan: ${plan} }`
      const code = `import { applyPlan } from ${JSON.stringify(program)}; applyPlan(${options})`
      const calls = writingCalls(folder, code).filter((call) => !call.includes('.state'))
      expect(calls).toEqual([
        expect.stringMatching(/^p?write(64)? <\/\.new\.hookbell-[\w-]+>, "wanted"/),
        expect.stringMatching(/^fsync <\/\.new\.hookbell-[\w-]+>/),
        expect.stringMatching(placed),
        expect.stringMatching(/^fsync <>/),
      ])
    },
  )

  it.each([
    ['EIO', /^Look at the permissions of the file and of its folder$/],
    ['ENOSPC', /^There is no room for it: .* The file is as it was$/],
    ['EDQUOT', /^There is no room for it: /],
    ['EROFS', /^Its file system is read-only\. The file is as it was$/],
  ])('leaves no temporary files when the rename fails: %s', (code, hint) => {
    const home = makeHome({ [settings]: plain })
    const commit = () => {
      throw Object.assign(new Error('no'), { code })
    }
    const message = `${join(home, settings)}: the file cannot be changed (${code})`
    expect(() => apply(home, { commit })).toThrow(
      expect.objectContaining({ message, hint: expect.stringMatching(hint) }),
    )
    expect(read(home)).toBe(plain)
    expect(readdirSync(join(home, '.factory'))).toEqual(['settings.json'])
    expect(readdirSync(onlyFolder(join(home, 'state/backups')))).toEqual([])
  })
})

describe('applyPlan with concurrent writers', () => {
  const foreign = '{\n  "model": "changed meanwhile"\n}\n'

  /** Another process writes between our read and our rename, this many times. */
  function interfering(times: number, write: (path: string) => void): ApplyOptions['commit'] {
    let left = times
    return (path, old, waiting) => {
      if (left-- > 0) write(path)
      return commitUnchanged(path, old, waiting)
    }
  }

  it.each([foreign, '{}'])('plans again on the current text: %j', (text) => {
    const home = makeHome({ [settings]: plain })
    const texts = ['{ }', text]
    const commit = interfering(2, (path) => writeFileSync(path, String(texts.shift())))
    const { backup } = apply(home, { commit })
    expect(read(home)).toBe(planned(home, text))
    expect(readFileSync(String(backup), 'utf8')).toBe(text)
    expect(readdirSync(dirname(String(backup)))).toHaveLength(2)
  })

  it('gives up after three attempts and writes nothing', () => {
    const home = makeHome({ [settings]: plain })
    let attempts = 0
    const commit = interfering(9, (path) => {
      attempts += 1
      writeFileSync(path, JSON.stringify({ n: randomBytes(4).toString('hex') }))
    })
    expect(() => apply(home, { commit })).toThrow(/the file keeps changing/)
    expect(attempts).toBe(3)
    expect(read(home)).not.toContain('hookbell')
    expect(readdirSync(join(home, '.factory'))).toEqual(['settings.json'])
    expect(readdirSync(onlyFolder(join(home, 'state/backups')))).toEqual([])
  })

  it('gives up if the path leads to another file at each attempt', () => {
    const home = makeHome({ '.factory/a': '{}', '.factory/b': '{}' })
    const path = join(home, settings)
    let looks = 0
    symlinkSync('a', path)
    const plan = (text: string) => {
      rmSync(path)
      symlinkSync('ab'.charAt(++looks % 2), path)
      if (looks > 6) throw new Error('looks forever')
      return makePlan(path)(text)
    }
    expect(() => apply(home, { plan })).toThrow(/the file keeps changing/)
    expect(readdirSync(join(home, '.factory'))).toEqual(['a', 'b', 'settings.json'])
    expect(existsSync(join(home, 'state'))).toBe(false)
  })

  it('never overwrites a file that appears in the meantime', () => {
    const home = makeHome()
    apply(home, { commit: interfering(1, (path) => writeFileSync(path, foreign)) })
    expect(read(home)).toBe(planned(home, foreign))
  })

  it('never overwrites a file that appears after the last check', () => {
    const home = makeHome({ 'new': '{}' })
    const path = join(home, 'settings.json')
    let looks = 0
    const old = {
      ...readSettings(path),
      get hash() {
        looks += 1
        if (looks === 2) writeFileSync(path, foreign)
        return undefined
      },
    }
    expect(commitUnchanged(path, old, join(home, 'new'))).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe(foreign)
  })

  it('creates the file also where the file system has no hard links', () => {
    // A folder simulates such a file: it can be renamed, but not hard-linked.
    const home = makeHome({ 'new/text': plain })
    const path = join(home, 'settings.json')
    expect(commitUnchanged(path, readSettings(path), join(home, 'new'))).toBe(true)
    expect(readFileSync(join(path, 'text'), 'utf8')).toBe(plain)
  })

  it('keeps a symbolic link that replaces the file, and does not write to the old file', () => {
    const home = makeHome({ [settings]: plain, 'other.json': plain })
    const commit = interfering(1, (path) => {
      renameSync(path, `${path}.old`)
      symlinkSync('../other.json', path)
    })
    apply(home, { commit })
    expect(readlinkSync(join(home, settings))).toBe('../other.json')
    expect(readFileSync(`${join(home, settings)}.old`, 'utf8')).toBe(plain)
  })

  it('creates the file again when it disappears in the meantime', () => {
    const home = makeHome({ [settings]: plain })
    chmodSync(join(home, settings), 0o600)
    const mask = process.umask(0o022)
    apply(home, { commit: interfering(1, (path) => renameSync(path, `${path}.gone`)) })
    process.umask(mask)
    expect(read(home)).toBe(planned(home, ''))
    expect(statSync(join(home, settings)).mode & 0o777).toBe(0o644)
    expect(readdirSync(join(home, '.factory'))).toEqual(['settings.json', 'settings.json.gone'])
  })
})

function onlyFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  return join(path, readdirSync(path)[0] ?? '')
}
