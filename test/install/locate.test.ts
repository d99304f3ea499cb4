import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import { fileInForce, filesInForce, projectRoot } from '../../src/install/locate.ts'
import { makeHome } from './make-home.ts'

const { claude, droid } = clients

describe('fileInForce', () => {
  it.each([
    ['a fresh machine', [], 'settings.json', 'wrapped'],
    ['settings.json alone', ['settings.json'], 'settings.json', 'wrapped'],
    ['hooks.json alone', ['hooks.json'], 'hooks.json', 'bare'],
    ['both', ['hooks.json', 'settings.json'], 'hooks.json', 'bare'],
    ['only the file of older versions', ['hooks/hooks.json'], 'settings.json', 'wrapped'],
  ])('returns the file in force for droid with %s', (_, files, name, shape) => {
    const folder = makeHome(Object.fromEntries(files.map((file) => [file, '{}'])))
    expect(fileInForce(droid, folder)).toEqual({ name, shape, path: join(folder, name) })
  })

  it('returns settings.json for Claude Code, even with a hooks.json beside it', () => {
    expect(fileInForce(claude, makeHome({ 'hooks.json': '{}' })).name).toBe('settings.json')
  })

  it('counts a dangling symbolic link as an existing file', () => {
    const folder = makeHome()
    symlinkSync('nowhere', join(folder, 'hooks.json'))
    expect(fileInForce(droid, folder).name).toBe('hooks.json')
  })
})

describe('filesInForce', () => {
  const events = ['Stop', 'Notification']
  const both = { Stop: [], Notification: [] }

  it.each<[string, Record<string, object>, [file: string, events: string[]][]]>([
    ['one file', { 'settings.json': { hooks: { Stop: [] } } }, [['settings.json', events]]],
    ['an empty first file', { 'hooks.json': {}, 'settings.json': {} }, [['hooks.json', events]]],
    [
      'an event in the second file only',
      { 'hooks.json': { Notification: [] }, 'settings.json': { hooks: both } },
      [
        ['hooks.json', ['Notification']],
        ['settings.json', ['Stop']],
      ],
    ],
    [
      'a first file that droid ignores',
      { 'hooks.json': { hooks: {} }, 'settings.json': {} },
      [['settings.json', events]],
    ],
  ])('puts each event of droid where droid reads it, with %s', (_, files, expected) => {
    const texts = Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])
    const found = filesInForce(droid, makeHome(Object.fromEntries(texts)), events)
    expect(found.map((one) => [one.file.name, one.events])).toEqual(expected)
  })
})

describe('projectRoot', () => {
  const home = makeHome({
    'work/repo/.git/HEAD': '',
    'work/repo/src/deep/file': '',
    'work/repo/tool/.factory/settings.json': '{}',
    'loose/dir/file': '',
    '.factory/settings.json': '{}',
  })

  it.each([
    ['work/repo', 'work/repo'],
    ['work/repo/src/deep', 'work/repo'],
    ['work/repo/tool', 'work/repo/tool'],
    ['loose/dir', 'loose/dir'],
  ])('of %s is %s', (start, root) => {
    expect(projectRoot(droid, join(home, start), home)).toBe(join(home, root))
  })

  it('is never the home directory', () => {
    expect(projectRoot(droid, home, home)).toBe(undefined)
  })

  it('is found outside of the home directory too', () => {
    expect(projectRoot(droid, join(home, 'work/repo/src'), '/elsewhere')).toBe(
      join(home, 'work/repo'),
    )
    expect(projectRoot(claude, '/', '/elsewhere')).toBe('/')
  })
})
