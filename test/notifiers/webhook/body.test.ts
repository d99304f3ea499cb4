import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeliveryError } from '../../../src/notifiers/define.ts'
import { fillBody, standardBody } from '../../../src/notifiers/webhook/body.ts'
import { webhook } from '../../../src/notifiers/webhook.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { startReceiver } from '../../support/receiver.ts'
import { runs } from '../../support/runs.ts'
import { makeContext, makeMessage } from '../_suite.ts'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Texts with characters that have a meaning in the syntax of the body. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', '\\', '\n', '{{', '}}', '{%', '%}', '&', '=', '%22', '\u2028', '\ud800'),
      fc.string({ unit: anyCharacter }),
    ),
  )
  .map((parts) => parts.join(''))

describe('notifiers: webhook bodies', () => {
  it('fill the template in every string of an object', async () => {
    const body = {
      content: '**{{ title }}**\n{{ body }}',
      flags: 4,
      parts: [{ text: '{% if urgency == "critical" %}!{% endif %}{{ project }}' }, null, true],
    }
    expect(JSON.parse(await fillBody(body, JSON_TYPE, makeMessage()))).toEqual({
      content: '**Permission needed in shop**\nThe agent wants to run the tests',
      flags: 4,
      parts: [{ text: 'shop' }, null, true],
    })
  })

  it('stay valid JSON for any text of an event', () =>
    fc.assert(
      fc.asyncProperty(hostile, hostile, async (title, body) => {
        const message = makeMessage({ title, body })
        const object = await fillBody({ a: '{{ title }}', b: '{{ body }}' }, JSON_TYPE, message)
        const text = await fillBody('{"a":"{{ title }}","b":"{{ body }}"}', JSON_TYPE, message)
        for (const json of [object, text]) expect(JSON.parse(json)).toEqual({ a: title, b: body })
        expect(JSON.parse(standardBody(message)).data).toMatchObject({ title, body })
      }),
      { numRuns: runs(60) },
    ))

  it('stay a valid form for any text of an event', () =>
    fc.assert(
      fc.asyncProperty(hostile, async (title) => {
        const text = await fillBody('t={{ title }}&x=1', FORM_TYPE, makeMessage({ title }))
        const form = [...new URLSearchParams(text)]
        expect(form).toEqual([
          ['t', title.toWellFormed()],
          ['x', '1'],
        ])
      }),
      { numRuns: runs(60) },
    ))

  it('are escaped even with the filter `raw`', async () => {
    const message = makeMessage({ title: '","evil":"' })
    const text = await fillBody('{"a":"{{ title | raw }}"}', JSON_TYPE, message)
    expect(JSON.parse(text)).toEqual({ a: '","evil":"' })
  })

  it.each([
    ['{{ titel }}', 'undefined variable'],
    ['{{ title | upcaes }}', 'undefined filter'],
    ['{% if %}', 'invalid value'],
    ['{{ title', 'not closed'],
    ['{% include "/etc/passwd" %}', 'ENOENT'],
    ['{% render "secrets.env" %}', 'ENOENT'],
    ['{"a": {{ title }}}', 'JSON'],
  ])('with the template %s make the delivery give up', async (body, reason) => {
    const error = await fillBody(body, JSON_TYPE, makeMessage()).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(DeliveryError)
    expect(error).toMatchObject({ verdict: 'give-up', hint: expect.stringContaining('body') })
    expect(error.hint).toMatch(/values: id, event, kind, .*, at$/)
    expect(error.message).toContain(reason)
    expect(error.message).toMatch(/^webhook: body: [^\n]*$/)
  })

  it('have no access to properties of values', async () => {
    const body = { a: '{{ title.constructor }}{{ title.length }}' }
    const error = await fillBody(body, JSON_TYPE, makeMessage()).catch((thrown) => thrown)
    expect(error).toMatchObject({ verdict: 'give-up' })
  })

  it('are sent with the right content type', async () => {
    const receiver = await startReceiver()
    const send = (fields: object) =>
      webhook.send(
        makeMessage(),
        webhook.options.parse({ url: receiver.url, ...fields }),
        makeContext(),
      )
    await send({ body: '{{ title }}' })
    await send({ body: { text: '{{ title }}' } })
    await send({ body: 't={{ title }}', contentType: FORM_TYPE })
    expect(receiver.received.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['text/plain', 'Permission needed in shop'],
      ['application/json', '{"text":"Permission needed in shop"}'],
      [FORM_TYPE, 't=Permission%20needed%20in%20shop'],
    ])
  })
})
