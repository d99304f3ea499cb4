import { describe, expect, it } from 'vitest'
import { redact } from '../../src/text/redact.ts'
import { marked } from '../support/marked.ts'

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

    it.each(harmless)('are not seen in %j', (text) => {
      expect(redact(text)).toBe(text)
    })
  })
}
