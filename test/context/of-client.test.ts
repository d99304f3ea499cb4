import { sep } from 'node:path'
import { expect, it } from 'vitest'
import { formatOf, rootsOf } from '../../src/context/of-client.ts'

it('a transcript is looked for in the folders of its client only, or of all if that is unknown', () => {
  const roots = rootsOf('droid')
  expect(roots.map((root) => root.split(sep).slice(-2))).toEqual([
    ['.factory', 'sessions'],
    ['.factory', 'projects'],
  ])
  expect(formatOf('droid')).toBe('droid')
  expect(rootsOf('my-agent')).toEqual(expect.arrayContaining([...roots, ...rootsOf('claude')]))
  expect(formatOf('my-agent')).toBeUndefined()
})
