import fc from 'fast-check'
import { expect, it } from 'vitest'
import { blocksOf, inOrder } from '../../src/event/answer-blocks.ts'

const passage = fc.record({ words: fc.integer({ min: 1, max: 30 }), hasCode: fc.boolean() })

it('an answer that is too long loses its middle, and no code stands without its sentence', () => {
  fc.assert(
    fc.property(
      fc.array(passage, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 60, max: 600 }),
      (passages, max) => {
        const texts = passages.map(
          ({ words }, at) => `Number ${at} ${'is so '.repeat(words)}${at}.`,
        )
        const codes = passages.map(({ hasCode }, at) =>
          hasCode ? `\`\`\`\ncode ${at}\n\`\`\`` : '',
        )
        const answer = texts.map((text, at) => `${text}\n\n${codes[at]}`).join('\n\n')
        const shown = inOrder(blocksOf(answer), max)
        expect(shown.length).toBeLessThanOrEqual(max)
        expect(shown).toMatch(/^Number 0 /)
        expect(shown).toMatch(new RegExp(` ${texts.length - 1}\\.($|\n\n(\`\`\`|…))`))
        const marks = [...shown.matchAll(/(Number|code) (\d+)/g)]
        const places = marks.map(([, , at]) => Number(at))
        expect(places).toEqual([...places].sort((a, b) => a - b))
        for (const [index, [, what, at]] of marks.entries())
          if (what === 'code') expect(marks[index - 1]?.slice(1)).toEqual(['Number', at])
      },
    ),
  )
})
