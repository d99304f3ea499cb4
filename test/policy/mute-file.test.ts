import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readMutes, writeMutes } from '../../src/policy/mute-file.ts'
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

// An empty beginning is that of every session.
it.each([
  '',
  '{"format":2,"mutes":[{"until":0}]}',
  '{"format":1,"mutes":[{"until":0,"session":""}]}',
])('mutes nothing if the file contains %j', (text) => {
  const folder = makeFolder()
  writeFileSync(mutePath(folder), text)
  expect(readMutes(folder)).toEqual([])
})
