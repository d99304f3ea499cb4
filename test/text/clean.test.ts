import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cleanText,
  cutMiddle,
  cutText,
  escapeControls,
  oneLine,
  showPath,
  splitWords,
  startOf,
} from '../../src/text/clean.ts'
import { anyCharacter } from '../support/any-character.ts'

/** All characters from `first` to `last`. */
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at))

/** The characters that control a terminal. Without line end, tab and carriage return, which a text may contain. */
const controls = [...range(0, 8), '\v', '\f', ...range(0x0e, 0x1f), ...range(0x7f, 0x9f)]
const directions = [
  '\u061c',
  '\u200e',
  '\u200f',
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
]

const graphemesOf = (text: string) =>
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map((one) => one.segment)

describe('text', () => {
  it('is truncated between graphemes, with an ellipsis', () => {
    expect(cutText('short', 5)).toBe('short')
    expect(cutText('too long', 5)).toBe('too…')
    expect(cutText('ab👩‍👩‍👧cd', 6)).toBe('ab…')
    for (const none of [0, -1, -500]) expect(cutText('too long', none)).toBe('')
  })

  it('is truncated within a grapheme if that grapheme alone is too long', () => {
    expect(cutText(`a${'\u0301'.repeat(100)}`, 10)).toHaveLength(10)
    expect(cutText('👩‍👩‍👧‍👧', 3)).toBe('👩…')
    expect(cutText('👩‍👩‍👧‍👧', 2)).toBe('…')
    expect(cutText('👩‍👩‍👧‍👧', 5)).toBe('👩\u200d…')
  })

  it('is shortened to its start up to the end of a word, because half a secret is none', () => {
    expect(startOf('two words', 9)).toBe('two words')
    for (const max of [3, 4, 8]) expect(startOf('two words', max)).toBe('two')
    expect(startOf('oneword', 3)).toBe('one')
    expect(startOf(`ab${'\ud83d\ude00'}`, 3).isWellFormed()).toBe(true)
    const text = 'word '.repeat(10)
    for (let max = 5; max < 50; max += 1) {
      expect(startOf(text, max).length).toBeLessThanOrEqual(max)
      expect(startOf(text, max)).toMatch(/^(?:word )*word$/)
    }
  })

  it('loses terminal colors, but shows whatever else follows an escape character', () => {
    expect(cleanText('\x1b[1;31mError:\x1b[0m no\x1b[m route')).toBe('Error: no route')
    // As `grep --color` writes them.
    expect(cleanText('a=\x1b[01;31m\x1b[Kgh\x1b[m\x1b[Kp\x1b[0K_')).toBe('a=ghp_')
    expect(cleanText('rm -rf /\x1b[1K \x1b[2Kls')).toBe('rm -rf /[1K [2Kls')
    expect(cleanText('\x1b]8;;rm -rf /\x07 \x1b[')).toBe(']8;;rm -rf / [')
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

  it('is truncated in the middle only between graphemes', () => {
    expect(cutMiddle('api-server-of-the-shop', 10)).toBe('api-…-shop')
    expect(cutMiddle('api-server', 10)).toBe('api-server')
    const piece = fc.constantFrom('a', ' ', 'é', '👍🏽', '👩‍👩‍👧', '🇩🇪', 'ไ')
    fc.assert(
      fc.property(fc.array(piece, { minLength: 41, maxLength: 60 }), (pieces) => {
        const [start = '', end = ''] = cutMiddle(pieces.join(''), 40).split('…')
        expect(start.length + 1 + end.length).toBeLessThanOrEqual(40)
        expect(pieces.join('').startsWith(start)).toBe(true)
        expect(pieces.join('').endsWith(end)).toBe(true)
        const kept = [...graphemesOf(start), ...graphemesOf(end)]
        expect(kept.every((one) => graphemesOf(pieces.join('')).includes(one))).toBe(true)
      }),
    )
  })

  it('is well-formed and without control characters after cleaning', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
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

  it('loses every character that controls a terminal or changes the direction of text', () => {
    for (const character of [...controls, ...directions])
      expect([character, cleanText(`a${character}b`)]).toEqual([character, 'ab'])
    expect(cleanText('half \ud800 pair')).toBe('half \ufffd pair')
    expect(cleanText('a\tb \u200d\u200c')).toBe('a\tb \u200d\u200c')
  })

  it.each([' padded ', 'two  spaces', '\ttab\r\nline', 'a\u001b b'])('is one line: %j', (text) => {
    expect(oneLine(text)).toMatch(/^[a-z]+( [a-z]+)*$/)
  })

  it('keeps a token whole when it is truncated, or leaves it out', () => {
    const link = /<[^>]*>/g
    expect(cutText('see <a link> there', 12, link)).toBe('see…')
    expect(cutText('see <a link> there', 13, link)).toBe('see <a link>…')
    expect(cutText('so much text <a link>', 8, link)).toBe('so much…')
    expect(cutText('see <a link> there', 13)).toBe('see <a link>…')
    expect(cutText('see <a link> there', 12)).toBe('see <a link…')
  })
})

describe('text with its control characters shown', () => {
  it('has an escape for each character that controls a terminal or is invisible', () => {
    const hidden = ['\u200b', '\u2028', '\u2029', ...range(0x2060, 0x2065)]
    for (const character of [...controls, '\r', ...directions, ...hidden]) {
      const text = `a${character}b${character}`
      const shown = escapeControls(text)
      expect(shown).toMatch(/^a(\\u[0-9a-f]{4})b\1$/)
      expect(JSON.parse(`"${shown}"`)).toBe(text)
    }
  })

  it('keeps line ends and tabs, but not in a path', () => {
    const text = 'a\tb\nc\r\nd'
    expect(escapeControls(text)).toBe(text)
    expect(showPath(text)).toBe('a\tb\\nc\\r\\nd')
    expect(showPath('a\rb')).toBe('a\\u000db')
  })
})

it('splits a name into words', () => {
  expect(splitWords('CommaExpected')).toBe('comma expected')
  expect(splitWords('InvalidBOM')).toBe('invalid bom')
})
