import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitRows, rowsOf } from '../../../src/notifiers/desktop/fit-rows.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'

const digits = '0123456789'.repeat(30)

const allRowsOf = (text: string) => text.split('\n').reduce((sum, line) => sum + rowsOf(line), 0)

describe('notifiers: desktop: rows of a notification', () => {
  it.each([
    ['an empty text', '', ''],
    ['five lines', 'a\nb\nc\nd\ne', 'a\nb\nc\nd\ne'],
    ['one line of five rows', digits.slice(0, 250), digits.slice(0, 250)],
    ['six lines', 'a\nb\nc\nd\ne\nf', 'a\nb\nc …\ne\nf'],
    ['empty lines at the gap', 'a\nb\n\nd\ne\n\ng', 'a\nb …\n\ng'],
    ['one long line', digits, `${digits.slice(0, 148)}…${digits.slice(200)}`],
    [
      'a long line, then a short one',
      `${digits}\nend`,
      `${digits.slice(0, 148)}…${digits.slice(250)}\nend`,
    ],
    [
      'a short line, then a long one',
      `a\n${digits}`,
      `a\n${digits.slice(0, 98)}…${digits.slice(200)}`,
    ],
    [
      'characters that take two columns',
      `a\n${'漢'.repeat(150)}`,
      `a\n${'漢'.repeat(49)}…${'漢'.repeat(50)}`,
    ],
  ])('a text is fitted into five rows: %s', (_, text, expected) => {
    expect(fitRows(text, 5)).toBe(expected)
  })

  it('two rows show the start and the end of a longer text', () => {
    expect(fitRows(digits, 2)).toBe(`${digits.slice(0, 48)}…${digits.slice(250)}`)
  })

  it('any text keeps its start and its end, and a gap is marked', () => {
    const texts = fc.array(fc.string({ unit: anyCharacter, maxLength: 200 }), { maxLength: 20 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 12 }), (lines, rows) => {
        const text = lines.join('\n')
        const fitted = fitRows(text, rows)
        if (fitted === text) return
        const gaps = [...fitted.matchAll(/ …\n|…/g)]
        const isGap = ({ index, 0: gap }: RegExpExecArray) =>
          text.startsWith(fitted.slice(0, index)) && text.endsWith(fitted.slice(index + gap.length))
        expect(gaps.some(isGap)).toBe(true)
        expect(allRowsOf(fitted)).toBeLessThanOrEqual(rows)
        expect(fitRows(fitted, rows)).toBe(fitted)
      }),
      { numRuns: runs(300) },
    )
  })
})
