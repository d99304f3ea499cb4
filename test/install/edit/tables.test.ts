import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import { afterAll, describe, expect, it } from 'vitest'
import { kimi } from '../../../src/clients/kimi.ts'
import { applyPlan } from '../../../src/install/apply.ts'
import type { HookPlace } from '../../../src/install/places.ts'
import { planTarget } from '../../../src/install/plan-target.ts'
import { readRegisteredText } from '../../../src/install/registered.ts'
import type { Target } from '../../../src/install/target.ts'
import { takeAway } from '../../../src/install/uninstall.ts'
import { runs } from '../../support/runs.ts'

const base = mkdtempSync(join(tmpdir(), 'hookbell-test-'))
afterAll(() => rmSync(base, { recursive: true }))

const door = '/home/me/it\'s "mine"/hookbell-hook'

function planFor(path: string, { at = door, events = kimi.events as readonly string[] } = {}) {
  const file = { name: 'config.toml', shape: 'bare', path } as const
  const common = { name: 'kimi', client: kimi, scope: 'user', folder: base, file } as const
  const target: Target = { ...common, events, isAbsent: false }
  return planTarget(target, at)
}

function install(text: string | undefined, options?: Parameters<typeof planFor>[1]) {
  const home = mkdtempSync(join(base, 'home-'))
  const [path, stateDir] = [join(home, 'config.toml'), join(home, 'state')]
  if (text !== undefined) writeFileSync(path, text)
  const apply = (more = options) =>
    applyPlan({ path, isShared: false, stateDir, plan: planFor(path, more) })
  const applied = apply()
  const place: HookPlace = { client: 'kimi', scope: 'user', path, form: 'tables' }
  const read = () => readFileSync(path, 'utf8')
  return { path, applied, apply, place, read, takeAway: () => takeAway(place, stateDir) }
}

const ours = (text: string) => readRegisteredText(placeAt('config.toml'), text)
const placeAt = (path: string): HookPlace => ({
  ...{ client: 'kimi', scope: 'user', path, form: 'tables' },
})

const foreign = `# Mine
default_model = "kimi/k3" # the best

[providers.kimi]
api_key = 'sk-1'

[[hooks]]
event = "Stop" # a sound
command = "paplay done.ogg"
`

/** Parts of a TOML file that may come in any order, because none is a key of the root table. */
const parts = fc.constantFrom(
  '# a comment\n',
  '\n',
  '\t\n',
  '[thinking]\nenabled = true\n',
  '[models."a/b"]\nname = "x" # why\nsize = 1_000\nsince = 2026-11-20\n',
  '[loop]\ntext = """\n[[hooks]]\nevent = "Stop"\n"""\n',
  '[[hooks]]\nevent = "Stop"\ncommand = "beep"\n',
  '[[hooks]]\r\ncommand = \'it\'\r\nevent = "Stop"\r\n',
)
const files = fc
  .record({
    parts: fc.uniqueArray(parts, { maxLength: 6 }),
    bom: fc.constantFrom('', '', '\uFEFF'),
    end: fc.constantFrom('', '', '\n', '# the end', '   '),
    crlf: fc.boolean(),
  })
  .map(({ parts: all, bom, end, crlf }) => {
    const text = bom + all.join('') + end
    return crlf ? text.replaceAll(/\r?\n/g, '\r\n') : text
  })

describe('hooks in the tables of a TOML file', () => {
  it('are added at the end, without a change of anything else', () => {
    const { read, applied } = install(foreign, { events: ['Stop', 'PreToolUse'] })
    expect(applied.changed).toBe(true)
    const command = `{ trap 'exit 0' 0; '/home/me/it'\\''s "mine"/hookbell-hook' --client kimi; trap - 0; } >/dev/null 2>&1 || :`
    expect(read()).toBe(`${foreign}
[[hooks]]
event = "Stop"
command = ${JSON.stringify(command)}
timeout = 10

[[hooks]]
event = "PreToolUse"
matcher = "^AskUserQuestion$"
command = ${JSON.stringify(command)}
timeout = 10
`)
    expect(parse(read()).hooks).toMatchObject([{ command: 'paplay done.ogg' }, { command }, {}])
  })

  it('leave the same bytes when they are removed again, however the file was written', () => {
    fc.assert(
      fc.property(files, (text) => {
        const { apply, read, takeAway } = install(text)
        const { hooks = [], ...old } = parse(text.replace('\uFEFF', ''))
        const { hooks: _, ...now } = parse(read().replace('\uFEFF', ''))
        expect(now).toEqual(old)
        expect(ours(read()).hooks.map(({ event }) => event)).toEqual(kimi.events)
        expect(read().startsWith(text)).toBe(true)
        expect(apply().changed).toBe(false)
        expect(hooks).toEqual(expect.any(Array))
        expect(takeAway()).toBe('restored')
        expect(read()).toBe(text)
      }),
      { numRuns: runs(100) },
    )
  })

  it('leave no file where there was none', () => {
    expect(install(undefined).takeAway()).toBe('deleted')
    expect(install('').takeAway()).toBe('restored')
  })

  it('are removed, and nothing else, from a file that the client changed since', () => {
    const { path, read, takeAway } = install(foreign)
    const changed = `yolo = true\n${read().replace('k3', 'k4')}\n[[hooks]]\nevent = "Stop"\ncommand = "beep"\n`
    writeFileSync(path, changed)
    expect(takeAway()).toBe('cleaned')
    const rest = `yolo = true\n${foreign.replace('k3', 'k4')}\n[[hooks]]\nevent = "Stop"\ncommand = "beep"\n`
    expect(read()).toBe(rest)
  })

  it('are updated in their place', () => {
    const { apply, read } = install(foreign, { at: '/old/hookbell-hook', events: ['Stop'] })
    const text = read()
    expect(apply({ at: '/new/hookbell-hook', events: ['Stop'] }).changed).toBe(true)
    expect(read()).toBe(text.replace('/old/', '/new/'))
    expect(apply({ at: '/new/hookbell-hook', events: ['Stop', 'Interrupt'] }).changed).toBe(true)
    expect(ours(read()).hooks.map(({ event }) => event)).toEqual(['Stop', 'Interrupt'])
  })

  it.each([
    ['invalid TOML', 'default_model = \n'],
    ['hooks in one line', 'hooks = [{ event = "Stop", command = "beep" }]\n'],
    ['an empty list of hooks', 'hooks = []\n'],
    ['hooks that are not a list', 'hooks = "none"\n'],
    ['one hook in a plain table', '[hooks]\nevent = "Stop"\n'],
    ['numbers in the list', 'hooks = [1]\n'],
  ])('are refused for a file with %s, which stays as it is', (_, text) => {
    const path = join(mkdtempSync(join(base, 'home-')), 'config.toml')
    writeFileSync(path, text)
    expect(() => planFor(path)(text)).toThrow(expect.objectContaining({ code: 'E_SETTINGS' }))
  })

  it('are refused with the line and column of the fault', () => {
    const message = expect.stringMatching(/^config\.toml:2:5: \S/)
    expect(() => planFor('config.toml')('a = 1\nb = \n')).toThrow(
      expect.objectContaining({ message }),
    )
  })

  it('are left alone, with an error, if a person changed one of them', () => {
    const { path, read, apply, takeAway } = install(foreign)
    const changed = read().replace('timeout = 10', 'timeout = 5 # faster')
    writeFileSync(path, changed)
    const refusal = expect.objectContaining({ code: 'E_SETTINGS' })
    expect(apply).toThrow(refusal)
    expect(takeAway).toThrow(refusal)
    expect(read()).toBe(changed)
  })

  it('are not confused with a string that looks like them', () => {
    const { read } = install('', { events: ['Stop'] })
    const text = `notes = """\n${read()}"""\n`.replaceAll('\\"', '')
    const path = join(mkdtempSync(join(base, 'home-')), 'config.toml')
    expect(() => planFor(path)(text)).toThrow(expect.objectContaining({ code: 'E_SETTINGS' }))
  })

  it.each([
    ['another property', 'event = "Stop"\ncommand = "beep"\ncwd = "/"'],
    ['no command', 'event = "Stop"'],
    ['a timeout that is too long', 'event = "Stop"\ncommand = "beep"\ntimeout = 601'],
  ])('are reported if another hook has %s, because the client then runs none', (_, lines) => {
    const { read } = install(`[[hooks]]\n${lines}\n`)
    expect(ours(read()).fault).toContain('invalid')
    expect(ours(install(foreign).read()).fault).toBeUndefined()
  })
})
