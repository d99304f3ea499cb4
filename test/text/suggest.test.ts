import fc from 'fast-check'
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
    // A longer word may be two slips away.
    ['simluat', 'simulate'],
    ['smiluaet', undefined],
  ])('of %s is %s', (word, meant) => {
    expect(closest(word, known)).toBe(meant)
  })

  it('is none where nothing is known', () => {
    expect(closest('status', [])).toBeUndefined()
  })

  it('is a short word exactly if that is one slip away, or begins so', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(word, word, (typed, meant) => {
        const isBegun = typed.length > 2 && meant.startsWith(typed)
        const isMeant = typed === meant || isBegun || slipsOf(meant).includes(typed)
        expect(closest(typed, [meant])).toBe(isMeant ? meant : undefined)
      }),
      { numRuns: 2000 },
    )
  })
})

/** A letter that is missing, added, another one, or swapped with the next one. */
function slipsOf(word: string): string[] {
  return Array.from({ length: word.length + 1 }, (_, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    const [one = '', two = ''] = after
    return [
      ...(one ? [before + after.slice(1)] : []),
      ...['a', 'b', 'c'].flatMap((letter) => [
        before + letter + after,
        ...(one ? [before + letter + after.slice(1)] : []),
      ]),
      ...(two ? [before + two + one + after.slice(2)] : []),
    ]
  }).flat()
}
