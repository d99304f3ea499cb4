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

it('keeps the mutes that are in force', () => {
  const folder = makeFolder()
  const mutes = [{ until: 0, session: 'abc' }, { until: 20 }]
  writeMutes(folder, [{ until: 10 }, ...mutes], 10)
  expect(readMutes(folder)).toEqual(mutes)
})

it('keeps a mute of one kind from earlier versions, which would mute all kinds', () => {
  const folder = makeFolder()
  const mutes = [{ until: 0, kind: 'done' }]
  writeMutes(folder, mutes, 10)
  expect(readMutes(folder)).toEqual(mutes)
  expect(JSON.parse(readFileSync(mutePath(folder), 'utf8')).format).toBe(2)
  writeMutes(folder, [{ until: 0 }], 10)
  expect(JSON.parse(readFileSync(mutePath(folder), 'utf8')).format).toBe(1)
})

// An empty beginning is that of every session.
it.each([
  '',
  '{"format":3,"mutes":[{"until":0}]}',
  '{"format":1,"mutes":[{"until":0,"session":""}]}',
])('mutes nothing if the file contains %j', (text) => {
  const folder = makeFolder()
  writeFileSync(mutePath(folder), text)
  expect(readMutes(folder)).toEqual([])
})

it('removes the file with the last mute, also if there is none', () => {
  const folder = makeFolder()
  writeMutes(folder, [{ until: 0 }], 10)
  for (const _ of [1, 2]) writeMutes(folder, [{ until: 10 }], 10)
  expect(existsSync(mutePath(folder))).toBe(false)
})

it('lists what is muted in any of several folders once', () => {
  const [one, other] = [makeFolder(), makeFolder()]
  writeMutes(one, [{ until: 20 }, { until: 0, session: 'abc' }], 10)
  writeMutes(other, [{ until: 0, session: 'abc' }, { until: 30 }], 10)
  expect(mutesInForce([one, other], 20)).toEqual([{ until: 0, session: 'abc' }, { until: 30 }])
})
