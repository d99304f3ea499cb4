import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { teams } from '../../src/notifiers/teams.ts'
import { anyCharacter } from '../support/any-character.ts'
import { type Step, startReceiver } from '../support/receiver.ts'
import { runs } from '../support/runs.ts'
import { failureOf, makeContext, makeMessage, testHttpNotifier } from './_suite.ts'

const CANARY = 'canary5ecretSignature'

interface Block {
  type: string
  spacing: string
  inlines: { type: string; text: string }[]
}
interface Card {
  body: Block[]
}

const start = async (script: Step[] = [{ status: 202, body: '' }], options: object = {}) => {
  const receiver = await startReceiver({ script })
  const url = `${receiver.url}/workflows/1/triggers/manual?sig=${CANARY}`
  const channel = teams.options.parse({ url, ...options })
  const send = (fields = {}) => teams.send(makeMessage(fields), channel, makeContext())
  const post = async (fields = {}) => {
    await send(fields)
    return JSON.parse(receiver.received.at(-1)?.body ?? '')
  }
  return { receiver, send, post }
}

const cardOf = (posted: { attachments: { content: Card }[] }) =>
  posted.attachments[0]?.content ?? expect.fail('no card')

const textsOf = ({ body }: Card) => body.flatMap(({ inlines }) => inlines.map(({ text }) => text))

describe('notifiers: teams', () => {
  testHttpNotifier({
    notifier: teams,
    options: (url) => ({ url: `${url}/workflows/1/triggers/manual?sig=${CANARY}` }),
    secret: CANARY,
  })

  it('posts an adaptive card with title, text and origin', async () => {
    const { post } = await start()
    const reply = 'hookbell reply b7c1 "…"'
    const origin = { label: 'Retry', project: 'shop', branch: 'main', host: 'box', reply }
    expect(
      await post({ body: 'npm test\n\n- [x](https://y.test)', origin }),
    ).toMatchInlineSnapshot(`
      {
        "attachments": [
          {
            "content": {
              "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
              "body": [
                {
                  "inlines": [
                    {
                      "size": "Medium",
                      "text": "🔔 Permission needed in shop",
                      "type": "TextRun",
                      "weight": "Bolder",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "text": "npm test",
                      "type": "TextRun",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "text": "- [x](https://y.test)",
                      "type": "TextRun",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "isSubtle": true,
                      "size": "Small",
                      "text": "Retry · claude · main · on box · b7c1 · 2026-11-20 09:30",
                      "type": "TextRun",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "isSubtle": true,
                      "size": "Small",
                      "text": "hookbell reply b7c1 "…"",
                      "type": "TextRun",
                    },
                  ],
                  "spacing": "Small",
                  "type": "RichTextBlock",
                },
              ],
              "fallbackText": "Permission needed in shop",
              "msteams": {
                "width": "Full",
              },
              "type": "AdaptiveCard",
              "version": "1.4",
            },
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
          },
        ],
        "type": "message",
      }
    `)
  })

  it('posts the card alone if the workflow wants that', async () => {
    const { post } = await start([202], { bareCard: true })
    expect(await post()).toMatchObject({ type: 'AdaptiveCard', version: '1.4' })
  })

  it('has only text in which Teams finds no markup', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 })
    const fields = fc.record({ title: text, body: text, cwd: text, client: text, sessionId: text })
    return fc.assert(
      fc.asyncProperty(fields, async (event) => {
        const { post } = await start()
        const { body, ...rest } = cardOf(await post(event))
        for (const block of body) {
          expect(block).toMatchObject({ type: 'RichTextBlock', inlines: [{ type: 'TextRun' }] })
        }
        // Mentions would need entities.
        expect(rest).toMatchObject({ msteams: { width: 'Full' } })
      }),
      { numRuns: runs(30) },
    )
  })

  it('stays far below the largest message that Teams takes', async () => {
    const { receiver, send } = await start()
    const bodies = ['語'.repeat(10_000), '"\n'.repeat(5000), `${'x'.repeat(50)}\n`.repeat(1000)]
    for (const body of bodies) {
      const origin = { label: body, project: body, branch: body, host: body, reply: body }
      await send({ title: body, body, origin, sessionId: body })
    }
    for (const { body } of receiver.received) expect(Buffer.byteLength(body)).toBeLessThan(20_000)
  })

  it('keeps paragraphs apart, and lines together, with their indentation', async () => {
    const { post } = await start()
    const [, ...blocks] = cardOf(await post({ body: 'One\n• a\n  • b\n\nTwo' })).body
    expect(blocks.map(({ spacing, inlines }) => [spacing, inlines[0]?.text]).slice(0, -1)).toEqual([
      ['Small', 'One'],
      ['None', '• a'],
      ['None', '\u00a0\u00a0• b'],
      ['Small', 'Two'],
    ])
  })

  it('shows that a text of many lines is cut', async () => {
    const { post } = await start()
    const texts = textsOf(cardOf(await post({ body: 'x\n'.repeat(500) })))
    expect(texts.slice(-2)[0]).toBe('…')
    expect(texts.length).toBeLessThan(70)
  })

  it.each([
    [202, '', '202 Accepted'],
    [200, '1', '1'],
    [200, '', '200 OK'],
  ])('treats the response %i %j as a success', async (status, body, answer) => {
    const { send } = await start([{ status, body }])
    expect(await send()).toBe(answer)
  })

  it.each([
    '<html><title>Log in to the network</title></html>',
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429',
  ])('does not treat the response %j as a success', async (body) => {
    const { send } = await start([{ body }])
    const error = await failureOf(send())
    expect(error).toMatchObject({ verdict: 'retry', hint: expect.stringContaining('workflow') })
  })

  it.each([
    [401, 'signature'],
    [403, 'signature'],
    [404, 'Turn the workflow on'],
  ])('gives a hint for the response %i', async (status, hint) => {
    const { send } = await start([{ status, body: '{"error":{"code":"x"}}' }])
    const error = await failureOf(send())
    expect(error).toMatchObject({ verdict: 'give-up', isChannelDead: true })
    expect(error.hint).toContain(hint)
  })

  it.each([
    ['TriggerInputSchemaMismatch', "The input body for trigger 'manual' did not match", 'template'],
    ['WorkflowTriggerIsNotEnabled', "Could not execute trigger 'manual'", 'Turn the workflow on'],
  ])('shows the words of the response 400 %s, with a hint', async (code, message, hint) => {
    const body = JSON.stringify({ error: { code, message } })
    const { send } = await start([{ status: 400, body }])
    expect(await failureOf(send())).toMatchObject({
      ...{ verdict: 'give-up', isChannelDead: true, message: `teams: 400 ${code}: ${message}` },
      hint: expect.stringContaining(hint),
    })
  })

  it('has a pace of one message per second and workflow', () => {
    expect(teams.pace?.minIntervalMs).toBe(1000)
    const options = teams.options.parse({ url: 'https://x.test/a' })
    expect(teams.pace?.destination(options)).toBe('https://x.test/a')
  })
})
