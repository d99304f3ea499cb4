import { expect, it } from 'vitest'
import { named } from '../../src/text/named.ts'

it.each([
  ['desktop', 'desktop: no bus', 'desktop: no bus'],
  ['desk', 'desktop: no bus', 'desk: desktop: no bus'],
  ['desktop', 'no bus', 'desktop: no bus'],
])('the name "%s" is put before "%s" unless it is there already', (name, detail, expected) => {
  expect(named(name, detail)).toBe(expected)
})
