import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { trustProject } from '../../src/config/trusted-projects.ts'
import { type ProjectRules, projectRules, rulesOf } from '../../src/context/project-rules.ts'
import { type Kind, kinds } from '../../src/event/kind.ts'
import { sha256 } from '../../src/text/sha256.ts'
import { makeHome } from './_world.ts'

const root = '/srv/shop'
const owner = process.getuid?.() ?? 0

function fileOf(config: object | string) {
  const text = typeof config === 'string' ? config : JSON.stringify(config)
  return { root, owner, text, hash: sha256(text) }
}

/** The rules of a file that is trusted, untrusted, or changed since it was trusted. */
function rulesWhen(trust: ProjectRules['trust'], config: object | string): ProjectRules {
  const { home } = makeHome()
  const file = fileOf(config)
  if (trust === 'trusted') trustProject(home, { ...file, at: 0 })
  if (trust === 'changed') trustProject(home, { ...fileOf({ name: 'before' }), at: 0 })
  trustProject(home, { ...file, root: '/srv/other', at: 0 })
  const rules = rulesOf(file, home)
  expect(rules).toMatchObject({ root, trust })
  return rules
}

const mutedBy = ({ isMuted }: ProjectRules): Kind[] => kinds.filter(isMuted)
const others = kinds.filter((kind) => kind !== 'permission')

describe('the rules of a project', () => {
  it.each<[ProjectRules['trust'], object, readonly Kind[]]>([
    ['untrusted', {}, []],
    ['untrusted', { mute: true }, others],
    ['changed', { mute: true }, others],
    ['trusted', { mute: true }, kinds],
    ['trusted', { mute: false }, []],
    ['untrusted', { mute: ['done', 'permission'] }, ['done']],
    ['trusted', { mute: ['done', 'permission'] }, ['permission', 'done']],
    ['untrusted', { kinds: ['done'] }, []],
    ['trusted', { kinds: ['done'] }, kinds.filter((kind) => kind !== 'done')],
    ['trusted', { kinds: ['done'], mute: ['done'] }, kinds],
  ])('of a file that is %s, with %j, mute %j', (trust, config, muted) => {
    expect(mutedBy(rulesWhen(trust, config)).sort()).toEqual([...muted].sort())
  })

  it('use conditions only if the file is trusted, and list the ignored ones', () => {
    const conditions = { when: { minSeconds: 60 }, not: { ssh: true }, kinds: ['done'] }
    const config = { $schema: 'x', name: 'Shop', minSeconds: 9, cooldownSeconds: 8, ...conditions }
    const common = { label: 'Shop', minSeconds: 9, cooldownSeconds: 8 }
    const counts = ['name', 'minSeconds', 'cooldownSeconds']
    const untrusted = rulesWhen('untrusted', config)
    expect(untrusted).toMatchObject({ ...common, counts, ignored: ['kinds', 'when', 'not'] })
    expect([untrusted.when, untrusted.not]).toEqual([undefined, undefined])
    const { when, not } = conditions
    expect(rulesWhen('trusted', config)).toMatchObject({
      ...{ ...common, when, not, ignored: [] },
      counts: [...counts, 'kinds', 'when', 'not'],
    })
  })

  it('are those of the file, if there is one', async () => {
    const { home } = makeHome()
    const folder = join(home, 'shop')
    mkdirSync(folder)
    expect(await projectRules(folder, { home, stateDir: home })).toBeUndefined()
    writeFileSync(join(folder, '.hookbell.json'), '{"name":"Bank"}')
    const rules = await projectRules(folder, { home, stateDir: home })
    expect(rules).toMatchObject({ label: 'Bank', minSeconds: 0, cooldownSeconds: 0 })
  })

  it('have a short label of one line, or none', () => {
    expect(rulesWhen('untrusted', {})).not.toHaveProperty('label')
    expect(rulesWhen('untrusted', { name: ' \n' })).not.toHaveProperty('label')
    const { label = '' } = rulesWhen('untrusted', { name: `a\nb ${'c'.repeat(60)}` })
    expect(label).toMatch(/^a b c+…$/)
    expect(label.length).toBeLessThanOrEqual(40)
  })

  it.each<[ProjectRules['trust'], string]>([
    ['untrusted', 'no JSON'],
    ['changed', '{"to":["desktop"]}'],
    ['trusted', '{"minSeconds":"1"}'],
  ])('have no effect if the file is invalid, and say why: %s, %s', (trust, text) => {
    const rules = rulesWhen(trust, text)
    expect(mutedBy(rules)).toEqual([])
    expect(rules).toMatchObject({ minSeconds: 0, cooldownSeconds: 0, counts: [] })
    expect(rules.ignored).toEqual([expect.stringMatching(/^\.hookbell\.json/)])
  })

  it('have no effect if the file is refused, and say why', () => {
    const rules = rulesOf({ root, refused: 'a symbolic link' }, makeHome().home)
    expect(rules).toMatchObject({ root, trust: 'untrusted', ignored: ['a symbolic link'] })
    expect(mutedBy(rules)).toEqual([])
  })
})
