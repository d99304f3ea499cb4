import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Edit, splice, unsplice } from '../../../src/install/edit/splice.ts'

/** Edits that do not overlap, in ascending order. */
const cases = fc
  .tuple(fc.string({ maxLength: 40 }), fc.array(fc.tuple(fc.nat(6), fc.nat(3), fc.string())))
  .chain(([text, steps]) => {
    let at = 0
    const edits: Edit[] = []
    for (const [gap, length, added] of steps) {
      const offset = at + gap
      if (offset + length > text.length) break
      edits.push({ offset, length, text: added })
      at = offset + length
    }
    return fc.record({ text: fc.constant(text), edits: fc.constant(edits) })
  })

describe('splice', () => {
  it('is reverted by the spans that it reports', () => {
    fc.assert(
      fc.property(cases, ({ text, edits }) => {
        const result = splice(text, edits)
        expect(unsplice(result.text, result.spans)).toBe(text)
        for (const [index, span] of result.spans.entries()) {
          const added = result.text.slice(span.offset, span.offset + span.length)
          expect(added).toBe(edits[index]?.text)
        }
      }),
    )
  })

  it('does not depend on the order of edits at different offsets', () => {
    const edits = [
      { offset: 3, length: 1, text: 'X' },
      { offset: 0, length: 0, text: '>' },
    ]
    expect(splice('abcd', edits).text).toBe('>abcX')
    expect(splice('abcd', edits.toReversed())).toEqual(splice('abcd', edits))
  })

  it('keeps the order of insertions at the same offset', () => {
    const edits = [',', 'b'].map((text) => ({ offset: 1, length: 0, text }))
    expect(splice('a', edits).text).toBe('a,b')
  })
})
