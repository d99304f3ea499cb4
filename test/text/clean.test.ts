import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText, cutText, oneLine } from '../../src/text/clean.ts'

const graphemesOf = (text: string) =>
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map((one) => one.segment)

describe('text', () => {
  it('is truncated between graphemes, with an ellipsis', () => {
    expect(cutText('short', 5)).toBe('short')
    expect(cutText('too long', 5)).toBe('too…')
    expect(cutText('ab👩‍👩‍👧cd', 6)).toBe('ab…')
  })

  it('is truncated within a grapheme if that grapheme alone is too long', () => {
    expect(cutText(`a${'\u0301'.repeat(100)}`, 10)).toHaveLength(10)
    expect(cutText('👩‍👩‍👧‍👧', 3)).toBe('👩…')
  })

  it('is never truncated within a grapheme, and never longer than the limit', () => {
    const piece = fc.constantFrom('a', ' ', 'é', '👍🏽', '👩‍👩‍👧', '🇩🇪', 'ไ', '\n', '\ud800')
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.integer({ min: 16, max: 40 }),
        (pieces, max) => {
          const text = pieces.join('')
          const cut = cutText(text, max)
          expect(cut.length).toBeLessThanOrEqual(max)
          if (cut === text) return
          const start = graphemesOf(text).slice(0, graphemesOf(cut.slice(0, -1)).length)
          expect(start.join('').trimEnd()).toBe(cut.slice(0, -1))
        },
      ),
    )
  })

  it('is well-formed and without control characters after cleaning', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(cleanText(text)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
        )
        expect(cleanText(text).isWellFormed()).toBe(true)
        expect(oneLine(text)).not.toMatch(/[\r\n\t\u2028\u2029]/)
        expect(cleanText(cleanText(text))).toBe(cleanText(text))
      }),
    )
  })

  it('loses control and override characters, but keeps its line breaks', () => {
    expect(cleanText('a\u001b]0;x\u0007\r\nb\rc\u202ed')).toBe('a]0;x\nb\ncd')
  })
})
