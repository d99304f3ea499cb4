import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullyRead } from '../../../src/text/redact/readings.ts'
import { redact } from '../../../src/text/redact/redact.ts'
import { encode, nested } from '../../support/encoders.ts'
import { marked } from '../../support/marked.ts'
import { runs } from '../../support/runs.ts'

/**
 * Checks which parts of lines are redacted.
 * @param secret lines with marked secrets
 * @param harmless lines that stay as they are
 */
export function testRedaction(
  where: string,
  { secret, harmless }: { secret: readonly string[]; harmless: readonly string[] },
) {
  describe(`secrets in ${where}`, () => {
    it('are removed, and nothing else', () => {
      const lines = secret.map(marked)
      expect(lines.map(({ text }) => redact(text))).toEqual(lines.map(({ shown }) => shown))
      expect(lines.map(({ shown }) => redact(shown))).toEqual(lines.map(({ shown }) => shown))
    })

    it('are not seen in a text that looks similar', () => {
      expect(harmless.map((text) => redact(text))).toEqual(harmless)
    })

    it('are told from such a text however both were encoded', () => {
      const both = fc.constantFrom(...secret, ...harmless)
      fc.assert(
        fc.property(both, nested, (line, used) => {
          const { text, shown, parts } = marked(line)
          const encoded = encode(text, used)
          const clean = redact(encoded)
          if (parts.length === 0) expect(clean).toBe(encoded)
          // Of base64 and hexadecimal all goes in which a secret is.
          else if (used.some((name) => /^(?:base64|hexadecimal)/.test(name)))
            expect(hidden(line).filter((part) => fullyRead(clean).includes(part))).toEqual([])
          else expect(fullyRead(clean)).toBe(fullyRead(shown))
          expect(redact(clean)).toBe(clean)
        }),
        { numRuns: runs(3000) },
      )
    })

    it('are told from such a text with any space between the words', () => {
      const both = fc.constantFrom(...secret, ...harmless)
      const spaces = fc.array(fc.constantFrom(' ', '  ', '\t', ' \\\n  '), { minLength: 1 })
      fc.assert(
        fc.property(both, spaces, (line, used) => {
          let index = 0
          const spaced = line.replaceAll(' ', () => used[index++ % used.length] ?? ' ')
          const { text, shown } = marked(spaced)
          expect(fullyRead(redact(text))).toBe(fullyRead(shown))
        }),
        { numRuns: runs(2000) },
      )
    })
  })
}

/** The secrets of a line that do not stand beside them as well, as in `password: password`. */
function hidden(line: string): string[] {
  const { shown, parts } = marked(line)
  return parts.map(fullyRead).filter((part) => part.length > 4 && !fullyRead(shown).includes(part))
}
