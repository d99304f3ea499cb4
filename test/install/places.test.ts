import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  forgetPlace,
  type HookPlace,
  isHomeAway,
  isProjectAway,
  knownPlaces,
  placesIn,
  projectOf,
  rememberedPlaces,
  rememberPlace,
} from '../../src/install/places.ts'
import { makeHome } from './make-home.ts'

const place: HookPlace = {
  ...{ client: 'droid', scope: 'user', path: '/home/me/.factory/settings.json', form: 'wrapped' },
  events: ['Stop'],
}
const other: HookPlace = { ...place, client: 'claude', path: '/home/me/.claude/settings.json' }

describe('the places where init wrote', () => {
  it('are remembered once, with the events of the last run', () => {
    const state = join(makeHome(), 'state')
    for (const one of [place, other, place]) rememberPlace(state, one)
    expect(rememberedPlaces(state)).toEqual([place, other])
    const more = { ...place, events: ['Stop', 'Notification'] }
    rememberPlace(state, more)
    expect(rememberedPlaces(state)).toEqual([other, more])
    forgetPlace(state, place.path)
    expect(rememberedPlaces(state)).toEqual([other])
    const before = readFileSync(join(state, 'places.json'))
    forgetPlace(state, '/elsewhere')
    expect(readFileSync(join(state, 'places.json'))).toEqual(before)
    forgetPlace(state, other.path)
    expect(rememberedPlaces(state)).toEqual([])
    forgetPlace(join(state, 'none'), other.path)
    expect(existsSync(join(state, 'none'))).toBe(false)
  })

  it('are only the valid entries of places.json', () => {
    const state = makeHome()
    const damaged = [
      ...[null, 7, { ...place, client: 'toString' }, { ...place, path: 7 }],
      ...[
        { ...place, form: 'x' },
        { ...place, scope: 'x' },
        { ...place, events: 'Stop' },
      ],
    ]
    const { events: _, ...old } = place
    writeFileSync(join(state, 'places.json'), JSON.stringify([...damaged, old]))
    expect(rememberedPlaces(state)).toEqual([old])
    for (const text of ['', '{}', '7']) {
      writeFileSync(join(state, 'places.json'), text)
      expect(rememberedPlaces(state)).toEqual([])
    }
  })

  it('are unavailable together with their project', () => {
    const project = join(makeHome(), 'shop')
    mkdirSync(project)
    const shared: HookPlace = {
      ...{ ...place, scope: 'project', path: join(project, '.factory/hooks/x.json') },
    }
    expect(projectOf(shared)).toBe(project)
    expect(isProjectAway(shared)).toBe(false)
    rmSync(project, { recursive: true })
    expect(isProjectAway(shared)).toBe(true)
    expect(isProjectAway({ ...shared, scope: 'user' })).toBe(false)
  })

  it('are unavailable together with an earlier home directory', () => {
    const before = join(makeHome(), 'before')
    const settings: HookPlace = { ...place, path: join(before, '.factory/settings.json') }
    expect(isHomeAway(settings, { HOME: before })).toBe(false)
    expect(isHomeAway(settings, { HOME: '/home/now' })).toBe(true)
    expect(isHomeAway({ ...settings, scope: 'project' }, { HOME: '/home/now' })).toBe(false)
    mkdirSync(join(before, '.factory'), { recursive: true })
    expect(isHomeAway(settings, { HOME: '/home/now' })).toBe(false)
  })
})

it('the files that may contain hooks are those that exist where init wrote and where a client looks', () => {
  const expected: [path: string, HookPlace['client'], HookPlace['scope'], HookPlace['form']][] = [
    ['tool/.factory/hooks.json', 'droid', 'project', 'bare'],
    ['.config/opencode/plugin/hookbell.js', 'opencode', 'user', 'plugin'],
    ['.claude/settings.json', 'claude', 'user', 'wrapped'],
    ['shop/.claude/settings.json', 'claude', 'project', 'wrapped'],
    ['shop/.claude/settings.local.json', 'claude', 'local', 'wrapped'],
    ['.copilot/hooks/mine.json', 'copilot', 'user', 'wrapped'],
    ['shop/.github/copilot/settings.json', 'copilot', 'project', 'wrapped'],
    ['shop/.cursor/hooks.json', 'cursor', 'project', 'wrapped'],
  ]
  const others = ['.codex/config.toml', 'shop/etc/cursor/hooks.json', 'tool/.claude/settings.json']
  const paths = [...expected.map(([path]) => path), ...others]
  const home = makeHome(Object.fromEntries(paths.map((path) => [path, ''])))
  const places = expected.map(([path, client, scope, form]) => {
    return { client, scope, path: join(home, path), form }
  })
  const state = join(home, 'state')
  const gone = { ...other, path: join(home, 'gone/.claude/settings.json') }
  for (const one of [gone, ...places.slice(0, 2)]) rememberPlace(state, one)
  expect(knownPlaces(state, { env: { HOME: home }, cwd: join(home, 'shop') })).toEqual(places)
})

it('a file to which a link in a project leads is listed once', () => {
  const home = makeHome()
  const env = { HOME: home }
  const [state, own] = [join(home, 'state'), join(home, '.claude/settings.json')]
  const [shared, project] = [join(home, 'shared/.claude'), join(home, 'project')]
  for (const folder of [shared, project]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(shared, 'settings.json'), '{}')
  const linked = join(project, '.claude')
  const path = join(linked, 'settings.json')
  rememberPlace(state, { ...other, scope: 'project', path })
  const paths = () => knownPlaces(state, { env, cwd: project }).map((one) => one.path)
  symlinkSync(shared, linked)
  expect(paths()).toEqual([path])
  mkdirSync(join(home, '.claude'))
  writeFileSync(own, '{}')
  rmSync(linked)
  symlinkSync(join(home, '.claude'), linked)
  expect(paths()).toEqual([own])
})

it('a path with * matches files by their name', () => {
  const names = ['my-b.json', 'my-a.json', 'my.json', 'not-my-a.json', 'my-a.json.old']
  const home = makeHome(Object.fromEntries(names.map((name) => [`hooks/${name}`, ''])))
  expect(placesIn(home, 'hooks/my-*.json')).toEqual(
    ['my-a.json', 'my-b.json'].map((name) => join(home, 'hooks', name)),
  )
  expect(placesIn(home, 'none/*.json')).toEqual([])
  expect(placesIn(home, 'none/one.json')).toEqual([join(home, 'none/one.json')])
})
