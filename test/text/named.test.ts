import { expect, it } from 'vitest'
import { named } from '../../src/text/named.ts'

it.each([
  ['desktop', 'desktop: no bus', 'desktop: no bus'],
  ['desk', 'desktop: no bus', 'desk: desktop: no bus'],
  ['desktop', 'no bus', 'desktop: no bus'],
])('the name %s is said once with "%s"', (name, detail, expected) => {
  expect(named(name, detail)).toBe(expected)
})
