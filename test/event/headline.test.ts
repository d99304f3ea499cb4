import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headline } from '../../src/event/headline.ts'
import { anyCharacter } from '../support/any-character.ts'

describe('the headline of an answer', () => {
  it.each([
    [
      'the question at its end',
      'I looked at the tests.\n\nTwo of them fail since March.\n\nShould I delete them?',
      'Should I delete them?',
    ],
    [
      'a question with the choices below it',
      'Both work.\n\nWhich one do you want?\n\n1. SQLite\n2. PostgreSQL',
      'Which one do you want?\n1. SQLite\n2. PostgreSQL',
    ],
    [
      'a question in the introduction of a list',
      'Which one do you want?\n- SQLite\n- PostgreSQL',
      'Which one do you want?\n- SQLite\n- PostgreSQL',
    ],
    [
      'a question with a table of the choices below it',
      'Both work.\n\nWhich one do you want?\n\n| name | size |\n|---|---|\n| SQLite | 1 MB |',
      'Which one do you want?\n\n| name | size |\n|---|---|\n| SQLite | 1 MB |',
    ],
    [
      'a question with the choices above it',
      'I tried both:\n\n1. SQLite\n\n2. PostgreSQL\n\nWhich one do you want?',
      'Which one do you want?\n1. SQLite\n\n2. PostgreSQL',
    ],
    [
      'a question with the choices below it, each on a line that begins with the same word',
      'Both work.\n\nWhich way?\n\nOption A: rebase\nOption B: merge',
      'Which way?\n\nOption A: rebase\nOption B: merge',
    ],
    [
      'a question in German with such choices above it',
      'Beides geht.\n\n**Variante 1:** Rebase\n**Variante 2:** Merge\n\nWelche?',
      'Welche?\n\n**Variante 1:** Rebase\n**Variante 2:** Merge',
    ],
    [
      'a question about something else than the list above it',
      'I changed:\n\n- a.ts\n- b.ts\n\nShould I commit?',
      'Should I commit?',
    ],
    [
      'a question, but not a list that belongs to its last choice only',
      '**Redis**\n\n- fast\n\n**Postgres**\n\n- slow\n\nWhich one do you want?',
      'Which one do you want?',
    ],
    [
      'a question, but not its choices if code divides them',
      '1. Rewrite\n\n```\nx\n```\n\n2. Patch\n\nWhich one do you want?',
      'Which one do you want?',
    ],
    [
      'a question with the choices above it and not the list of changes',
      'I changed:\n\n- a\n\nThere are two options:\n\n- SQLite\n- PostgreSQL\n\nWhich one do you want?',
      'Which one do you want?\n- SQLite\n- PostgreSQL',
    ],
    [
      'a question in German that names the numbers of the list above it',
      'Beides geht:\n\n1. SQLite\n2. PostgreSQL\n\nSoll ich 1 oder 2 nehmen?',
      'Soll ich 1 oder 2 nehmen?\n1. SQLite\n2. PostgreSQL',
    ],
    [
      'a question in Chinese that names the numbers of the list above it',
      '都可以：\n\n1、SQLite\n2、PostgreSQL\n\n选择1还是2？',
      '选择1还是2？\n1、SQLite\n2、PostgreSQL',
    ],
    [
      'a question below a list with letters',
      'Les deux sont possibles.\n\nA) SQLite\nB) PostgreSQL\n\nTu veux quoi ?',
      'Tu veux quoi ?\nA) SQLite\nB) PostgreSQL',
    ],
    [
      'a question below a list whose items have the same name and a letter',
      'Zwei Wege:\n\n- **Variante A**: SQLite\n- **Variante B**: PostgreSQL\n\nWas meinst du?',
      'Was meinst du?\n- **Variante A**: SQLite\n- **Variante B**: PostgreSQL',
    ],
    [
      'a question in Japanese below named items',
      '二つあります。\n\n- 案1：SQLite\n- 案2：PostgreSQL\n\nどうしますか？',
      'どうしますか？\n- 案1：SQLite\n- 案2：PostgreSQL',
    ],
    [
      'a question in another language about something else than the list above it',
      'Geändert:\n\n1. a.ts\n2. b.ts\n\nSoll ich 2 Tests schreiben und Version 1.2 markieren?',
      'Soll ich 2 Tests schreiben und Version 1.2 markieren?',
    ],
    [
      'a question about something else than a list of files with short names',
      'Geändert:\n\n- a.ts\n- b.ts\n\nSoll ich das einchecken?',
      'Soll ich das einchecken?',
    ],
    ['a request without a question mark', 'Done.\n\nLet me know which you prefer.', undefined],
    ['a request for a choice', 'Both work.\n\nTell me which one to use.', undefined],
    ['a choice without a question mark', 'Both work. Which one:\n- a\n- b', undefined],
    [
      'a question before another sentence in Chinese',
      '好了。\n\n要我部署吗？请回复“是”。',
      undefined,
    ],
    [
      'a question in Japanese that ends with a full stop',
      '修正しました。\n\nデプロイしてもよろしいですか。準備はできています。',
      undefined,
    ],
    [
      'a question with its choices in Japanese',
      '修正しました。\n\n続けますか？（はい／いいえ）',
      undefined,
    ],
    ['a question that is bold', 'Well.\n\n**Go on?**', '**Go on?**'],
    [
      'a question above the code that it is about',
      'All is ready.\n\nShall I run this?\n\n```sh\nnpm publish\n```',
      'Shall I run this?\n\n```sh\nnpm publish\n```',
    ],
    [
      'a question with its choices above what the agent recommends',
      'Both work.\n\nWhich approach do you prefer?\n\n1. SQLite\n2. PostgreSQL\n\nI recommend 1.',
      'Which approach do you prefer?\n1. SQLite\n2. PostgreSQL\n\nI recommend 1.',
    ],
    [
      'a question in German with its choices above what the agent recommends',
      'Beides geht.\n\nWomit soll ich anfangen?\n\n1. SQLite\n2. PostgreSQL\n\nIch empfehle SQLite.',
      'Womit soll ich anfangen?\n1. SQLite\n2. PostgreSQL\n\nIch empfehle SQLite.',
    ],
    [
      'a question in German with lettered choices above a remark',
      'Beides geht.\n\nWas meinst du?\n\n- **A**: SQLite\n- **B**: PostgreSQL\n\nA ist einfacher.',
      'Was meinst du?\n- **A**: SQLite\n- **B**: PostgreSQL\n\nA ist einfacher.',
    ],
    [
      'a question above what the agent thinks of it',
      'I found two.\n\nShould I delete the old table now?\n\nI would keep it until Friday.',
      'Should I delete the old table now?\n\nI would keep it until Friday.',
    ],
    [
      'a question about code above a remark',
      'Done.\n\nDo you want me to commit this?\n\n```diff\n-a\n+b\n```\n\nIf so, I push it as well.',
      'Do you want me to commit this?\n\n```diff\n-a\n+b\n```\n\nIf so, I push it as well.',
    ],
    [
      'a list of questions above a remark',
      'Before I start, I need to know:\n\n1. Which database?\n2. Which version?\n\nThen I can start.',
      'Before I start, I need to know:\n1. Which database?\n2. Which version?\n\nThen I can start.',
    ],
    ['a request for an answer', 'I can do A or B.\n\nReply with A or B.', undefined],
    ['an announcement to wait', "It is ready.\n\nI'll wait for your confirmation.", undefined],
    ['a question in Greek', 'Έτοιμο.\n\nΝα προχωρήσω;', undefined],
    ['a question in Armenian', 'Պատրաստ է։\n\nՇարունակե՞մ։', undefined],
    ['a question in Thai', 'เสร็จแล้ว\n\nต้องการให้ทำต่อไหม', undefined],
    ['a question in Korean that ends with a full stop', '완료.\n\n배포를 진행할까요.', undefined],
    ['a question in Chinese with the mark of English', '好了。\n\n要我部署吗?请回复。', undefined],
    ['a question before an emoji', 'Fertig.\n\nSoll ich weitermachen?🚀', undefined],
    ['a question that is an exclamation', 'Fertig.\n\nWeiter so?!', undefined],
  ])('is a question: %s', (_, message, text) => {
    expect(headline(message)).toMatchObject({
      text: text ?? message.split('\n\n').at(-1),
      isQuestion: true,
    })
  })

  it.each([
    ['a report', 'I read the code.\n\nThe total includes tax now.', undefined],
    [
      'a section with its heading',
      'Long story.\n\n## Summary\n\nTax is added.\nTests pass.\n\n## Notes\n\nNothing.',
      undefined,
    ],
    [
      'a list at the end',
      'Long story.\n\nI changed:\n\n- a.ts\n- b.ts',
      'Long story.\n\nI changed:\n- a.ts\n- b.ts',
    ],
    [
      'a table at the end, although the head of a column has a question mark',
      'Long story.\n\nThese are left:\n\n| test | flaky? |\n|---|---|\n| login | yes |',
      undefined,
    ],
    [
      'lists and tables with a blank line below each, so that the next line does not join it',
      'I changed:\n\n- a.ts\n\nTests pass.\n\n| a | b |\n|---|---|\n\nThat is all.',
      'I changed:\n- a.ts\n\nTests pass.\n\n| a | b |\n|---|---|\n\nThat is all.',
    ],
    [
      'the text around a block of code',
      'It works now:\n\n```sh\nnpm test # is it green?\n```\n\nAll pass.',
      'It works now:\n\nAll pass.',
    ],
    [
      'lines that begin with words of their own',
      'Is it green? I ran all.\n\nTests: 12 passed\nBuild: green',
      undefined,
    ],
    [
      'a paragraph below a line',
      'Long story.\n\n---\nAll is green.',
      'Long story.\n\nAll is green.',
    ],
    [
      'the text above a line at the end',
      'Long story.\n\nAll is green.\n\n* * *',
      'Long story.\n\nAll is green.',
    ],
    ['code if there is nothing else', '```\nok\n```', undefined],
    ['a question in the middle', 'Why did it fail? A typo.\n\nIt is fixed.', undefined],
    ['an address with a question mark', 'See https://example.com/?a=b now.', undefined],
    ['quoted code with a question mark', 'I use `a?.b ? ` now.', undefined],
    [
      'the text before a polite closing',
      'The total includes tax now.\n\nLet me know if you need anything else!',
      'The total includes tax now.',
    ],
    [
      'the text before a polite closing question',
      'The total includes tax now.\n\nIs there anything else I can do?',
      'The total includes tax now.',
    ],
    [
      'a sentence about a choice',
      'All done.\n\nThe report shows which of the tests are slow, and, which one is the slowest.',
      undefined,
    ],
    [
      'a result below a question that the agent has answered itself',
      'Long story.\n\nWhy did it fail?\n- a typo\n- a race\n\nBoth are fixed.',
      undefined,
    ],
    [
      'a result below a list of questions that the agent has answered itself',
      'What I checked:\n- Is the port open?\n- Does TLS work?\n\nBoth are fine.',
      undefined,
    ],
    [
      'a result below lines of the same name',
      'You can see:\n\nTest A: passed\nTest B: passed\n\nBoth are green.',
      undefined,
    ],
    [
      'an answer to a question that a person had asked',
      'Can I use both at once?\n\nYes, they do not share a port.',
      undefined,
    ],
    [
      'a long text below a question',
      `Should I worry about it?\n\n${'It is a known race. '.repeat(20).trim()}`,
      undefined,
    ],
    [
      'a result with code below a question that the agent has answered itself',
      'Why did it fail? A typo. This is the fix:\n\n```\n-a\n+b\n```',
      'Why did it fail? A typo. This is the fix:',
    ],
    ['Greek text with a semicolon', 'Το a; είναι εντάξει.', undefined],
    ['a pattern with a question mark', 'It matches a?b and x?. Done.', undefined],
    ['a polite closing if there is nothing else', 'Feel free to ask.', undefined],
    ['an empty text', ' \n\n ', ''],
  ])('is not a question: %s', (_, message, text) => {
    expect(headline(message)).toMatchObject({ text: text ?? message, isQuestion: false })
  })

  const long = 'So it goes on. '.repeat(60).trim()

  it.each([
    [
      'the opening and the last paragraph',
      `The tax is added.\n\n${long}\n\nAll tests pass.`,
      'The tax is added.\n\n…\n\nAll tests pass.',
    ],
    [
      'the opening, the section that says what was done, and the last paragraph',
      `The tax is added.\n\n${long}\n\n## Summary\n\nThree files changed.\n\n## Notes\n\n${long}\n\nAll tests pass.`,
      'The tax is added.\n\n…\n\n## Summary\n\nThree files changed.\n\n…\n\nAll tests pass.',
    ],
    [
      'what follows the opening, as far as there is room',
      `The tax is added:\n- in the cart\n- in the bill\n\nIt is 19 %.\n\n${long}\n\nAll tests pass.`,
      'The tax is added:\n- in the cart\n- in the bill\n\nIt is 19 %.\n\n…\n\nAll tests pass.',
    ],
    [
      'the opening, and both ends of a last paragraph that is long',
      `The tax is added.\n\n${long} All tests pass.`,
      expect.stringMatching(/^The tax is added\.\n\nSo it .*….* All tests pass\.$/),
    ],
    [
      'both ends of a single paragraph',
      `The tax is added. ${long} All tests pass.`,
      expect.stringMatching(/^The tax is added\. So it .*….* All tests pass\.$/),
    ],
  ])('of a long answer has %s', (_, message, text) => {
    const found = headline(message)
    expect(found).toMatchObject({ text, isQuestion: false })
    expect(found.text.length).toBeLessThanOrEqual(600)
  })

  it('leaves to `rest` what it does not contain, in its order', () => {
    const code = '```\nnpm test\n```'
    const message = `Before.\n\n${code}\n\n${long}\n\nAfter.\n\nLet me know if you need more.`
    expect(headline(message)).toEqual({
      text: 'Before.\n\n…\n\nAfter.',
      isQuestion: false,
      rest: `${code}\n\n${long}`,
    })
  })

  it('keeps the start of a long question with the choices above it', () => {
    const choices = Array.from({ length: 50 }, (_, index) => `${index + 1}. the choice ${index}`)
    const { text } = headline(`${choices.join('\n')}\n\nWhich one?`)
    expect(text).toMatch(/^Which one\?\n1\. the choice 0\n.*…$/s)
  })

  it('is found in text with any line ends, headings and fences', () => {
    const text = (message: string) => headline(message).text
    for (const heading of ['# Summary', '   ###### Summary', '**Summary**', '__Summary__:'])
      expect(
        text(`First.\n\n${long}\n${heading}\nTax is added.\n# Notes\n\n${long}\n\nEnd.`),
      ).toContain('Tax is added.')
    for (const word of ['#Summary', '####### Summary', '**Summary** of it', '__Summary**'])
      expect(
        text(`First.\n\n${long}\n\n${word}\n\nTax is added.\n\n${long}\n\nEnd.`),
      ).not.toContain('Tax')
    expect(text('It works:\n```\n~~~\n``\nno?\n```')).toBe('It works:')
    expect(text('It works:\n````\n```\nno?\n````\nGo on?')).toBe('Go on?')
  })

  it('keeps the end of a long question', () => {
    const { text } = headline(`${'Well, '.repeat(400)}\nShall I go on?`)
    expect(text).toBe('…\nShall I go on?')
    expect(headline(`${'Well, '.repeat(400)} shall I go on?`).text).toMatch(/^….*shall I go on\?$/)
  })

  const words = fc.array(fc.constantFrom('tests', 'pass', 'now', 'the', '`a?`', 'file.ts'), {
    minLength: 1,
    maxLength: 12,
  })
  const paragraph = words.map((list) => `${list.join(' ')}.`)
  const message = fc.array(
    fc.oneof(
      paragraph,
      fc.constant('```\ncode?\n```'),
      fc.constant('## Summary'),
      fc.constant('- one\n- two'),
    ),
    { minLength: 1, maxLength: 8 },
  )

  it('is the last paragraph whenever that ends with a question', () => {
    fc.assert(
      fc.property(message, words, (parts, asked) => {
        const question = `Shall ${asked.join(' ')}?`
        expect(headline([...parts, question].join('\n\n'))).toMatchObject({
          text: question,
          isQuestion: true,
        })
      }),
    )
  })

  it('consists of parts of the answer, in their order', () => {
    fc.assert(
      fc.property(message, (parts) => {
        const text = parts.join('\n\n')
        let from = 0
        for (const part of headline(text, 100).text.split(/\n|…/).filter(Boolean)) {
          from = text.indexOf(part, from)
          expect(from).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })

  it('is never too long, never malformed, and never empty unless the text is empty', () => {
    const any = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 3000 }),
      message.map((m) => m.join('\n\n')),
    )
    fc.assert(
      fc.property(any, fc.integer({ min: 20, max: 600 }), (text, max) => {
        const { text: short } = headline(text.toWellFormed(), max)
        expect(short.length).toBeLessThanOrEqual(max)
        expect(short.isWellFormed()).toBe(true)
        expect(short !== '').toBe(text.trim() !== '')
      }),
    )
  })

  // With a square of the length, each would take many minutes.
  it.each(['*', '?', '`', '- ', '```\n', 'A ', 'Option A: x\n'])(
    'ends for a hostile text: %j',
    (part) => {
      headline(part.repeat(1_000_000 / part.length))
    },
  )
})
