import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import { rememberPlace } from '../../src/install/places.ts'
import { findRenewals } from '../../src/install/plan-target.ts'
import { makeHome } from '../support/home.ts'
import { makeHome as makeFiles, makePlan } from './make-home.ts'

/** Three places, each as an older version wrote it, and one client that `init` is then run for. */
async function makeOldPlaces() {
  const home = await makeHome()
  for (const name of ['.factory', '.claude', '.config/opencode'])
    mkdirSync(join(home.home, name), { recursive: true })
  await home.run('init', '--client', 'claude', '--events', 'Stop', '--yes')
  await home.run('init', '--client', 'opencode', '--yes')
  await home.run('init', '--client', 'droid', '--project', '--events', 'Stop', '--yes')
  const places = {
    claude: join(home.home, '.claude/settings.json'),
    opencode: join(home.home, '.config/opencode/plugin/hookbell.js'),
    project: join(home.project, '.factory/settings.json'),
  }
  const now = textsOf(places)
  edit(places.claude, (text) =>
    text.replace("{ trap 'exit 0' 0; ", '').replace('; trap - 0; } >/dev/null 2>&1', ''),
  )
  edit(places.opencode, (text) => text.replace('hook.unref()', ''))
  edit(places.project, (text) => text.replace('; } >/dev', '; } 2>/dev').replace(' 2>&1', ''))
  return { home, places, now }
}

function textsOf(places: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(places).map(([name, path]) => [name, readFileSync(path, 'utf8')]),
  )
}

function edit(path: string, change: (text: string) => string) {
  const before = readFileSync(path, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

describe('init of a newer version', () => {
  it('updates every place that it wrote before, and doctor names each until then', async () => {
    const { home, places, now } = await makeOldPlaces()
    const old = textsOf(places)
    const named = async () =>
      JSON.parse((await home.run('doctor', '--offline', '--json')).stdout)
        .checks.filter(({ status, id }: Check) => status === 'warning' && /\.canary$/.test(id))
        .map(({ seen }: Check) => seen)
        // On a busy machine the front door may be slow, which is a warning too.
        .filter((seen: string) => !seen.includes('silent, exit 0'))
        .join('\n')
    const before = await named()
    for (const path of Object.values(places)) expect(before).toContain(path)

    const { stdout } = await home.run('init', '--client', 'droid', '--dry-run')
    for (const path of Object.values(places)) expect(stdout).toContain(path)
    expect(stdout).not.toContain('may not read')
    expect(textsOf(places)).toEqual(old)
    await home.run('init', '--client', 'droid', '--yes')
    expect(textsOf(places)).toEqual(now)
    expect(await named()).toBe('')
    const again = await home.run('init', '--client', 'droid', '--dry-run')
    for (const path of Object.values(places)) expect(again.stdout).not.toContain(path)
    await home.run('uninstall', '--yes')
  })

  it('keeps a timeout that a person chose, and leaves removed hooks and invalid files alone', async () => {
    const { home, places } = await makeOldPlaces()
    edit(places.claude, (text) => text.replace('"timeout": 10', '"timeout": 4'))
    edit(places.opencode, () => '// nothing of ours\n')
    edit(places.project, (text) => `${text}{`)
    const old = textsOf(places)
    const { exitCode } = await home.run('init', '--client', 'droid', '--yes')
    expect(exitCode).toBe(0)
    const { claude, ...others } = textsOf(places)
    expect(claude).toContain('"timeout": 4')
    expect(claude).toContain('>/dev/null')
    expect({ ...others, claude: old.claude }).toEqual(old)
    await home.run('uninstall', '--yes')
  })

  it('follows no link out of a project', async () => {
    const { home, places } = await makeOldPlaces()
    const outside = join(home.home, 'outside.json')
    renameSync(places.project, outside)
    symlinkSync(outside, places.project)
    const old = readFileSync(outside, 'utf8')
    await home.run('init', '--client', 'droid', '--yes')
    expect(readFileSync(outside, 'utf8')).toBe(old)
    await home.run('uninstall', '--yes')
  })
})

describe('findRenewals', () => {
  it('names the other files with hooks of ours, and no link out of a project', () => {
    const files = ['user', 'project', 'linked', 'empty'].map(
      (name) => `${name}/.factory/settings.json`,
    )
    const { text } = makePlan('settings.json')('')
    const home = makeFiles(
      Object.fromEntries(files.map((name) => [name, name.startsWith('empty') ? '{}' : text])),
    )
    const [user = '', project = '', linked = '', empty = ''] = files.map((name) => join(home, name))
    const outside = join(home, 'outside.json')
    renameSync(linked, outside)
    symlinkSync(outside, linked)
    for (const path of [user, project, linked, empty, join(home, 'gone/.factory/settings.json')]) {
      const scope = path === user ? 'user' : 'project'
      rememberPlace(join(home, 'state'), { client: 'droid', scope, path, form: 'wrapped' })
    }
    const all = findRenewals(join(home, 'state'), [])
    expect(all).toMatchObject([
      { scope: 'user', isRenewal: true, file: { path: user }, events: clients.droid.events },
      { scope: 'project', isRenewal: true, file: { path: project } },
    ])
    expect(all).toHaveLength(2)
    expect(findRenewals(join(home, 'state'), all.slice(0, 1))).toMatchObject([
      { file: { path: project } },
    ])
    const guard = all[1]?.guard
    expect(() => guard?.(project)).not.toThrow()
    expect(() => guard?.(outside)).toThrow(/link out of the project/)
  })
})

interface Check {
  id: string
  status: string
  seen: string
}
