import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullyRead, readingsOf } from '../../../src/text/redact/readings.ts'
import { encode, nested } from '../../support/encoders.ts'
import { runs } from '../../support/runs.ts'

describe('a text with escapes', () => {
  it.each([
    [String.raw`https:\/\/a.example\/b`, 'https://a.example/b'],
    [String.raw`a\\\/b and \\\\\\\/c`, 'a/b and /c'],
    [String.raw`\u002f \u002F \x2f \u{2f} \057`, '/ / / / /'],
    [String.raw`a\nb\tc\"d\"`, 'a\nb c"d"'],
    [String.raw`\ud83d\ude00 and \u{1f600}`, '😀 and 😀'],
    [String.raw`ghp\_abc\-d \& \% \d \w C:\Users\me`, String.raw`ghp_abc-d & % \d \w C:\Users\me`],
    ['&amp; &lt;a&gt; &quot;b&quot; &#47; &#x2F; &sol; &commat;', '& <a> "b" / / / @'],
    ['&amp;amp;#x2f; &unknown; &copy; a&b; &#xffffff;', '/ &unknown; &copy; a&b; &#xffffff;'],
    ['a%2Fb%3fc%252Fd %25252f %u002f', 'a/b?c/d / /'],
    ['%D0%BF%D0%B0%D1%80%D0%BE%D0%BB%D1%8C %F0%9F%98%80', 'пароль 😀'],
    ['100% of 5%, %FF %zz %C3', '100% of 5%, %FF %zz %C3'],
    ['pass%5Cu0077ord and %26%23x2F%3B', 'password and /'],
    ['ghp_a\\u200bb&#8203;c&shy;d%E2%80%8B', 'ghp_abcd'],
    ['red: \\u001b[1;31mghp_a\\u001b[0m [32mok', 'red: ghp_a ok'],
    ['dXNlcjpwYXNzd29yZA== and AG1lAGh1bnRlcjI=', 'user:password and \0me\0hunter2'],
    ['0x70617373776f72643d68 706173730a776f72643d68', 'password=h pass\nword=h'],
  ])('%j is read as %j', (text, read) => {
    expect(fullyRead(text)).toBe(read)
  })

  it.each([
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    '/usr/lib/node_modules/Electron/Internationalization/BackgroundService.js',
    'https://example.com/Documentation/AuthenticationService?page=2&sort=name',
    'const isAuthenticated = (a && b) || c; x = y&z; 5 & 6; a%b; printf("%d %s %5.2f")',
  ])('%j has nothing to resolve but backslashes', (text) => {
    expect(fullyRead(text)).toBe(text.replaceAll('\\', ''))
  })

  it('is read like the text that was encoded, by whatever and how often it was', () => {
    fc.assert(
      fc.property(fc.string(), nested, (text, used) => {
        expect(fullyRead(encode(text, used))).toBe(fullyRead(text))
      }),
      { numRuns: runs(5000) },
    )
  })

  it('keeps the place of each character, with the whole of its escapes', () => {
    fc.assert(
      fc.property(fc.string(), nested, (text, used) => {
        const written = encode(text, used)
        for (const reading of readingsOf(written)) {
          let before = 0
          for (let at = 0; at < reading.text.length; at += 1) {
            const [start, end] = reading.placeOf(at, at + 1)
            expect(start).toBeGreaterThanOrEqual(before)
            expect(end).toBeGreaterThan(start)
            before = start
          }
          const { length } = reading.text
          if (length > 0) expect(reading.placeOf(0, length)[1]).toBeLessThanOrEqual(written.length)
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  it.each([
    ...['\\', '%25', '&amp;', '%5C', '&#92;', String.raw`\u005c`, '%2525', '&amp;amp;#37;', '[1m'],
    ...['a', 'dXNl', 'ZFhObA==', '7a', '37613761', '%', '&', '&#', 'A\n', '%E2%80%8B', '%D0'],
  ])('is read a few times at most, whatever its length: %j', (piece) => {
    for (const length of [100, 10_000]) {
      const text = `${piece.repeat(length)}002f`
      const readings = readingsOf(text)
      expect(readings.length).toBeLessThan(10)
      for (const reading of readings) expect(reading.text.length).toBeLessThanOrEqual(text.length)
    }
  })
})
