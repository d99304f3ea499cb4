import { expect, it } from 'vitest'
import { isInside } from '../../src/fs/inside.ts'

it.each([
  ['/home/sam/shop', '/home/sam', true],
  ['/home/sam', '/', true],
  ['/home/samantha', '/home/sam', false],
  ['/home/sam', '/home/sam', false],
  ['/home', '/home/sam', false],
])('%s lies below %s: %s', (path, folder, expected) => {
  expect(isInside(path, folder)).toBe(expected)
})
