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
    // A longer word may have two typing errors.
    ['simluat', 'simulate'],
    ['smiluaet', undefined],
  ])('of %s is %s', (word, meant) => {
    expect(closest(word, known)).toBe(meant)
  })

  it('is none that differs in more than three letters, however long it is', () => {
    const long = 'PermissionRequestOfSomebody'
    expect(closest('PermisionReqestOfSomebdy', [long])).toBe(long)
    expect(closest('PermisionReqestOfSomebd', [long])).toBeUndefined()
  })

  it('is undefined if no words are known', () => {
    expect(closest('status', [])).toBeUndefined()
  })

  it('is a short word exactly if the typed text has one typing error or is its start', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(word, word, (typed, meant) => {
        const isBegun = typed.length > 2 && meant.startsWith(typed)
        const isMeant = typed === meant || isBegun || withOneError(meant).includes(typed)
        expect(closest(typed, [meant])).toBe(isMeant ? meant : undefined)
      }),
      { numRuns: 2000 },
    )
  })
})

/** All forms of the word with one typing error: a letter is missing, added, replaced or swapped with the next one. */
function withOneError(word: string): string[] {
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
