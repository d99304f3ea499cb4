import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  isTrustedProject,
  readTrusted,
  trustedPath,
  trustProject,
} from '../../src/config/trusted-projects.ts'
import { makeFolder } from '../support/folder.ts'

describe('the list of trusted projects', () => {
  it('has no effect if others can write it, or if its format is unknown', async () => {
    const state = await makeFolder()
    const project = { root: '/srv/api', owner: 0, hash: 'abc', at: 1 }
    trustProject(state, project)
    expect(readTrusted(state)).toEqual([project])
    for (const path of [state, trustedPath(state)]) {
      const { mode } = statSync(path)
      chmodSync(path, 0o777)
      expect(readTrusted(state)).toEqual([])
      chmodSync(path, mode)
    }
    expect(readTrusted(state)).toEqual([project])
    writeFileSync(trustedPath(state), JSON.stringify({ format: 2, projects: [project] }))
    expect(readTrusted(state)).toEqual([])
  })
})

describe('a project', () => {
  const project = { root: '/srv/api', owner: 7, hash: 'abc' }

  it.each<[boolean, string, object]>([
    [true, 'as it was trusted', {}],
    [false, 'in another place', { root: '/srv/other' }],
    [false, 'of another owner', { owner: 8 }],
    [false, 'with another content', { hash: 'def' }],
  ])('is trusted (%s) %s', (expected, _, change) => {
    expect(isTrustedProject({ ...project, ...change }, [{ ...project, at: 1 }])).toBe(expected)
  })
})
