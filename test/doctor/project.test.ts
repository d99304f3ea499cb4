import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { trustProject } from '../../src/config/trusted-projects.ts'
import type { Facts } from '../../src/doctor/check.ts'
import { checkProject } from '../../src/doctor/project.ts'
import { sha256 } from '../../src/text/sha256.ts'
import { makeHome } from '../install/make-home.ts'

const TRUST = 'Look at .hookbell.json, then: hookbell trust'

/** The checks of a project whose file contains `text`, when a person has trusted the content `trusted`. */
async function said(text?: string, trusted?: string) {
  const home = makeHome({ 'repo/.git/HEAD': '' })
  const [cwd, stateDir] = [join(home, 'repo'), join(home, 'state')]
  mkdirSync(stateDir, { mode: 0o700 })
  if (text !== undefined) writeFileSync(join(cwd, '.hookbell.json'), text)
  const owner = process.getuid?.() ?? 0
  if (trusted !== undefined)
    trustProject(stateDir, { root: cwd, owner, hash: sha256(trusted), at: 0 })
  const checks = await checkProject({ cwd, env: { HOME: home }, stateDir } as unknown as Facts)
  return checks.map(({ status, seen, do: what }) => [status, seen, what])
}

it.each<[string, string | undefined, string | undefined, string[][]]>([
  ['without a file', undefined, undefined, []],
  ['with harmless settings', '{"name": "Shop"}', undefined, [['ok', 'untrusted: name counts', '']]],
  ['with no settings', '{}', undefined, [['ok', 'untrusted: nothing counts', '']]],
  [
    'with settings that need trust',
    '{"name": "Shop", "kinds": ["done"]}',
    undefined,
    [['warning', 'untrusted: name counts; ignored: kinds', TRUST]],
  ],
  [
    'that is trusted',
    '{"kinds": ["done"]}',
    '{"kinds": ["done"]}',
    [['ok', 'trusted: kinds counts', '']],
  ],
  [
    'that was trusted with another content',
    '{"name": "Shop"}',
    '{}',
    [['warning', 'changed: name counts', TRUST]],
  ],
])('doctor reports which settings count in a project %s', async (_, text, trusted, expected) => {
  expect(await said(text, trusted)).toEqual(expected)
})
