import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fill } from '../../src/render/templates.ts'

const unescaped = {
  plain: (text: string) => text,
  slack: (text: string) =>
    text
      .replace(/\u200b([*_~`])\u200b/g, '$1')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  html: (text: string) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
}
const formats = ['plain', 'slack', 'html'] as const

describe('a template', () => {
  it.each(formats)('escapes values so that they are displayed unchanged (%s)', (format) => {
    const character = fc.constantFrom(...'&<>"\'*_~`{}%|a \n😀;#39amplt')
    fc.assert(
      fc.property(fc.string({ unit: character }), (text) => {
        expect(unescaped[format](fill(format, '{{ message }}', { message: text }))).toBe(text)
      }),
    )
  })

  it.each(['{{ message }}', '{{ message | raw }}', '{{ message | append: "" }}'])(
    'prints no active markup from an event: %s',
    (template) => {
      const values = { message: '<!channel> <https://evil.example|bank> *bold* <img src=x>' }
      expect(fill('slack', template, values)).not.toMatch(/[<>]|(?<!\u200b)\*/)
      expect(fill('html', template, values)).not.toMatch(/[<>]/)
    },
  )

  it('does not evaluate template code in an event', () => {
    const message = '{{ project }}{% assign x = 1 %}'
    expect(fill('plain', '{{ message }}', { message, project: 'p' })).toBe(message)
  })

  it.each([
    '{{ constructor }}',
    '{{ constructor.constructor }}',
    '{{ message.constructor.constructor }}',
    '{{ message.__proto__ }}',
    '{{ __proto__.polluted }}',
    '{{ message.toString }}',
    '{{ message["constructor"]["prototype"] }}',
    '{{ process.env.HOME }}',
    '{{ globalThis }}',
    '{{ require }}',
    '{{ this }}',
  ])('resolves %s to nothing', (template) => {
    expect(fill('plain', template, { message: 'm' })).toBe('')
  })

  it.each([
    "{% include 'package.json' %}",
    "{% render '/etc/passwd' %}",
    "{% layout '../x' %}",
    '{% include message %}',
    '{{ message | unknown_filter }}',
    '{% unknown_tag %}',
    '{{ message',
    '{% for i in (1..100000000) %}{{ i }}{% endfor %}',
    '{% assign x = "0123456789" %}{% for i in (1..24) %}{% assign x = x | append: x %}{% endfor %}',
  ])('is rejected: %s', (template) => {
    expect(() => fill('plain', template, { message: 'm' })).toThrow()
  })

  it('cannot reach values outside of the event with any path', () => {
    const word = fc.constantFrom(
      ...[
        'constructor',
        '__proto__',
        'prototype',
        'message',
        'env',
        'toString',
        'valueOf',
        'size',
        'call',
      ],
    )
    const path = fc.array(word, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(path, fc.boolean(), (words, isDotted) => {
        const expression = isDotted
          ? words.join('.')
          : words[0] +
            words
              .slice(1)
              .map((one) => `["${one}"]`)
              .join('')
        const text = fill('plain', `{{ ${expression} }}`, { message: 'CANARY' })
        expect(text).toMatch(/^(CANARY|\d?)$/)
      }),
    )
  })
})
