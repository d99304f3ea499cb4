import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type TrustedProject, trustProject } from '../../src/config/trusted-projects.ts'
import { readProjectFile } from '../../src/context/project-file.ts'
import { changedProjects, type TrustState, trustOf } from '../../src/context/trust-changes.ts'
import { makeHome } from './_world.ts'

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
