import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullyRead } from '../../../src/text/redact/readings.ts'
import { redact } from '../../../src/text/redact/redact.ts'
import { mayMatch, type Shape, searchable } from '../../../src/text/redact/secret-shape.ts'
import { groups } from '../../../src/text/redact/secret-shapes.ts'
import { encode, nested } from '../../support/encoders.ts'
import { marked } from '../../support/marked.ts'
import { runs } from '../../support/runs.ts'

/**
 * Checks which lines lose their secrets.
 * @param secret lines with marked secrets
 * @param harmless lines that stay as they are
 */
export function testRedaction(
  where: string,
  { secret, harmless }: { secret: readonly string[]; harmless: readonly string[] },
) {
  describe(`secrets in ${where}`, () => {
    it.each(secret)('are removed from %j', (line) => {
      const { text, shown } = marked(line)
      expect(redact(text)).toBe(shown)
      expect(redact(shown)).toBe(shown)
    })

    it.each(secret)('are searched for with any space between the words of %j', (line) => {
      for (const space of [' ', '  ', '\t', ' \\\n  ']) {
        expectWords(marked(line).text.replaceAll(' ', space))
      }
    })

    it('are removed however the text around them was encoded', () => {
      fc.assert(
        fc.property(fc.constantFrom(...secret), nested, (line, used) => {
          const { text, shown, parts } = marked(line)
          const clean = redact(encode(text, used))
          const [left, wanted] = [fullyRead(clean), fullyRead(shown)]
          for (const part of parts.map(fullyRead)) {
            expect(left.split(part).length).toBeLessThanOrEqual(wanted.split(part).length)
          }
          expect(redact(clean)).toBe(clean)
        }),
        { numRuns: runs(2000) },
      )
    })

    it.each(harmless)('are not found in %j', (text) => {
      expect(redact(text)).toBe(text)
    })
  })
}

/** Whether a shape matches a text, without the check of the words and the gate that precedes a search. */
export function isFound(text: string, { scope, pattern }: Shape): boolean {
  const parts: readonly string[] = scope ? (text.match(scope) ?? []) : [text]
  return parts.some((part) => new RegExp(pattern).test(part))
}

/** Expects that no shape that matches the text is skipped because of the words or the gate of its group. */
export function expectWords(text: string): void {
  const searched = searchable(text)
  for (const group of groups) {
    for (const shape of group.shapes.filter((one) => isFound(text, one))) {
      const passed = [mayMatch(group, searched), group.gate?.(text), mayMatch(shape, searched)]
      expect([text, shape.pattern.source, ...passed]).not.toContain(false)
    }
  }
}
