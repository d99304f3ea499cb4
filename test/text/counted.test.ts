import { expect, it } from 'vitest'
import { counted } from '../../src/text/counted.ts'

it.each([
  [0, 'event', undefined, '0 events'],
  [1, 'event', undefined, '1 event'],
  [2, 'delivery', 'deliveries', '2 deliveries'],
] as const)('counted(%i, "%s") uses the right number form', (count, one, many, text) => {
  expect(counted(count, one, many)).toBe(text)
})
