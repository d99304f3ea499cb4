import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { discordMarkup, escapeDiscord } from '../../src/notifiers/discord/markup.ts'
import { discord } from '../../src/notifiers/discord.ts'
import { anyCharacter } from '../support/any-character.ts'
import { type Step, startReceiver } from '../support/receiver.ts'
import { runs } from '../support/runs.ts'
import { failureOf, makeContext, makeMessage, testHttpNotifier } from './_suite.ts'

const CANARY = 'canary5ecretToken-of-a-webhook'
const ACCEPTED = JSON.stringify({ id: '1310000000000000001', type: 0 })

interface Posted {
  content: string
  allowed_mentions: { parse: string[] }
  flags?: number
}

const start = async (script: Step[] = [{ body: ACCEPTED }], query = '') => {
  const receiver = await startReceiver({ script })
  const channel = { url: `${receiver.url}/api/webhooks/99/${CANARY}${query}` }
  const send = (fields = {}) => discord.send(makeMessage(fields), channel, makeContext())
  const post = async (fields = {}): Promise<Posted> => {
    await send(fields)
    return JSON.parse(receiver.received.at(-1)?.body ?? '')
  }
  return { receiver, channel, send, post }
}

const refusal = (status: number, code: number, message: string): Step => ({
  status,
  body: JSON.stringify({ code, message }),
})

/** The text that Discord shows: without the backslashes that escape marks. */
const shown = (content: string) => content.replace(/\\(.)/g, '$1')

describe('notifiers: discord', () => {
  testHttpNotifier({
    notifier: discord,
    options: (url) => ({ url: `${url}/api/webhooks/99/${CANARY}` }),
    secret: CANARY,
    accepting: { body: ACCEPTED, answer: 'accepted as 1310000000000000001' },
  })

  it('posts title, formatted text and origin, and allows no mentions', async () => {
    const { receiver, post } = await start()
    const reply = 'hookbell reply b7c1 "…"'
    const origin = { label: 'Retry', project: 'shop', branch: 'main', host: 'box', reply }
    expect(await post({ markup: 'wants to **run** `npm test`', origin })).toEqual({
      content:
        '🔔 **Permission needed in shop**\nwants to **run** `npm test`\n' +
        '-# Retry · claude · main · on box · b7c1 · <t:1795167000:f>\n' +
        '-# `hookbell reply b7c1 "…"`',
      allowed_mentions: { parse: [] },
      flags: 4,
    })
    const [{ method, path } = expect.fail('no request')] = receiver.received
    expect([method, path]).toEqual(['POST', `/api/webhooks/99/${CANARY}?wait=true`])
  })

  it('sends a message of low urgency without a sound', async () => {
    const { post } = await start()
    expect((await post({ urgency: 'low' })).flags).toBe(4 | 4096)
  })

  it('posts to a thread', async () => {
    const { receiver, send, channel } = await start([{ body: ACCEPTED }], '?thread_id=42')
    const sent = await send()
    const { handle = '' } = typeof sent === 'string' ? expect.fail(sent) : sent
    await discord.withdraw?.(handle, channel, makeContext())
    expect(receiver.received.map(({ path }) => path.split(CANARY)[1])).toEqual([
      '?thread_id=42&wait=true',
      '/messages/1310000000000000001?thread_id=42',
    ])
  })

  it.each([
    ['a deleted message', { status: 204, body: '' }, 'deleted'],
    ['a message that is gone', refusal(404, 10008, 'Unknown Message'), 'was already deleted'],
  ])('withdraws %s', async (_, step, answer) => {
    const { receiver, channel } = await start([step as Step])
    expect(await discord.withdraw?.('131', channel, makeContext())).toBe(answer)
    expect(receiver.received[0]).toMatchObject({
      method: 'DELETE',
      path: `/api/webhooks/99/${CANARY}/messages/131`,
    })
  })

  it('replaces the text of a message, again without mentions', async () => {
    const { receiver, channel } = await start()
    const left = makeMessage({ body: 'one question is left' })
    expect(await discord.update?.('131', left, channel, makeContext())).toBe('131')
    expect(receiver.received[0]).toMatchObject({ method: 'PATCH' })
    const { content, ...rest } = JSON.parse(receiver.received[0]?.body ?? '') as Posted
    expect(content).toContain('one question is left')
    expect(rest).toEqual({ allowed_mentions: { parse: [] } })
  })

  it('fails to withdraw with a wrong URL', async () => {
    const { channel } = await start([refusal(404, 10015, 'Unknown Webhook')])
    const withdrawing = Promise.resolve(discord.withdraw?.('131', channel, makeContext()) ?? '')
    expect(await failureOf(withdrawing)).toMatchObject({ verdict: 'give-up' })
  })

  it.each([
    [404, 10015, 'Unknown Webhook', 'Create a new webhook'],
    [401, 50027, 'Invalid Webhook Token', 'Create a new webhook'],
    [400, 220001, 'Webhooks posted to forum channels must have a thread', '?thread_id=ID'],
    [404, 10003, 'Unknown Channel', 'thread_id in the URL'],
  ])('gives a hint for the response %i %i', async (status, code, message, hint) => {
    const { send } = await start([refusal(status, code, message)])
    const error = await failureOf(send())
    expect(error).toMatchObject({ verdict: 'give-up', hint: expect.stringContaining(hint) })
    expect(error.message).toBe(`discord: ${status} ${message}`)
  })

  it('reads the whole answer, in which Discord repeats the message', async () => {
    const content = '語'.repeat(2000)
    const body = JSON.stringify({ id: '131', content }).replaceAll('語', '\\u8a9e')
    const { send } = await start([{ body }])
    expect(await send()).toMatchObject({ answer: 'accepted as 131' })
  })

  it('names the part of a message that Discord refuses', async () => {
    const tooLong = { code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }
    const errors = { content: { _errors: [tooLong] } }
    const body = JSON.stringify({ message: 'Invalid Form Body', code: 50035, errors })
    const { send } = await start([{ status: 400, body }])
    expect((await failureOf(send())).message).toMatch(
      /^discord: 400 Invalid Form Body: .*"content".*Must be 2000 or fewer in length\./,
    )
  })

  it('does not send a message again that was accepted without an id', async () => {
    const { send } = await start([{ status: 204, body: '' }])
    expect(await send()).toBe('204 No Content')
  })

  it.each([
    [1.337, 1337],
    [90_000.5, 90_000_500],
  ])('waits the %d seconds that Discord asks for', async (seconds, retryAfterMs) => {
    const body = JSON.stringify({ message: 'You are being rate limited.', retry_after: seconds })
    const { send } = await start([{ status: 429, body }])
    expect(await failureOf(send())).toMatchObject({
      ...{ verdict: 'retry', retryAfterMs },
      message: 'discord: 429 You are being rate limited.',
    })
  })

  it.each(['<html>Welcome to the hotel</html>', '{}', '{"id":""}', '{"id":"1/../2"}', ''])(
    'does not treat the response %j as a success',
    async (body) => {
      const { send } = await start([{ body }])
      const error = await failureOf(send())
      expect(error).toMatchObject({ verdict: 'retry', hint: expect.stringContaining('webhook') })
      expect(error.message).toBe(
        `discord: 200, but the answer is not from Discord${body && `: ${body}`}`,
      )
    },
  )

  it('obeys the length limit of Discord', async () => {
    const { post } = await start()
    const long = '👨‍👩‍👧‍👦_&'.repeat(2000)
    const origin = { label: long, project: long, branch: long, host: long, reply: long }
    const code = discordMarkup.parts.codeBlock('x\n'.repeat(3000))
    for (const markup of ['', escapeDiscord(long), `**a**\n${code}`]) {
      const { content } = await post({ title: long, body: long, markup, origin, sessionId: long })
      expect(content.length).toBeLessThanOrEqual(2000)
    }
  })

  it('ends a code block that is truncated', async () => {
    const { post } = await start()
    const markup = discordMarkup.parts.codeBlock('line\n'.repeat(1000))
    expect((await post({ markup })).content).toMatch(/…\n```\n-# .*$/)
  })

  it('truncates neither within an escaped mark nor within a piece of code', () => {
    const piece = fc.constantFrom('a', '\\_', '\\\\', '`npm test`', '<t:1795167000:f>', '\n')
    return fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 500, maxLength: 3000 }), async (pieces) => {
        const { post } = await start()
        const { content } = await post({ markup: `.${pieces.join('')}.` })
        const [, ...lines] = content.split('\n')
        const text = lines.slice(0, -1).join('\n')
        expect(text).toMatch(/^(?:[.a\n…]|\\_|\\\\|`npm test`|<t:1795167000:f>)*$/)
      }),
      { numRuns: runs(10) },
    )
  })

  it.each([
    ['snake_case *and* ~~more~~ `x`', 'snake\\_case \\*and\\* \\~\\~more\\~\\~ \\`x\\`'],
    ['<@123> <#1> <t:1:R> @everyone', '\\<\\@123> \\<#1> \\<t\\:1:R> \\@everyone'],
    ['[text](https://evil.test)', '\\[text\\](https:\\//evil.test)'],
    [
      '# no heading\n> no quote\n- no list\n  + nor this\n1. nor this',
      '\\# no heading\n\\> no quote\n\\- no list\n  \\+ nor this\n1\\. nor this',
    ],
    [':smile: ||spoiler|| C:\\new', '\\:smile: \\|\\|spoiler\\|\\| C:\\\\new'],
    ['-# small', '\\-# small'],
  ])('shows %j as it is', (text, escaped) => {
    expect(escapeDiscord(text)).toBe(escaped)
    expect(shown(escapeDiscord(text))).toBe(text)
  })

  it('shows every text as it is, without active markup', () => {
    const active = fc.constantFrom('<@1>', '@here', 'http://evil.test', '[a](b)', '`', '**', '\\')
    const texts = fc
      .array(fc.oneof(active, fc.string({ unit: anyCharacter })))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const escaped = escapeDiscord(text)
        expect(shown(escaped)).toBe(text)
        // Each mark has a backslash that is not itself escaped.
        expect(escaped.replace(/\\./g, '')).not.toMatch(/[\\`*_~|<[\]@]|:\/\//)
      }),
      { numRuns: runs(500) },
    )
  })

  it('has a pace of one message in two seconds per webhook', () => {
    expect(discord.pace?.minIntervalMs).toBe(2000)
    expect(discord.pace?.destination({ url: 'https://discord.com/x' })).toBe(
      'https://discord.com/x',
    )
  })
})
