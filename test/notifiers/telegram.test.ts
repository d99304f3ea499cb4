import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  closeElements,
  escapeTelegram,
  telegramMarkup,
} from '../../src/notifiers/telegram/markup.ts'
import { telegram } from '../../src/notifiers/telegram.ts'
import { fromMarkdown, loadMarkdown } from '../../src/render/markdown.ts'
import { anyCharacter } from '../support/any-character.ts'
import { type Step, startReceiver } from '../support/receiver.ts'
import { runs } from '../support/runs.ts'
import { allTextOf, failureOf, makeContext, makeMessage, testHttpNotifier } from './_suite.ts'

const CANARY = 'canary5ecretTokenOfABot'
const TOKEN = `123456:${CANARY}`
const ACCEPTED = JSON.stringify({ ok: true, result: { message_id: 7, chat: { id: -100 } } })

const start = async (script: Step[] = [{ body: ACCEPTED }], options: object = {}) => {
  const receiver = await startReceiver({ script })
  const channel = telegram.options.parse({
    ...{ server: receiver.url, token: TOKEN, chat: -100 },
    ...options,
  })
  const send = (fields = {}) => telegram.send(makeMessage(fields), channel, makeContext())
  const post = async (fields = {}) => {
    await send(fields)
    return JSON.parse(receiver.received.at(-1)?.body ?? '')
  }
  return { receiver, channel, send, post }
}

/** What Telegram would turn into a link, a mention, a hashtag, a cashtag or a command. */
const active = /:\/\/|[@#$]\w|[\w.]\.[\p{L}\d]|(?<![\w/])\/[a-z]/iu

const refusal = (status: number, description: string, parameters?: object): Step => ({
  status,
  body: JSON.stringify({ ok: false, error_code: status, description, parameters }),
})

describe('notifiers: telegram', () => {
  testHttpNotifier({
    notifier: telegram,
    options: (server) => ({ server, token: TOKEN, chat: -100 }),
    secret: CANARY,
    accepting: { body: ACCEPTED, answer: 'accepted as 7' },
  })

  it.each([
    ['a login page', { body: '<html>' }, 'the answer is not from Telegram'],
    [
      'a bot with a webhook',
      refusal(409, "Conflict: can't use getUpdates while webhook is active"),
      'has a webhook',
    ],
    ['a wrong token', refusal(401, 'Unauthorized'), '401'],
  ])('hears nothing from %s', async (_, step, message) => {
    const { channel } = await start([step])
    const { signal } = new AbortController()
    const onInput = async () => expect.fail('nobody did anything')
    const context = { signal, onReady: () => {}, onInput }
    await expect(telegram.answers?.listen(channel, context)).rejects.toThrow(message)
  })

  it('sends title, formatted text and origin', async () => {
    const { receiver, post } = await start([{ body: ACCEPTED }], { topic: 5 })
    const reply = 'hookbell reply b7c1 "…"'
    const origin = { label: 'Retry', project: 'shop', branch: 'main', host: 'box', reply }
    expect(await post({ markup: 'wants to <b>run</b> <code>npm test</code>', origin })).toEqual({
      chat_id: -100,
      message_thread_id: 5,
      text:
        '🔔 <b>Permission needed in shop</b>\n\nwants to <b>run</b> <code>npm test</code>\n\n' +
        '<i>Retry · claude · main · on box · b7c1 · 2026-11-20 09:30</i>\n' +
        '<code>hookbell reply b7c1 &quot;…&quot;</code>',
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      disable_notification: false,
    })
    const [{ method, path } = expect.fail('no request')] = receiver.received
    expect([method, path]).toEqual(['POST', `/bot${TOKEN}/sendMessage`])
  })

  it('sends a message of low urgency without a sound', async () => {
    const { post } = await start()
    expect((await post({ urgency: 'low' })).disable_notification).toBe(true)
  })

  it('deletes a message in the chat in which it was sent', async () => {
    const { receiver, send, channel } = await start([
      { body: ACCEPTED },
      { body: '{"ok":true,"result":true}' },
    ])
    const sent = await send()
    const { handle = '' } = typeof sent === 'string' ? expect.fail(sent) : sent
    const other = { ...channel, chat: '@another' }
    expect(await telegram.withdraw?.(handle, other, makeContext())).toBe('deleted')
    const { path, body } = receiver.received[1] ?? expect.fail('no request')
    expect(path).toBe(`/bot${TOKEN}/deleteMessage`)
    expect(JSON.parse(body)).toEqual({ chat_id: -100, message_id: 7 })
  })

  it.each(['message to delete not found', "message can't be deleted for everyone"])(
    'accepts that a message cannot be deleted: %s',
    async (reason) => {
      const { channel } = await start([refusal(400, `Bad Request: ${reason}`)])
      expect(await telegram.withdraw?.('-100:7', channel, makeContext())).toBe(
        'could not be deleted any more',
      )
    },
  )

  it('replaces the text of a message', async () => {
    const { receiver, channel } = await start([{ body: ACCEPTED }])
    const left = makeMessage({ body: 'one question is left' })
    expect(await telegram.update?.('-100:7', left, channel, makeContext())).toBe('-100:7')
    const { path, body } = receiver.received[0] ?? expect.fail('no request')
    expect(path).toBe(`/bot${TOKEN}/editMessageText`)
    expect(JSON.parse(body)).toMatchObject({
      ...{ chat_id: -100, message_id: 7, parse_mode: 'HTML' },
      text: expect.stringContaining('one question is left'),
    })
  })

  it.each(['message is not modified', 'message to edit not found', "message can't be edited"])(
    'accepts that a text cannot be replaced: %s',
    async (reason) => {
      const { channel } = await start([refusal(400, `Bad Request: ${reason}`)])
      const updating = telegram.update?.('-100:7', makeMessage(), channel, makeContext())
      expect(await updating).toBe('-100:7')
    },
  )

  it('reports other failures of a later change', async () => {
    const { channel } = await start([refusal(403, 'Forbidden: bot was kicked')])
    for (const change of [
      telegram.withdraw?.('-100:7', channel, makeContext()),
      telegram.update?.('-100:7', makeMessage(), channel, makeContext()),
    ]) {
      expect(await failureOf(Promise.resolve(change ?? ''))).toMatchObject({ verdict: 'give-up' })
    }
  })

  it.each([
    [401, 'Unauthorized', 'Set the token', true],
    [404, 'Not Found', 'Set the token', true],
    [403, 'Forbidden: bot was blocked by the user', 'Start the bot', true],
    [400, 'Bad Request: chat not found', 'Write to the bot', true],
    [400, 'Bad Request: PEER_ID_INVALID', 'Write to the bot', true],
    [400, 'Bad Request: message thread not found', 'Correct the topic', true],
    [400, 'Bad Request: TOPIC_CLOSED', 'open it', true],
    [400, 'Bad Request: not enough rights to send text messages to the chat', 'Allow', true],
    [400, 'Bad Request: need administrator rights in the channel chat', 'Allow', true],
    [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'Allow', true],
    [400, "Bad Request: can't parse entities: Unsupported start tag", 'your template', false],
    [400, 'Bad Request: message is too long', undefined, false],
  ])('gives up after %i %s', async (status, description, hint, isChannelDead) => {
    const { send } = await start([refusal(status, description)])
    const error = await failureOf(send())
    expect(error).toMatchObject({ verdict: 'give-up', isChannelDead })
    expect(error.hint ?? '').toContain(hint ?? '')
    expect(error.message).toBe(`telegram: ${status} ${description}`)
  })

  it('names the new id of a group that became a supergroup', async () => {
    const description = 'Bad Request: group chat was upgraded to a supergroup chat'
    const { send } = await start([refusal(400, description, { migrate_to_chat_id: -100123 })])
    expect(await failureOf(send())).toMatchObject({
      ...{ verdict: 'give-up', isChannelDead: true },
      hint: 'The group has a new id: set chat to -100123',
    })
  })

  it('reads the whole answer, in which Telegram repeats the message', async () => {
    const text = 'я'.repeat(4096)
    const entities = Array.from({ length: 100 }, (_, at) => ({
      type: 'bold',
      offset: at,
      length: 1,
    }))
    const result = { message_id: 7, chat: { id: -100 }, text, entities }
    // Telegram escapes everything but ASCII.
    const body = JSON.stringify({ ok: true, result }).replaceAll('я', '\\u044f')
    const { send } = await start([{ body }])
    expect(await send()).toMatchObject({ answer: 'accepted as 7' })
  })

  it.each([14, 90_000])('waits the %i seconds that Telegram asks for', async (seconds) => {
    const { send } = await start([
      refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds }),
    ])
    expect(await failureOf(send())).toMatchObject({
      ...{ verdict: 'retry', retryAfterMs: seconds * 1000 },
      message: `telegram: 429 Too Many Requests: retry after ${seconds}`,
    })
  })

  it.each(['<html>Welcome to the hotel</html>', '{}', '{"ok":true}', '{"ok":false}', ''])(
    'does not treat the response %j as a success',
    async (body) => {
      const { send } = await start([{ body }])
      const error = await failureOf(send())
      expect(error).toMatchObject({ verdict: 'retry', hint: expect.stringContaining('server') })
      expect(error.message).toBe(
        `telegram: 200, but the answer is not from Telegram${body && `: ${body}`}`,
      )
    },
  )

  it('keeps the part of the token after its number out of errors', async () => {
    const { send } = await start([{ status: 500, body: `failed for ${CANARY}` }])
    expect(allTextOf(await failureOf(send()))).not.toContain(CANARY)
  })

  it('obeys the length limit of Telegram, and ends all elements', async () => {
    const { post } = await start()
    const { codeBlock, bold, quote } = telegramMarkup.parts
    for (const long of ['👨‍👩‍👧‍👦_&.a'.repeat(2000), '"'.repeat(6000)]) {
      const origin = { label: long, project: long, branch: long, host: long, reply: long }
      for (const markup of [
        '',
        escapeTelegram(long),
        bold(quote(codeBlock('<x>\n'.repeat(3000)))),
      ]) {
        const { text } = await post({ title: long, body: long, markup, origin, sessionId: long })
        // Telegram does not count the markup.
        expect(text.replace(/<[^<>]*>/g, '').length).toBeLessThanOrEqual(4096)
        expect(closeElements(text)).toBe(text)
        expect(text).toMatch(/<\/i>$/)
      }
    }
  })

  it.each([
    ['<b>a', '<b>a</b>'],
    ['<b><code>a', '<b><code>a</code></b>'],
    ['<b>a</b> b', '<b>a</b> b'],
    ['a &lt;b&gt;', 'a &lt;b&gt;'],
    // A template of the user may have such elements.
    ['<pre><code class="language-ts">a', '<pre><code class="language-ts">a</code></pre>'],
    ['<b><a href="https://x.test">a</a>', '<b><a href="https://x.test">a</a></b>'],
    ['<tg-spoiler>a', '<tg-spoiler>a</tg-spoiler>'],
  ])('ends the elements of %j', (cut, whole) => {
    expect(closeElements(cut)).toBe(whole)
  })

  it('puts no quote inside a quote, which Telegram refuses', () => {
    const { quote } = telegramMarkup.parts
    expect(quote(`a\n${quote('b')}`)).toBe('<blockquote>a\nb</blockquote>')
  })

  it('shows every text as it is, without active markup', () => {
    const parts = fc.constantFrom(
      ...[
        'https://evil.test/a',
        'evil.test',
        'me@evil.test',
        '@somebody',
        '#tag',
        '/start',
        '$USD',
      ],
      ...['<b>', '&amp;', 'tg://resolve', '10.0.0.1:80', ' '],
    )
    const texts = fc
      .array(fc.oneof(parts, fc.string({ unit: anyCharacter })))
      .map((some) => some.join('').replaceAll('\u2060', ''))
    fc.assert(
      fc.property(texts, (text) => {
        const escaped = escapeTelegram(text)
        expect(escaped).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;|#39;)/)
        const seen = escaped
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&')
        expect(seen.replaceAll('\u2060', '')).toBe(text)
        expect(seen).not.toMatch(active)
      }),
      { numRuns: runs(500) },
    )
  })

  it.each([
    ['evil.**test** and evil.`test`', 'evil.test and evil.test'],
    ['@**somebody** #**tag** $**USD** /**start**', '@somebody #tag $USD /start'],
    ['tg:**//resolve** tg:/**/resolve**', 'tg://resolve tg://resolve'],
  ])('makes no active markup of a text that formatting splits: %s', async (markdown, text) => {
    const html = fromMarkdown(markdown, await loadMarkdown(), []).in(telegramMarkup)
    const seen = html.replace(/<[^<>]*>/g, '')
    expect(seen.replaceAll('\u2060', '')).toBe(text)
    expect(seen).not.toMatch(active)
  })

  it.each([
    { token: 'abc' },
    { token: '123:short' },
    { token: TOKEN, chat: 'somebody' },
    { token: TOKEN, chat: '' },
    { token: TOKEN, chat: 1.5 },
    { token: TOKEN, chat: 1, topic: 0 },
    { token: TOKEN, chat: 1, server: 'http://api.telegram.org' },
  ])('rejects the options %j', (options) => {
    expect(telegram.options.safeParse({ chat: 1, ...options }).success).toBe(false)
  })

  it.each([12, '-1001234567890', '@my_channel'])('accepts the chat %j', (chat) => {
    expect(telegram.options.safeParse({ token: TOKEN, chat }).success).toBe(true)
  })

  it('has a pace of one message per second and chat', () => {
    expect(telegram.pace?.minIntervalMs).toBe(1000)
    const options = telegram.options.parse({ token: TOKEN, chat: 12 })
    expect(telegram.pace?.destination(options)).toBe('12')
  })
})
