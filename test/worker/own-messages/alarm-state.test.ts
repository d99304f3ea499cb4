import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AlarmFile } from '../../../src/worker/own-messages/alarm-state.ts'
import { makeWorld } from '../_world.ts'

const nothing = { unreached: [], deadChannels: [] }
const named = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`)

it('the newest questions and channels are kept, and are read at once', () => {
  const { stateDir } = makeWorld()
  const clock = vi.spyOn(process, 'hrtime').mockReturnValue([1, 0])
  onTestFinished(() => clock.mockRestore())
  const file = new AlarmFile(stateDir)
  expect(file.read()).toEqual(nothing)
  const unreached = named(51).map((id) => ({ id, text: `text of ${id}` }))
  file.write({ unreached, deadChannels: named(101) })
  const kept = { unreached: unreached.slice(1), deadChannels: named(101).slice(1) }
  expect(file.read()).toMatchObject(kept)
  expect(new AlarmFile(stateDir).read()).toMatchObject(kept)
})

it('a file that is damaged or cannot be written counts as empty', () => {
  const { stateDir } = makeWorld()
  const path = join(stateDir, 'alarms.json')
  for (const text of ['', '{', '{"format":2,"unreached":[],"deadChannels":["a"]}']) {
    writeFileSync(path, text)
    expect(new AlarmFile(stateDir).read()).toEqual(nothing)
  }
  rmSync(path)
  mkdirSync(path)
  const file = new AlarmFile(stateDir)
  file.write({ unreached: [], deadChannels: ['a'] })
  expect(file.read()).toEqual(nothing)
})
