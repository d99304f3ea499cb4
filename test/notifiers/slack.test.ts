import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slackMarkup } from '../../src/notifiers/_markup.ts'
import { slack } from '../../src/notifiers/slack.ts'
import { anyCharacter } from '../support/any-character.ts'
import { startReceiver } from '../support/receiver.ts'
import { runs } from '../support/runs.ts'
import { failureOf, makeContext, makeMessage, testHttpNotifier } from './_suite.ts'

const CANARY = 'canary5ecretToken'

interface Posted {
  text: string
  unfurl_links: boolean
  blocks: { type: string; text?: { type: string; text: string }; elements?: { text: string }[] }[]
}

describe('notifiers: slack', () => {
  testHttpNotifier({
    notifier: slack,
    options: (url) => ({ url: `${url}/services/T024BE7LH/B024BE7LH/${CANARY}` }),
    secret: CANARY,
  })

  const post = async (...messages: Parameters<typeof makeMessage>[0][]) => {
    const receiver = await startReceiver()
    for (const fields of messages) {
      await slack.send(makeMessage(fields), { url: receiver.url }, makeContext())
    }
    return receiver.received.map(({ body }) => JSON.parse(body) as Posted)
  }

  it('shows the title, the formatted text and the origin', async () => {
    const [posted] = await post({ markup: 'wants to *run* `npm test`' })
    expect(posted).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "emoji": false,
              "text": "Permission needed in shop",
              "type": "plain_text",
            },
            "type": "header",
          },
          {
            "text": {
              "text": "wants to *run* \`npm test\`",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
          {
            "elements": [
              {
                "text": "claude · b7c1 · <!date^1795167000^{date_short_pretty} {time}|2026-11-20 09:30>",
                "type": "mrkdwn",
                "verbatim": true,
              },
            ],
            "type": "context",
          },
        ],
        "text": "Permission needed in shop
      The agent wants to run the tests",
        "unfurl_links": false,
        "unfurl_media": false,
      }
    `)
  })

  it('shows plain text if there is no markup', async () => {
    const [posted] = await post({ body: '*not bold* :bell: <!here>' })
    expect(posted?.blocks[1]).toEqual({
      type: 'section',
      text: { type: 'plain_text', text: '*not bold* :bell: &lt;!here&gt;', emoji: false },
    })
  })

  it('shows the session, the age of the message and the command to answer', async () => {
    const origin = { label: 'Retry webhooks', project: 'shop', branch: 'main', host: 'build-3' }
    const reply = 'hookbell reply b7c1 "…"'
    const message = makeMessage({ origin: { ...origin, reply } })
    const now = Date.parse(message.at) + 2 * 3_600_000
    const composed = await slack.compose?.(message, { url: '' }, { now, attempt: 1 })
    const { blocks } = (composed?.body ?? expect.fail('nothing')) as Posted
    expect(blocks.slice(-2).map(({ elements = [] }) => elements.map(({ text }) => text))).toEqual([
      [
        'Retry webhooks · claude · main · on build-3 · b7c1 · ' +
          '<!date^1795167000^{date_short_pretty} {time}|2026-11-20 09:30 (2 h ago)> (2 h ago)',
      ],
      ['`hookbell reply b7c1 "…"`'],
    ])
  })

  it('shows the id of a session once if it has no name', async () => {
    const origin = { label: 'b7c1', project: 'shop', branch: '', host: '', reply: '' }
    const [posted] = await post({ sessionId: 'b7c1-6c1e', origin })
    const [{ text } = expect.fail('nothing')] = posted?.blocks.at(-1)?.elements ?? []
    expect(text).toMatch(/^b7c1 · claude · b7c1-6c1 · <!date/)
  })

  it('obeys the length limits of Slack', async () => {
    const long = '👨‍👩‍👧‍👦&'.repeat(2000)
    const markup = `${'é&amp;&lt;'.repeat(1000)}`
    const facts = { title: long, body: long, cwd: `/${long}`, client: long }
    for (const posted of await post({ ...facts, markup }, { ...facts, markup: '' })) {
      expect(posted?.blocks[0]?.text?.text.length).toBeLessThanOrEqual(150)
      expect(posted?.blocks[1]?.text?.text.length).toBeLessThanOrEqual(3000)
      expect(posted?.text.length).toBeLessThanOrEqual(3000)
    }
  })

  it('ends a code block that is truncated', async () => {
    const markup = `*Bash*\n${slackMarkup.parts.codeBlock('<li>&</li>\n'.repeat(180))}\nMore`
    const [posted] = await post({ markup })
    const text = posted?.blocks[1]?.text?.text ?? ''
    expect(text).toMatch(/…\n```$/)
    expect(text.length).toBeLessThanOrEqual(3000)
  })

  it('truncates between graphemes, never within an entity or a link', () => {
    const piece = fc.constantFrom(
      'a',
      '&amp;',
      '&lt;',
      '👨‍👩‍👧‍👦',
      'é',
      '<https://x.test/y|z>',
      '\n',
    )
    const markups = fc.array(piece, { minLength: 700, maxLength: 3000 })
    return fc.assert(
      fc.asyncProperty(markups, async (pieces) => {
        const [posted] = await post({ body: '', markup: `.${pieces.join('')}.` })
        const text = posted?.blocks[1]?.text?.text ?? ''
        expect(text.length).toBeLessThanOrEqual(3000)
        const whole = /^(?:[.a\n…]|&amp;|&lt;|👨‍👩‍👧‍👦|é|<https:\/\/x\.test\/y\|z>)*$/
        expect(text).toMatch(whole)
      }),
      { numRuns: runs(20) },
    )
  })

  it.each([
    ['src/main.ts:100:5 failed', 'src/main.ts:\u200b100:5 failed'],
    ['pick :one: or :+1:', 'pick :\u200bone: or :\u200b+1:'],
    ['main.ts:42:5 at 10:30:45', 'main.ts:42:5 at 10:30:45'],
    ['std::cout, a: b, https://a.example:443', 'std::cout, a: b, https://a.example:443'],
  ])('lets no text of an event become an emoji: %s', (text, shown) => {
    expect(slack.markup?.escape(text)).toBe(shown)
  })

  it('lets no text of an event become a mention or a link', () => {
    const live = fc.constantFrom(
      '<!channel>',
      '<@U024BE7LH>',
      '<http://evil.test|bank>',
      '&',
      '<',
      '>',
    )
    const text = fc
      .array(fc.oneof(live, fc.string({ unit: anyCharacter })))
      .map((parts) => parts.join(''))
    const fields = fc.record({ title: text, body: text, cwd: text, client: text, event: text })
    return fc.assert(
      fc.asyncProperty(fields, async (event) => {
        const [posted] = await post(event)
        const texts = posted?.blocks.flatMap(({ text, elements = [] }) => [text, ...elements])
        for (const text of [posted?.text, ...(texts ?? []).map((item) => item?.text)]) {
          // The date is our own markup.
          const own =
            /(?<=^|· )<!date\^1795167000\^\{date_short_pretty\} \{time\}\|2026-11-20 09:30>$/
          expect((text ?? '').replace(own, '')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
        }
      }),
      { numRuns: runs(50) },
    )
  })

  it.each([
    [404, 'no_service', 'Create a new incoming webhook'],
    [403, 'invalid_token', 'Create a new incoming webhook'],
    [404, 'channel_not_found', 'Create a new incoming webhook'],
    [410, 'channel_is_archived', 'Unarchive'],
    [403, 'action_prohibited', 'administrator'],
  ])('gives a hint for the response %i %s', async (status, body, hint) => {
    const { url } = await startReceiver({ script: [{ status, body }] })
    const error = await failureOf(slack.send(makeMessage(), { url }, makeContext()))
    expect(error.message).toBe(`slack: ${status} ${body}`)
    expect(error.hint).toContain(hint)
  })

  it('has no hint for an answer that is the name of an object property', async () => {
    const { url } = await startReceiver({ script: [{ status: 404, body: 'constructor' }] })
    const error = await failureOf(slack.send(makeMessage(), { url }, makeContext()))
    expect(error.hint).toBeUndefined()
  })

  it.each(['ok', 'ok\n', 'OK', '{"ok":true}', '{"success": true}'])(
    'treats the response %j as a success',
    async (body) => {
      const { url } = await startReceiver({ script: [{ body }] })
      expect(await slack.send(makeMessage(), { url }, makeContext())).toBe(body.trim())
    },
  )

  it.each([
    '',
    'accepted, but why',
    '<html>Log in to the network</html>',
    'null',
    '{"ok":false}',
    '1',
  ])('asks for a retry after the unclear response %j', async (body) => {
    const { url } = await startReceiver({ script: [{ body }] })
    const error = await failureOf(slack.send(makeMessage(), { url }, makeContext()))
    expect(error.verdict).toBe('retry')
    expect(error.message).toContain(body || 'said nothing')
  })

  it('gives up after an error text of Slack with status 200', async () => {
    const { url } = await startReceiver({ script: [{ body: 'no_service' }] })
    const error = await failureOf(slack.send(makeMessage(), { url }, makeContext()))
    expect(error.verdict).toBe('give-up')
    expect(error.hint).toContain('Create a new incoming webhook')
  })

  it('has a pace of one message per second and webhook', () => {
    expect(slack.pace?.minIntervalMs).toBe(1000)
    expect(slack.pace?.destination({ url: 'https://hooks.slack.com/x' })).toBe(
      'https://hooks.slack.com/x',
    )
  })

  it.each([
    'http://hooks.slack.com/services/x',
    'ftp://x.test',
    'nonsense',
    'http://127.0.0.1.evil.test',
  ])('rejects the URL %s', (url) => {
    expect(slack.options.safeParse({ url }).success).toBe(false)
  })

  it.each([
    'https://hooks.slack.com/services/x',
    'http://localhost:1/x',
    'http://[::1]:1',
    'http://2130706433/',
  ])('accepts the URL %s', (url) => {
    expect(slack.options.safeParse({ url }).success).toBe(true)
  })
})
