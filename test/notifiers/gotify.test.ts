import { describe, expect, it } from 'vitest'
import { gotify } from '../../src/notifiers/gotify.ts'
import { type Step, startReceiver } from '../support/receiver.ts'
import { failureOf, makeContext, makeMessage, testHttpNotifier } from './_suite.ts'

const TOKEN = 'AcanarySecretTok'
const ACCEPTED = JSON.stringify({ id: 25, appid: 5, message: 'x', title: 'y', priority: 5 })

const start = async (script: Step[] = [{ body: ACCEPTED }], path = '') => {
  const receiver = await startReceiver({ script })
  const channel = gotify.options.parse({ server: receiver.url + path, token: TOKEN })
  const send = (fields = {}) => gotify.send(makeMessage(fields), channel, makeContext())
  const post = async (fields = {}) => {
    await send(fields)
    return JSON.parse(receiver.received.at(-1)?.body ?? '')
  }
  return { receiver, send, post }
}

/** An error response in the format of a Gotify server. */
const refusal = (status: number, errorDescription: string): Step => ({
  status,
  body: JSON.stringify({ error: 'Unauthorized', errorCode: status, errorDescription }),
})

describe('notifiers: gotify', () => {
  testHttpNotifier({
    notifier: gotify,
    options: (server) => ({ server, token: TOKEN }),
    secret: TOKEN,
    accepting: { body: ACCEPTED, answer: 'accepted as 25' },
  })

  it('posts a plain text with title and priority, and the token in a header', async () => {
    const { receiver, post } = await start()
    expect(await post({ urgency: 'critical' })).toMatchInlineSnapshot(`
      {
        "extras": {
          "client::display": {
            "contentType": "text/plain",
          },
        },
        "message": "The agent wants to run the tests

      claude · b7c1 · 2026-11-20 09:30",
        "priority": 8,
        "title": "🔔 Permission needed in shop",
      }
    `)
    const [{ method, path, headers } = expect.fail('no request')] = receiver.received
    expect([method, path, headers['x-gotify-key']]).toEqual(['POST', '/message', TOKEN])
  })

  it.each([
    ['/', '/message'],
    ['/gotify', '/gotify/message'],
    ['/gotify/', '/gotify/message'],
  ])('posts to a server at %s by the path %s', async (path, expected) => {
    const { receiver, send } = await start(undefined, path)
    await send()
    expect(receiver.received[0]?.path).toBe(expected)
  })

  it.each([
    ['low', 2],
    ['normal', 5],
    ['critical', 8],
  ])('sends the urgency %s as priority %i', async (urgency, priority) => {
    const { post } = await start()
    expect(await post({ urgency })).toMatchObject({ priority })
  })

  it('never sends an empty message, which Gotify refuses', async () => {
    const { post } = await start()
    const empty = { title: '', body: '', cwd: '', client: '', at: '', sessionId: '', kind: 'other' }
    expect(await post(empty)).toMatchObject({ title: 'hookbell', message: 'hookbell' })
  })

  it.each([
    [401, 'you need to provide a valid access token', 'not of a client'],
    [404, 'page not found', 'with its path'],
  ])('gives a hint for the response %i', async (status, description, hint) => {
    const { send } = await start([refusal(status, description)])
    const error = await failureOf(send())
    expect(error).toMatchObject({ verdict: 'give-up', hint: expect.stringContaining(hint) })
    expect(error.message).toBe(`gotify: ${status} ${description}`)
  })

  it.each(['<html>Welcome to the hotel</html>', '{}', '{"id":"25"}', ''])(
    'does not treat the response %j as a success',
    async (body) => {
      const { send } = await start([{ body }])
      const error = await failureOf(send())
      expect(error).toMatchObject({ verdict: 'retry', hint: expect.stringContaining('Gotify') })
      expect(error.message).toContain('the answer is not from a Gotify server')
    },
  )

  it('reads the whole answer, in which Gotify repeats the longest message', async () => {
    // As a program in Go writes it, with escaped signs.
    const echo: Step = ({ body }) => ({
      body: JSON.stringify({ ...JSON.parse(body), id: 25, appid: 5 }).replaceAll('<', '\\u003c'),
    })
    const { send } = await start([echo])
    const long = '<'.repeat(100_000)
    const origin = { label: long, project: long, branch: long, host: long, reply: long }
    expect(await send({ title: long, body: long, origin })).toBe('accepted as 25')
  })

  it.each(['https://user@gotify.test', 'https://gotify.test/?token=x', 'http://gotify.test'])(
    'does not accept the server %s',
    (server) => {
      expect(gotify.options.safeParse({ server, token: TOKEN }).success).toBe(false)
    },
  )
})
