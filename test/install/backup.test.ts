import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyPlan } from '../../src/install/apply.ts'
import { backupFolder, originalText, readBackups } from '../../src/install/backup.ts'
import { unsplice } from '../../src/install/edit/splice.ts'
import { sha256 } from '../../src/text/sha256.ts'
import { fixtures } from './fixtures.ts'
import { makeHome, makePlan } from './make-home.ts'

const now = new Date('2026-11-20T09:00:00Z')

function startedHome(text?: string) {
  const home = makeHome(text === undefined ? {} : { 'settings.json': text })
  const [path, stateDir] = [join(home, 'settings.json'), join(home, 'state')]
  const folder = backupFolder(stateDir, path)
  return {
    path,
    stateDir,
    folder,
    install: (door = '/a') =>
      applyPlan({ path, isShared: false, stateDir, plan: makePlan(path, door), now }),
    names: () => readdirSync(folder).sort(),
    last: () => {
      const found = readBackups(stateDir, path).at(-1)
      if (!found) throw new Error('no record')
      return found.record
    },
  }
}

describe('backup', () => {
  it('records what an uninstall needs', () => {
    const { path, stateDir, install, last } = startedHome('{}')
    install()
    const { edits, ...record } = last()
    expect(record).toEqual({
      version: 1,
      path,
      state: stateDir,
      writtenAt: '2026-11-20T09:00:00.000Z',
      before: sha256('{}'),
      after: sha256(readFileSync(path)),
      backup: '0001.bak',
    })
    expect(edits).toHaveLength(1)
  })

  it.each(fixtures.filter(([, shape]) => shape === 'wrapped'))(
    'allows restoring the file byte for byte: %s',
    (_, __, text) => {
      const { path, folder, install, last } = startedHome(text)
      install('/a')
      install('/b')
      const { edits, backup, before, after } = last()
      const now = readFileSync(path, 'utf8')
      expect(sha256(now)).toBe(after)
      expect(edits.reduceRight(unsplice, now)).toBe(text)
      expect(readFileSync(join(folder, String(backup)), 'utf8')).toBe(text)
      expect(before).toBe(sha256(text))
    },
  )

  it('records that there was no file', () => {
    const { install, last, names } = startedHome()
    install()
    expect(last()).toMatchObject({ before: null, backup: null })
    expect(names()).toEqual(['0001.json'])
  })

  it.each(['work', 'home'])('is not confused with that of a removed project in /%s', (place) => {
    const root = makeHome()
    const [project, home] = [join(root, place, 'project'), join(root, 'home')]
    const stateDir = join(home, '.local/state/hookbell')
    const [theirs, own] = [project, home].map((one) => join(one, '.factory/settings.json')) as [
      string,
      string,
    ]
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, '{}')
    applyPlan({ path: theirs, isShared: false, stateDir, plan: makePlan(theirs, '/a'), now })
    rmSync(project, { recursive: true })
    expect(readBackups(stateDir, own)).toEqual([])
    applyPlan({ path: own, isShared: false, stateDir, plan: makePlan(own, '/a'), now })
    expect(originalText(stateDir, own)).toBe('{}')
  })

  it('returns the oldest recorded text, unless its copy was changed', () => {
    const { path, stateDir, folder, install } = startedHome('{ }')
    expect(originalText(stateDir, path)).toBe(undefined)
    install()
    writeFileSync(path, '{"a":1}')
    install()
    expect(originalText(stateDir, path)).toBe('{ }')
    writeFileSync(join(folder, '0001.bak'), '{"b":1}')
    expect(originalText(stateDir, path)).toBe(undefined)
    const fresh = startedHome()
    fresh.install()
    expect(originalText(fresh.stateDir, fresh.path)).toBe('')
  })

  it('keeps the original text through consecutive edits of ours', () => {
    const { install, last, names } = startedHome('{ }')
    for (const door of ['/a', '/b', '/c', '/d', '/e']) install(door)
    expect(names()).toEqual(['0001.bak', '0005.json'])
    expect(last().edits).toHaveLength(5)
  })

  it('keeps three backups when others edit in between', () => {
    const { path, install, names, last } = startedHome('{}')
    for (const number of [1, 2, 3, 4, 5]) {
      writeFileSync(path, JSON.stringify({ number }))
      install()
    }
    expect(names()).toEqual([3, 4, 5].flatMap((n) => [`000${n}.bak`, `000${n}.json`]))
    expect(last().edits).toHaveLength(1)
  })

  it('is accessible only to this user', () => {
    const mask = process.umask(0)
    const { folder, stateDir, install, names } = startedHome('{}')
    install()
    process.umask(mask)
    for (const path of [folder, join(stateDir, 'backups')]) {
      expect(statSync(path).mode & 0o777).toBe(0o700)
    }
    for (const name of names()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('rejects a symbolic link planted as the backup folder', () => {
    const { path, stateDir, install } = startedHome('{}')
    const elsewhere = makeHome()
    makeHome()
    symlinkSync(elsewhere, join(stateDir, '../state'))
    symlinkSync(elsewhere, join(elsewhere, 'backups'))
    expect(() => install()).toThrow(
      expect.objectContaining({
        code: 'E_SETTINGS',
        message: `${join(stateDir, 'backups')}: not a folder of this user`,
        hint: expect.stringMatching(/^Move it away: .* The file is as it was$/),
      }),
    )
    expect(readFileSync(path, 'utf8')).toBe('{}')
  })

  it('adds a record beside unreadable ones', () => {
    const { path, stateDir, folder, install, names } = startedHome('{}')
    install()
    writeFileSync(join(folder, '0002.json'), '{"version": 9}')
    writeFileSync(join(folder, '0003.json'), 'damaged')
    writeFileSync(join(folder, 'theirs.json'), '')
    chmodSync(join(folder, '0003.json'), 0o600)
    writeFileSync(path, '{"a":1}')
    install()
    expect(names()).toContain('0004.json')
    expect(readBackups(stateDir, path).map(({ name }) => name)).toEqual(['0004.json'])
  })
})
