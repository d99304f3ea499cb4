import { describe, expect, it } from 'vitest'
import { closest } from '../../src/text/suggest.ts'

const known = ['status', 'secrets', 'simulate', 'dead', 'demo', 'doctor']

describe('the word that was most likely meant', () => {
  it.each([
    ['stauts', 'status'],
    ['stat', 'status'],
    ['doc', 'doctor'],
    ['STATUS', 'status'],
    ['de', undefined],
    ['xyz', undefined],
  ])('of %s is %s', (word, meant) => {
    expect(closest(word, known)).toBe(meant)
  })
})
