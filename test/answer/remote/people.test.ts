import { chmodSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addPerson, readPeople, removePeople } from '../../../src/answer/remote/people.ts'
import { makeFolder } from '../../support/folder.ts'

const me = { channel: 'phone', listener: 'telegram x 1', person: '7', chat: '-100', at: 1 }
const other = { ...me, person: '8' }

describe('the people who may answer', () => {
  it('are kept once for each channel, in a file of their own', async () => {
    const state = await makeFolder()
    for (const one of [me, other, { ...me, chat: '-200' }, { ...me, channel: 'work' }])
      addPerson(state, one)
    expect(readPeople(state)).toEqual([other, { ...me, chat: '-200' }, { ...me, channel: 'work' }])
    expect(statSync(join(state, 'answer-people.json')).mode & 0o777).toBe(0o600)
    expect(removePeople(state, 'phone', '8')).toBe(1)
    expect(removePeople(state, 'phone')).toBe(1)
    expect(removePeople(state, 'phone')).toBe(0)
    expect(readPeople(state)).toEqual([{ ...me, channel: 'work' }])
  })

  it.each<[string, (path: string) => void]>([
    ['is not there', (path) => rmSync(path)],
    ['others can read', (path) => chmodSync(path, 0o644)],
    ['others can write', (path) => chmodSync(path, 0o620)],
    ['is damaged', (path) => writeFileSync(path, '{"format":1,"people":[{"channel":"phone"}]}')],
    ['is of another format', (path) => writeFileSync(path, '{"format":2,"people":[]}')],
    [
      'is a link',
      (path) => {
        writeFileSync(`${path}.real`, JSON.stringify({ format: 1, people: [me] }), { mode: 0o600 })
        rmSync(path)
        symlinkSync(`${path}.real`, path)
      },
    ],
  ])('are nobody if the file %s', async (_, spoil) => {
    const state = await makeFolder()
    addPerson(state, me)
    expect(readPeople(state)).toEqual([me])
    spoil(join(state, 'answer-people.json'))
    expect(readPeople(state)).toEqual([])
  })
})
