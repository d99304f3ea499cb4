import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { mutesInForce, readMutes, writeMutes } from '../../src/policy/mute-file.ts'
import { mutePath } from '../../src/policy/mutes.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-mutes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

it('the mute file keeps the mutes that are in force', () => {
  const folder = makeFolder()
  const mutes = [{ until: 0, session: 'abc' }, { until: 20 }]
  writeMutes(folder, [{ until: 10 }, ...mutes], 10)
  expect(readMutes(folder)).toEqual(mutes)
})

it('the mute file has a format that older versions do not read: they would silence questions', () => {
  const folder = makeFolder()
  const mutes = [
    { until: 0, kind: 'done' },
    { until: 0, questions: true as const },
  ]
  writeMutes(folder, mutes, 10)
  expect(readMutes(folder)).toEqual(mutes)
  expect(JSON.parse(readFileSync(mutePath(folder), 'utf8')).format).toBe(3)
})

it('the mute file of an older version still mutes, but no questions', () => {
  const folder = makeFolder()
  writeFileSync(mutePath(folder), '{"format":1,"mutes":[{"until":0}]}')
  expect(readMutes(folder)).toEqual([{ until: 0 }])
})

// A session is named by the beginning of its id, so an empty one would name every session.
it.each([
  '',
  '{"format":4,"mutes":[{"until":0}]}',
  '{"format":1,"mutes":[{"until":0,"session":""}]}',
])('the mute file mutes nothing if it contains %j', (text) => {
  const folder = makeFolder()
  writeFileSync(mutePath(folder), text)
  expect(readMutes(folder)).toEqual([])
})

it('the mute file is removed with the last mute, even if it is already gone', () => {
  const folder = makeFolder()
  writeMutes(folder, [{ until: 0 }], 10)
  for (const _ of [1, 2]) writeMutes(folder, [{ until: 10 }], 10)
  expect(existsSync(mutePath(folder))).toBe(false)
})

it('a mute that is in several folders is listed once', () => {
  const [one, other] = [makeFolder(), makeFolder()]
  writeMutes(one, [{ until: 20 }, { until: 0, session: 'abc' }], 10)
  writeMutes(other, [{ until: 0, session: 'abc' }, { until: 30 }], 10)
  expect(mutesInForce([one, other], 20)).toEqual([{ until: 0, session: 'abc' }, { until: 30 }])
})
