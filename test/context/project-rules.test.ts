import { execFileSync } from 'node:child_process'
import {
  accessSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type TrustedProject, trustProject } from '../../src/config/trusted-projects.ts'
import {
  changedProjects,
  type ProjectRules,
  projectRules,
  readProjectFile,
  rulesOf,
  type TrustState,
  trustOf,
} from '../../src/context/project-rules.ts'
import { type Kind, kinds } from '../../src/event/event.ts'
import { PathGate } from '../../src/fs/path-gate.ts'
import { sha256 } from '../../src/text/sha256.ts'
import { makeHome } from './_world.ts'

const isRoot = process.getuid?.() === 0

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

/** A home with a repository `shop` that has a folder `src`. */
function makeRepository() {
  const { home } = makeHome()
  const root = join(home, 'shop')
  mkdirSync(join(root, '.git'), { recursive: true })
  mkdirSync(join(root, 'src'))
  const path = join(root, '.hookbell.json')
  return { home, root, path, read: (cwd = root) => readProjectFile(cwd, home) }
}

describe('the file of a project', () => {
  it('is read from the top of the repository around a folder', async () => {
    const { root, path, read } = makeRepository()
    const text = '{"name":"Shop"}'
    writeFileSync(path, `\uFEFF${text}`)
    const hash = sha256(Buffer.from(`\uFEFF${text}`))
    const file = { root, owner: process.getuid?.(), text, hash }
    expect([await read(), await read(join(root, 'src'))]).toEqual([file, file])
  })

  it('is read only from the folder itself outside of a repository', async () => {
    const { home, read } = makeRepository()
    const folder = join(home, 'notes/today')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(home, 'notes/.hookbell.json'), '{}')
    expect(await read(folder)).toBeUndefined()
    writeFileSync(join(folder, '.hookbell.json'), '{}')
    expect(await read(folder)).toMatchObject({ root: folder, text: '{}' })
  })

  it('has no effect in the home directory, or for its repository', async () => {
    const { home, read } = makeRepository()
    mkdirSync(join(home, 'notes'))
    mkdirSync(join(home, '.git'))
    writeFileSync(join(home, '.hookbell.json'), '{}')
    expect([await read(home), await read(join(home, 'notes'))]).toEqual([undefined, undefined])
  })

  it('is undefined if neither the folder nor its repository has one', async () => {
    const { root, read } = makeRepository()
    writeFileSync(join(root, 'src/file'), '')
    for (const cwd of [root, join(root, 'gone')]) expect(await read(cwd), cwd).toBeUndefined()
    const { home } = makeHome()
    writeFileSync(join(home, 'file'), '')
    expect(await readProjectFile(join(home, 'file'), '/home/me')).toBeUndefined()
  })

  it.each(['', 'shop', '/home/me', '/srv/shop\0', '/proc/self/cwd', '//host/share', '/net/host'])(
    'is not looked for in %j',
    async (cwd) => {
      const gate = new PathGate()
      const run = vi.spyOn(gate, 'run')
      expect(await readProjectFile(cwd, '/home/me', gate)).toBeUndefined()
      expect(run).not.toHaveBeenCalled()
    },
  )

  it.each<[string, (path: string) => void, string]>([
    ['a link', (path) => symlinkSync('/etc/passwd', path), 'a symbolic link'],
    ['a folder', (path) => mkdirSync(path), 'not a regular file'],
    ['a pipe', (path) => void execFileSync('mkfifo', [path]), 'not a regular file'],
    ['large', (path) => writeFileSync(path, 'x'.repeat(65_537)), 'larger than 65536 bytes'],
  ])('is refused, with the reason, if it is %s', async (_, make, refused) => {
    const { root, path, read } = makeRepository()
    make(path)
    expect(await read()).toEqual({ root, refused })
  })

  it.skipIf(!isRoot)('is refused if it belongs to another user', async () => {
    const { root, path, read } = makeRepository()
    writeFileSync(path, '{}')
    chownSync(path, 54_321, 54_321)
    expect(await read()).toEqual({ root, refused: 'belongs to another user' })
  })

  it('is read up to 64 kB', async () => {
    const { path, read } = makeRepository()
    writeFileSync(path, 'x'.repeat(65_536))
    expect(await read()).toMatchObject({ text: 'x'.repeat(65_536) })
  })

  it.skipIf(!canWrite('/dev/shm'))(
    'is not read in a system folder, even through a link',
    async () => {
      const { home, read } = makeRepository()
      const folder = mkdtempSync('/dev/shm/hookbell-')
      onTestFinished(() => rmSync(folder, { recursive: true }))
      writeFileSync(join(folder, '.hookbell.json'), '{}')
      symlinkSync(folder, join(home, 'link'))
      expect([await read(folder), await read(join(home, 'link'))]).toEqual([undefined, undefined])
    },
  )
})

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** A project whose file a person has trusted. */
async function makeTrusted() {
  const { home } = makeHome()
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const parent = join(home, 'work')
  const root = join(parent, 'shop')
  const path = join(root, '.hookbell.json')
  mkdirSync(root, { recursive: true })
  writeFileSync(path, '{}')
  const project = { ...(await readProjectFile(root, home)), at: 0 } as TrustedProject
  trustProject(home, project)
  return { home, parent, root, path, project }
}

type Change = (made: Awaited<ReturnType<typeof makeTrusted>>) => void

it.each<[what: string, state: TrustState, change: Change]>([
  ['stays as it is', 'trusted', () => undefined],
  ['has another content', 'changed', ({ path }) => writeFileSync(path, '{"mute":true}')],
  [
    'becomes a folder',
    'changed',
    ({ path }) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
  ['is removed', 'gone', ({ path }) => rmSync(path)],
  ['is moved', 'gone', ({ root }) => renameSync(root, `${root}-2`)],
  ['becomes part of a repository', 'gone', ({ parent }) => mkdirSync(join(parent, '.git'))],
  [
    'becomes part of a repository with a file',
    'gone',
    ({ parent }) => {
      mkdirSync(join(parent, '.git'))
      writeFileSync(join(parent, '.hookbell.json'), '{}')
    },
  ],
])('a trusted file that %s is %s', async (_, state, change) => {
  const made = await makeTrusted()
  change(made)
  expect(await trustOf(made.project)).toBe(state)
  expect(await changedProjects(made.home)).toEqual(state === 'changed' ? [made.root] : [])
})
