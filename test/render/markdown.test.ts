import fc from 'fast-check'
import { lexer } from 'marked'
import { describe, expect, it } from 'vitest'
import { notifiers } from '../../src/notifiers/index.ts'
import { fromMarkdown, mayHaveMarkdown, plain } from '../../src/render/markdown.ts'

const slack = notifiers.slack.markup ?? expect.fail('no markup')
const html = notifiers.email.markup ?? expect.fail('no markup')
const discord = notifiers.discord.markup ?? expect.fail('no markup')
const telegram = notifiers.telegram.markup ?? expect.fail('no markup')

function show(text: string, secrets: string[] = []) {
  const formatted = fromMarkdown(text, lexer, secrets)
  return {
    plain: formatted.in(plain),
    slack: formatted.in(slack).replaceAll('\u200b', ''),
    html: formatted.in(html).replace(/ style="[^"]*"/g, ''),
  }
}

describe("an agent's Markdown", () => {
  it.each([
    [
      'bold',
      'now **all** green',
      'now all green',
      'now *all* green',
      '<p>now <b>all</b> green</p>',
    ],
    ['italic', 'it *may* work', 'it may work', 'it _may_ work', '<p>it <i>may</i> work</p>'],
    ['code', 'run `a<b`', 'run a<b', 'run `a&lt;b`', '<p>run <code>a&lt;b</code></p>'],
    [
      'a heading',
      '## **All** done\nfine',
      'All done\n\nfine',
      '*All done*\n\nfine',
      '<p><b>All done</b></p>\n\n<p>fine</p>',
    ],
    [
      'a list',
      '- one\n- two\n  1. deep',
      '• one\n• two\n  1. deep',
      '• one\n• two\n  1. deep',
      '<ul><li>one</li><li>two\n<ol start="1"><li>deep</li></ol></li></ul>',
    ],
    [
      'numbers',
      '3. c\n4. d',
      '3. c\n4. d',
      '3. c\n4. d',
      '<ol start="3"><li>c</li><li>d</li></ol>',
    ],
    [
      'numbers from zero',
      '0. a\n1. b',
      '0. a\n1. b',
      '0. a\n1. b',
      '<ol start="0"><li>a</li><li>b</li></ol>',
    ],
    ['a heading with code', '# run `x`', 'run x', '*run `x`*', '<p><b>run <code>x</code></b></p>'],
    [
      'tasks',
      '- [x] a\n- [ ] b',
      '• ☑ a\n• ☐ b',
      '• ☑ a\n• ☐ b',
      '<ul><li>☑ a</li><li>☐ b</li></ul>',
    ],
    [
      'a block of code',
      '```sh\nnpm t && x\n```',
      'npm t && x',
      '```\nnpm t &amp;&amp; x\n```',
      '<pre>npm t &amp;&amp; x</pre>',
    ],
    [
      'code with marks in it',
      '``a`b``\n~~~\nc ``` d\n~~~',
      'a`b\n\nc ``` d',
      "`a'b`\n\n```\nc ''' d\n```",
      '<p><code>a`b</code></p>\n\n<pre>c ``` d</pre>',
    ],
    ['a quote', '> said', '> said', '> said', '<blockquote><p>said</p></blockquote>'],
    [
      'a table',
      '| a | bb |\n|---|---|\n| 123 | 4 |',
      'a    bb\n123  4',
      '```\na    bb\n123  4\n```',
      '<pre>a    bb\n123  4</pre>',
    ],
    [
      'a table with wide characters',
      '| 名前 | b |\n|---|---|\n| abcde | 👍 ok |\n| é | 3 |',
      '名前   b\nabcde  👍 ok\né      3',
      '```\n名前   b\nabcde  👍 ok\né      3\n```',
      '<pre>名前   b\nabcde  👍 ok\né      3</pre>',
    ],
    ['lines', 'one\ntwo', 'one\ntwo', 'one\ntwo', '<p>one<br>\ntwo</p>'],
    ['escapes', 'a \\*b\\*', 'a *b*', 'a *b*', '<p>a *b*</p>'],
  ])('is converted to each format: %s', (_, text, ...shown) => {
    const { plain, slack, html } = show(text)
    expect([plain, slack, html]).toEqual(shown)
  })

  it.each([
    ['[the bank](https://evil.test/a_b_c)', 'the bank (https://evil.test/a_b_c)'],
    ['[https://good.test](https://evil.test)', 'https://good.test (https://evil.test)'],
    ['https://plain.test/x', 'https://plain.test/x'],
    ['<https://auto.test>', 'https://auto.test'],
    ['![chart](https://evil.test/pixel.png)', 'chart (https://evil.test/pixel.png)'],
    ['[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['me@example.test', 'me@example.test'],
    ['<me@example.test>', 'me@example.test'],
    ['www.plain.test', 'www.plain.test'],
    ['[](https://evil.test)', 'https://evil.test'],
  ])('shows the target of %s without an active link', (text, words) => {
    const shown = show(text)
    expect(shown.plain).toBe(words)
    expect(shown.slack.replaceAll('`', '')).toBe(words)
    expect(shown.html).toBe(`<p>${words}</p>`)
  })

  it('is rendered for chats', () => {
    const text =
      '# Done\n\n**All** of *it*, ~~not~~ `x`:\n\n- one\n- two\n\n> a\n> b\n\n```sh\nnpm t\n```\n\nSee [docs](https://x.test) and me@x.test.'
    const formatted = fromMarkdown(text, lexer, [])
    expect(formatted.in(discord)).toMatchInlineSnapshot(`
      "**Done**

      **All** of *it*, ~~not~~ \`x\`:

      • one
      • two

      > a
      > b

      \`\`\`
      npm t
      \`\`\`

      See docs (\`https://x.test\`) and \`me@x.test\`."
    `)
    expect(formatted.in(telegram).replaceAll('\u2060', '')).toMatchInlineSnapshot(`
      "<b>Done</b>

      <b>All</b> of <i>it</i>, <s>not</s> <code>x</code>:

      • one
      • two

      <blockquote>a
      b</blockquote>

      <pre>npm t</pre>

      See docs (<code>https://x.test</code>) and <code>me@x.test</code>."
    `)
  })

  it('shows HTML and mentions as plain text', () => {
    const text = '<script>alert(1)</script>\n\nhi <!channel> <@U1> <b>x</b> <http://evil.test|bank>'
    const shown = show(text)
    expect(shown.slack).not.toMatch(/[<>]/)
    expect(shown.html).not.toMatch(/<(?!\/?p>)/)
    expect(shown.html).toContain('&lt;script&gt;')
    expect(shown.plain).toContain('<!channel>')
    const unread = fromMarkdown(text, undefined, [])
    expect(unread.in(slack)).not.toMatch(/[<>]/)
    expect(unread.in(plain)).toBe(text)
    const redacted = show('hi <!channel> `pass`word=hunter22')
    expect(redacted.slack).toBe('hi &lt;!channel&gt; password=[redacted]')
  })

  it('never produces active markup from any text', () => {
    const piece = fc.constantFrom(
      ...[
        '<!channel>',
        '<@U1>',
        '<http://e.test|x>',
        '<b>',
        '&amp;',
        '`',
        '```\n',
        '**',
        '_',
        '~~',
      ],
      ...[
        '[a](',
        ')',
        '](<x>)',
        '![',
        '\n',
        '\n\n',
        '> ',
        '- ',
        '1. ',
        '# ',
        '|',
        '|-|-|\n',
        '\\',
        ' ',
        'a',
      ],
    )
    const texts = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const shown = fromMarkdown(text, lexer, [])
        expect(shown.in(slack).replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[<&]/)
        expect(
          shown
            .in(html)
            .replace(
              /<\/?(p|b|i|s|code|pre|blockquote|ul|ol|li|br)( (style|start)="[^"]*")?>/g,
              '',
            ),
        ).not.toMatch(/[<>]/)
        const elements = /<\/?(b|i|s|code|pre|blockquote)>/g
        expect(shown.in(telegram).replace(elements, '')).not.toMatch(/[<>]/)
        const escapedOrCode = /\\.|(`+)[\s\S]*?[^`]\1(?!`)/g
        expect(shown.in(discord).replace(escapedOrCode, '')).not.toMatch(/[<[\]@]|:\/\//)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['of a known kind', 'ghp_0123456789abcdefghijABCDEFGHIJ012345', []],
    ['from the configuration', 'correct-horse', ['correct-horse']],
  ])('redacts a key that Markdown characters split in two: %s', (_, key, secrets) => {
    for (const mark of ['**', '`', '~~']) {
      const shown = show(`key: ${mark}${key.slice(0, 3)}${mark}${key.slice(3)}.`, secrets)
      for (const text of Object.values(shown)) expect(text).toContain('key: [redacted].')
    }
  })

  it.each([
    ['quotes', '>'.repeat(5000)],
    ['lists', '- '.repeat(2000)],
    ['brackets', '['.repeat(5000)],
    ['stars', '*a '.repeat(2000)],
  ])('is shown even if it is nested thousands of levels deep: %s', (_, text) => {
    expect(show(text).plain.length).toBeGreaterThan(0)
  })

  it.each([
    ['All tests pass. Nothing (really) left; 3 files, a-b.', false],
    ['one\ntwo', false],
    ['see https://x.test', true],
    ['`x`', true],
    ['a\n- b', true],
    ['1. b', true],
    ['', false],
  ])('is detected or ruled out before its parser is loaded: %j', (text, expected) => {
    expect(mayHaveMarkdown([text])).toBe(expected)
  })
})
