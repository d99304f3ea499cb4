import { expect, it } from 'vitest'
import { argv } from '../../src/text/program.ts'

it.each([
  [['~/bin/ring', '--loud', '']],
  [['/bin/true']],
  [['ring-2.0+x']],
  [['/opt/x.batch']],
  [Array(100).fill('ring')],
])('%j is a valid command', (words) => {
  expect(argv.parse(words)).toEqual(words)
})

it.each([
  [[]],
  [['']],
  [['bin/ring']],
  [['x~/ring']],
  [['./ring']],
  [['ring loud']],
  [['ring;ls']],
  [['/opt/x.bat']],
  [['/opt/X.CMD']],
  [['/opt/x\0y']],
  [['/bin/true', 'x\0y']],
  [Array(101).fill('ring')],
])('%j is not a valid command', (words) => {
  expect(argv.safeParse(words).success).toBe(false)
})
