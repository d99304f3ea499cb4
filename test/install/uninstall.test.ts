import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client, HookLayout } from '../../src/clients/define.ts'
import { type ClientName, clientNames, clients } from '../../src/clients/index.ts'
import { applyPlan } from '../../src/install/apply.ts'
import { originalText } from '../../src/install/backup.ts'
import { hookCommand } from '../../src/install/hook-command.ts'
import { type HookPlace, rememberedPlaces, rememberPlace } from '../../src/install/places.ts'
import { planTarget } from '../../src/install/plan-target.ts'
import { pluginText } from '../../src/install/plugin.ts'
import type { Target } from '../../src/install/target.ts'
import { findRegistration, forgetIfClean, takeAway } from '../../src/install/uninstall.ts'
import { attributes, hasAttributes } from '../support/attributes.ts'
import { runs } from '../support/runs.ts'
import { makeHome, makePlan } from './make-home.ts'
import { makeSettings } from './make-settings.ts'

const base = makeHome()

/** The properties of a file besides its text. `hasNote`: whether it has an extended attribute. */
const disks = fc.record({
  mode: fc.constantFrom(0o600, 0o640, 0o644, 0o664, 0o755),
  link: fc.constantFrom('none', 'file', 'folder'),
  // Rare, because reading attributes starts a program each time.
  hasNote: fc.nat(4).map((drawn) => drawn === 0),
})

/** Writes the file with these properties. @returns its path */
function place(
  text: string,
  { mode, link, hasNote }: { mode: number; link: string; hasNote: boolean },
) {
  const home = mkdtempSync(join(base, 'home-'))
  const path = join(home, '.agent/settings.json')
  mkdirSync(join(home, '.agent'))
  writeFileSync(path, text)
  chmodSync(path, mode)
  if (hasNote && hasAttributes) attributes(path, { 'user.note': 'mine' })
  if (link === 'file') {
    renameSync(path, join(home, 'dotfile.json'))
    symlinkSync('../dotfile.json', path)
  }
  if (link === 'folder') {
    renameSync(join(home, '.agent'), join(home, 'dotfiles'))
    symlinkSync('dotfiles', join(home, '.agent'))
  }
  return { home, path }
}

/** Everything about a file that must be the same afterwards. */
function stateOf(path: string, withNote: boolean) {
  return {
    bytes: readFileSync(path, 'latin1'),
    mode: statSync(path).mode,
    link: lstatSync(path).isSymbolicLink() ? readlinkSync(path) : '',
    beside: readdirSync(join(path, '..')),
    notes: withNote && hasAttributes ? attributes(path) : undefined,
  }
}

const withFile = clientNames.filter((name) => /nested|flat/.test((clients[name] as Client).entries))

function targetFor(name: ClientName, path: string, shape: HookLayout = 'wrapped'): Target {
  const client: Client = clients[name]
  const file = { name: basename(path), shape, path }
  const { events } = client
  return { name, client, scope: 'user', folder: dirname(path), isAbsent: false, file, events }
}

/** A place whose file is changed by others each time after it was read. */
function changing(place: HookPlace, change: () => void): HookPlace {
  return {
    ...place,
    get form() {
      change()
      return place.form
    },
  }
}

describe('the removal of what init wrote', () => {
  it('leaves the same file, for every client, however it was written and linked', () => {
    fc.assert(
      fc.property(makeSettings(), disks, fc.constantFrom(...withFile), (settings, disk, any) => {
        const { shape, text } = settings
        // Of all clients only droid has its events at the top level.
        const name = shape === 'bare' ? 'droid' : any
        const { home, path } = place(text, disk)
        const stateDir = join(home, 'state')
        const before = stateOf(path, disk.hasNote)
        const plan = planTarget(targetFor(name, path, shape), '/home/me/hookbell-hook')
        const init = () => applyPlan({ path, isShared: false, stateDir, plan })
        expect([init().changed, init().changed]).toEqual([true, false])
        const registered = { client: name, scope: 'user', path, form: shape } as const
        expect(findRegistration(registered, stateDir)?.removal.isExact).toBe(true)
        expect(takeAway(registered, stateDir)).toBe('restored')
        expect(stateOf(path, disk.hasNote)).toEqual(before)
      }),
      { numRuns: runs(100) },
    )
  })

  describe('where there was no file', () => {
    function installed() {
      const home = mkdtempSync(join(base, 'home-'))
      const path = join(home, '.config/agent/settings.json')
      mkdirSync(join(home, '.config'))
      const stateDir = join(home, 'state')
      const install = (door: string) =>
        applyPlan({ path, isShared: false, stateDir, plan: makePlan(path, door) })
      install('/old')
      install('/new')
      const registered = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
      const takeAwayWhile = (change?: () => void) =>
        takeAway(change ? changing(registered, change) : registered, stateDir)
      return { home, path, takeAway: takeAwayWhile }
    }

    it('removes the file and its folder after a second edit, but not the folder above', () => {
      const { home, takeAway } = installed()
      expect(takeAway()).toBe('deleted')
      expect(readdirSync(join(home, 'state/backups'))).toEqual([])
      expect(readdirSync(home, { recursive: true })).toEqual(
        expect.not.arrayContaining(['.config/agent']),
      )
      expect(existsSync(join(home, '.config'))).toBe(true)
    })

    it('removes the file if others changed only its layout, and keeps what they put beside it', () => {
      const { home, path, takeAway } = installed()
      writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))))
      writeFileSync(join(path, '../theirs'), '')
      expect(takeAway()).toBe('deleted')
      expect(readdirSync(join(path, '..'))).toEqual(['theirs'])
      expect(readdirSync(join(home, 'state/backups'))).toHaveLength(1)
    })

    it.each(withFile)('removes a file of %s that others rewrote with another layout', (name) => {
      const path = join(makeHome(), 'hooks.json')
      const stateDir = `${path}.state`
      const plan = planTarget(targetFor(name, path), '/hookbell-hook')
      applyPlan({ path, isShared: false, stateDir, plan })
      writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))))
      const registered = { client: name, scope: 'user', path, form: 'wrapped' } as const
      expect(takeAway(registered, stateDir)).toBe('deleted')
      expect(existsSync(path)).toBe(false)
    })

    it('keeps what others put into the file after it was read', () => {
      const { path, takeAway } = installed()
      const { hooks } = JSON.parse(readFileSync(path, 'utf8'))
      const add = () => writeFileSync(path, JSON.stringify({ model: 'x', hooks }))
      expect(takeAway(add)).toBe('cleaned')
      expect(readFileSync(path, 'utf8')).toBe('{"model":"x"}')
    })

    it.each([
      [2, 'deleted'],
      [3, /settings\.json: the file keeps changing/],
    ])('tries three times if others change its layout meanwhile: %d times', (times, result) => {
      const { path, takeAway } = installed()
      const value = JSON.parse(readFileSync(path, 'utf8'))
      let left = times
      const change = () => {
        if (left > 0) writeFileSync(path, JSON.stringify(value, null, left))
        left -= 1
      }
      if (result === 'deleted') expect(takeAway(change)).toBe(result)
      else expect(() => takeAway(change)).toThrow(result)
      expect(existsSync(path)).toBe(result !== 'deleted')
    })
  })

  it('keeps the backup if others change the file after it was read', () => {
    const { home, path } = place('{"a": 1}', { mode: 0o600, link: 'none', hasNote: false })
    const stateDir = join(home, 'state')
    applyPlan({ path, isShared: false, stateDir, plan: makePlan(path) })
    const { hooks } = JSON.parse(readFileSync(path, 'utf8'))
    const registered = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
    const change = () => writeFileSync(path, JSON.stringify({ a: 2, hooks }))
    expect(takeAway(changing(registered, change), stateDir)).toBe('cleaned')
    expect(readFileSync(path, 'utf8')).toBe('{"a":2}')
    expect(originalText(stateDir, path)).toBe('{"a": 1}')
  })

  it.each([
    ['{"a": 1, "hooks": {"Stop": []}}', '{"a": 1}'],
    [
      '{"hooks": {"PreToolUse": [{"hooks": []}], "Stop": []}}',
      '{"hooks": {"PreToolUse": [{"hooks": []}]}}',
    ],
  ])('leaves no empty lists if the backups are lost: %s', (text, expected) => {
    const { home, path } = place(text, {
      mode: 0o600,
      link: 'none',
      hasNote: false,
    })
    // As if the state folder was removed in between: the second install finds our hooks, but no record of the first.
    for (const stateDir of ['first', 'second'].map((name) => join(home, name)))
      applyPlan({
        path,
        isShared: false,
        stateDir,
        plan: planTarget(targetFor('claude', path), `${stateDir}/hookbell-hook`),
      })
    const registered = { client: 'claude', scope: 'user', path, form: 'wrapped' } as const
    expect(takeAway(registered, join(home, 'second'))).toBe('cleaned')
    expect(readFileSync(path, 'utf8')).toBe(expected)
  })
})

describe('a plug-in', () => {
  const ours = pluginText(clients.opencode, ['session.idle'], ['/x/hookbell-hook'])

  function placed(text: string) {
    const home = makeHome({ 'plugin/hookbell.js': text })
    const path = join(home, 'plugin/hookbell.js')
    const stateDir = join(home, 'state')
    const plugin = { client: 'opencode', scope: 'user', path, form: 'plugin' } as const
    rememberPlace(stateDir, plugin)
    return { home, path, stateDir, plugin }
  }

  it('of ours is removed and forgotten', () => {
    const { path, stateDir, plugin } = placed(ours)
    expect(findRegistration(plugin, stateDir)?.removal.isGone).toBe(true)
    expect(takeAway(plugin, stateDir)).toBe('deleted')
    expect([existsSync(path), rememberedPlaces(stateDir)]).toEqual([false, []])
  })

  it('of ours that is a link is emptied, and the link stays', () => {
    const { home, path, stateDir, plugin } = placed(ours)
    renameSync(path, join(home, 'dotfile.js'))
    symlinkSync('../dotfile.js', path)
    takeAway(plugin, stateDir)
    expect([readlinkSync(path), readFileSync(path, 'utf8')]).toEqual(['../dotfile.js', ''])
  })

  it('of others is left, even if it mentions hookbell', () => {
    const { stateDir, plugin } = placed('// needs hookbell init\nexport const Mine = 1\n')
    expect(findRegistration(plugin, stateDir)).toBe(undefined)
  })
})

it.each(['file', 'folder'])(
  'refuses a link to a %s out of the project that was put there after the question',
  (kind) => {
    const home = makeHome()
    const [stateDir, folder] = [join(home, 'state'), join(home, 'project/.claude')]
    const place = { client: 'claude', scope: 'project', form: 'wrapped' } as const
    const path = join(folder, 'settings.json')
    const target: Target = { ...targetFor('claude', path), scope: 'project' }
    mkdirSync(folder, { recursive: true })
    applyPlan({ path, isShared: true, stateDir, plan: planTarget(target, '/hookbell-hook') })
    rememberPlace(stateDir, { ...place, path })
    expect(findRegistration({ ...place, path }, stateDir)?.removal.isGone).toBe(true)
    renameSync(folder, join(home, '.claude'))
    if (kind === 'folder') symlinkSync(join(home, '.claude'), folder)
    else mkdirSync(folder)
    if (kind === 'file') symlinkSync(join(home, '.claude/settings.json'), path)
    const before = readFileSync(path, 'utf8')
    expect(() => takeAway({ ...place, path }, stateDir)).toThrow('the file is a link out of the')
    expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toBe(before)
  },
)

it('finds hooks that were written on Windows', () => {
  const windows = { platform: 'win32', node: 'C:\\node.exe' } as const
  const command = hookCommand('C:\\hookbell\\hook.cjs', 'droid', windows)
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ command }] }] } })
  const path = join(makeHome({ 'settings.json': text }), 'settings.json')
  const registered = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
  expect(findRegistration(registered, '/nowhere')?.removal.text).toBe('{}')
})

it('reports no fault of a file without our hooks', () => {
  const path = join(makeHome({ 'settings.json': '{"hooks": 1' }), 'settings.json')
  const registered = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
  expect(findRegistration(registered, '/nowhere')).toBe(undefined)
})

it.each([
  ['a folder', (path: string) => mkdirSync(path)],
  ['a pipe', (path: string) => spawnSync('mkfifo', [path])],
  ['a link to itself', (path: string) => symlinkSync(path, path)],
])('forgets a place that is now %s', (_, make) => {
  const home = makeHome()
  const path = join(home, 'settings.json')
  make(path)
  const registered = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
  rememberPlace(join(home, 'state'), registered)
  forgetIfClean(registered, join(home, 'state'))
  expect(rememberedPlaces(join(home, 'state'))).toEqual([])
})

it('forgets a place whose folder is a file now', () => {
  const home = makeHome({ '.factory': '' })
  const path = join(home, '.factory/settings.json')
  const registered = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
  rememberPlace(join(home, 'state'), registered)
  expect(findRegistration(registered, join(home, 'state'))).toBeUndefined()
  forgetIfClean(registered, join(home, 'state'))
  expect(rememberedPlaces(join(home, 'state'))).toEqual([])
})

it.runIf(process.platform === 'linux')(
  'remembers a place that cannot be read, and reports it if init wrote to it',
  () => {
    const home = makeHome()
    const path = join(home, 'settings.json')
    // Every attempt to read it fails, also by root.
    symlinkSync('/proc/self/mem', path)
    const state = join(home, 'state')
    const registered = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
    expect(findRegistration(registered, state)).toBeUndefined()
    rememberPlace(state, registered)
    expect(() => findRegistration(registered, state)).toThrow('the file cannot be read (EIO)')
    forgetIfClean(registered, state)
    expect(rememberedPlaces(state)).toEqual([registered])
  },
)
