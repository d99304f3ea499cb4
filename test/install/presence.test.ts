import { chmodSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import { isPresent, presenceOf } from '../../src/install/presence.ts'
import { makeHome } from './make-home.ts'

it('a client is present if its folder or an executable file on the PATH is there', () => {
  const home = makeHome({ 'a/droid': '', 'b/droid/x': '', 'c/droid': '', 'd/claude': '' })
  chmodSync(join(home, 'c/droid'), 0o755)
  const of = (...folders: string[]) => {
    const env = { HOME: home, PATH: folders.map((folder) => join(home, folder)).join(delimiter) }
    expect(isPresent(clients.droid, env)).toBe(presenceOf(clients.droid, env).program !== undefined)
    return presenceOf(clients.droid, env)
  }
  const absent = { folder: undefined, program: undefined }
  expect(of()).toEqual(absent)
  expect(of('a', 'b', 'd')).toEqual(absent)
  expect(of('a', 'b', 'c')).toEqual({ folder: undefined, program: join(home, 'c/droid') })
  mkdirSync(join(home, '.factory'))
  const env = { HOME: home, PATH: '' }
  expect(presenceOf(clients.droid, env)).toEqual({ ...absent, folder: join(home, '.factory') })
  expect(isPresent(clients.droid, env)).toBe(true)
})
