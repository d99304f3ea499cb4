import { describe, expect, it } from 'vitest'
import { table } from '../../src/cli/output.ts'
import { displayWidth } from '../../src/text/width.ts'

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['größer…', 7],
    ['cafe\u0301', 4],
    ['日本語', 6],
    ['한국어', 6],
    ['，。', 4],
    ['🙂 ok', 5],
    ['▁▂█', 3],
    ['\u001b[31mred\u001b[39m', 3],
  ])('of %j is %d', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })

  it('keeps the columns of a table aligned', () => {
    const rows = [
      ['日本語', 'a'],
      ['abc', 'b'],
    ]
    expect(table(rows)).toBe('日本語  a\nabc     b')
  })
})
