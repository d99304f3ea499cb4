import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkOtherDoors } from '../../src/doctor/other-doors.ts'
import { hookCommand } from '../../src/install/hook-command.ts'
import type { HookPlace } from '../../src/install/places.ts'
import { makeFolder } from '../support/folder.ts'
import { shellQuote } from '../support/shell-quote.ts'

function checkOn(
  platform: NodeJS.Platform,
  door: string,
  stateDir: string,
  scope: HookPlace['scope'] = 'user',
) {
  const place: HookPlace = { client: 'droid', scope, path: '/r/.factory/x', form: 'wrapped' }
  const command = hookCommand(door, 'droid', { platform, node: 'C:\\node.exe' })
  return checkOtherDoors('x', [{ place, hooks: [{ event: 'Stop', command }] }], stateDir, platform)
}

it('ignores letter case when it compares front doors on Windows', () => {
  const door = 'C:\\Users\\Me\\hookbell\\runtime\\dist\\hook.cjs'
  expect(checkOn('win32', door, 'c:\\users\\me\\hookbell')).toEqual([])
  expect(checkOn('win32', door, 'c:\\users\\you\\hookbell')).toHaveLength(1)
  expect(checkOn('linux', '/Me/hookbell-hook', '/me')).toHaveLength(1)
})

it.each([
  ['user', 'hookbell init --client droid'],
  ['project', 'In /r: hookbell init --client droid --project'],
  ['local', 'Correct it by hand'],
  ['managed', 'Correct it by hand'],
] as const)('gives for settings of the scope %s the advice: %s', (scope, advice) => {
  expect(checkOn('linux', '/gone/hookbell-hook', '/me', scope)[0]?.do).toBe(advice)
})

it('names the state folder of the other door', async () => {
  const folder = await makeFolder()
  const door = join(folder, 'hookbell-hook')
  writeFileSync(door, '')
  expect(checkOn('linux', door, '/me')[0]?.do).toContain(
    `set HOOKBELL_STATE_DIR=${shellQuote(folder)}`,
  )
})
