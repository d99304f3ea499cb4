import type { FetchFunction } from '@slack/webhook'
import * as z from 'zod'
import { ageInWords } from '../text/age.ts'
import { exportsOf } from './_exports-of.ts'
import { type HttpAnswer, isSuccess, request } from './_http.ts'
import { boundMarkup, slackMarkup } from './_markup.ts'
import { answerLine, connectionFailure, httpFailure, secureUrl, urlSecrets } from './_network.ts'
import { boundLine, boundText, escapeMarkup, markupToken, timeOf, wayOnOf, whoOf } from './_text.ts'
import {
  type ComposeContext,
  DeliveryError,
  defineNotifier,
  type Message,
  type SendContext,
} from './define.ts'

// https://docs.slack.dev/reference/block-kit: more than this and Slack refuses the whole message.
const HEADER_LENGTH = 150
const SECTION_LENGTH = 3000
const FACT_LENGTH = 150

const RENEW = 'Create a new incoming webhook in Slack and set its URL for this channel'
const ASK_ADMIN = 'Ask an administrator of the Slack workspace to allow it'
// A Map, not an object, so that an answer such as `constructor` finds nothing.
const hints = new Map([
  ['action_prohibited', ASK_ADMIN],
  ['channel_is_archived', 'Unarchive the Slack channel or point the webhook to another one'],
  ['channel_not_found', RENEW],
  ['invalid_token', RENEW],
  ['no_active_hooks', RENEW],
  ['no_service', RENEW],
  ['no_service_id', RENEW],
  ['no_team', RENEW],
  ['posting_to_general_channel_denied', ASK_ADMIN],
  ['team_disabled', ASK_ADMIN],
  ['user_not_found', RENEW],
])

export const slack = defineNotifier({
  name: 'slack',
  title: 'Slack',
  options: z.strictObject({
    url: secureUrl.describe('URL of a Slack incoming webhook').meta({ secret: true }),
  }),
  serverOption: 'url',
  markup: slackMarkup,
  summarizes: true,
  leavesMachine: true,
  compose: composeSlack,
  // Slack's limit for incoming webhooks.
  pace: { minIntervalMs: 1000, destination: ({ url }) => url },
  async send(message, { url }, context) {
    const { IncomingWebhook } = exportsOf(await import('@slack/webhook'))
    const secrets = urlSecrets(url)
    const { signal, extraCaFile } = context
    const { body } = composeSlack(message, { url }, context)
    const { fetch, received } = recordingFetch({ signal, extraCaFile })
    await new IncomingWebhook(url, { fetch }).send(body).catch((error) => {
      // The package also throws for an answer that is not a success. That answer is evaluated below, with its headers.
      if (!received()) throw connectionFailure('slack', error, { signal, secrets })
    })
    const answer = received()
    if (!answer) throw new DeliveryError('retry', 'slack: nothing was sent')
    const text = answerLine(answer.text, secrets)
    if (!isSuccess(answer)) throw httpFailure('slack', { ...answer, text, hint: hints.get(text) })
    if (!isAccepted(answer.text)) throw notAccepted(text)
    return text
  },
})

/**
 * A replacement for the global `fetch` in @slack/webhook. It has our deadline, limits how much is read, and keeps the
 * answer with its headers, which the package leaves out of its errors.
 */
function recordingFetch(context: Pick<SendContext, 'signal' | 'extraCaFile'>) {
  let answer: HttpAnswer | undefined
  const fetch: FetchFunction = async (url, { headers = {}, body } = {}) => {
    answer = await request(`${url}`, { method: 'POST', headers, body: `${body}`, ...context })
    const { status, statusText, text } = answer
    const fields = new Map(
      Object.entries(answer.headers).map(([name, value]) => [name, `${value}`]),
    )
    return {
      ...{ ok: isSuccess(answer), status, statusText, url: `${url}` },
      // Not the global `Headers`: loading that class takes as long as loading the global `fetch`.
      headers: { get: (name) => fields.get(name.toLowerCase()) ?? null, entries: () => fields },
      text: async () => text,
      json: async () => JSON.parse(text),
      arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    }
  }
  return { fetch, received: () => answer }
}

/** Slack answers `ok`; its workflows and some compatible servers answer in JSON. */
function isAccepted(text: string): boolean {
  if (text.trim().toLowerCase() === 'ok') return true
  try {
    const { ok, success } = Object(JSON.parse(text)) as { ok?: unknown; success?: unknown }
    return ok === true || success === true
  } catch {
    return false
  }
}

/** A 200 without Slack's `ok`, such as from a network's login page. */
function notAccepted(answer: string): DeliveryError {
  const hint = hints.get(answer)
  const said = answer === '' ? 'nothing' : `"${answer}"`
  return new DeliveryError(
    hint ? 'give-up' : 'retry',
    `slack: 200, but it said ${said}, not "ok"`,
    {
      hint:
        hint ??
        'Check that the URL is that of an incoming webhook, and that no login page is in between',
    },
  )
}

function composeSlack(message: Message, _: object, { now }: Pick<ComposeContext, 'now'>) {
  const title = boundLine(message.title, HEADER_LENGTH) || 'hookbell'
  const body = {
    // What notifications and screen readers show in place of the blocks.
    text: boundText(escapeMarkup(`${title}\n${message.body}`.trim()), SECTION_LENGTH, markupToken),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header' as const, text: plainText(title, HEADER_LENGTH) },
      // A summary of several messages, and a template for plain text, have no markup.
      ...[message.markup ? formatted(message.markup) : plainText(message.body, SECTION_LENGTH)]
        .filter(({ text }) => text.trim() !== '')
        .map((text) => ({ type: 'section' as const, text })),
      ...[smallPrint(message, now), wayOn(message)]
        .filter((text) => text !== '')
        .map((text) => ({ type: 'context' as const, elements: [formatted(text)] })),
    ],
  }
  return { body }
}

function smallPrint(message: Message, now: number): string {
  const facts = whoOf(message).map((fact) => slackMarkup.escape(boundLine(fact, FACT_LENGTH)))
  return [...facts, time(message, now)].filter(Boolean).join(' · ')
}

/** Slack shows it in the time zone of the reader. */
function time({ at }: Message, now: number): string {
  const words = timeOf({ at }, now)
  if (words === '') return ''
  const age = ageInWords(Date.parse(at), now)
  return `${slackMarkup.parts.moment(Date.parse(at), words)}${age && ` (${age})`}`
}

/** In a block of its own, because it is for copying. */
function wayOn(message: Message): string {
  const command = wayOnOf(message)
  return command && slackMarkup.parts.code(command)
}

/** `verbatim` keeps Slack from turning bare words into links and mentions. */
function formatted(markup: string) {
  const text = boundMarkup(markup, SECTION_LENGTH, markupToken)
  return { type: 'mrkdwn' as const, text, verbatim: true }
}

/** Without `emoji: false` Slack would turn `:name:` into pictures. */
function plainText(text: string, max: number) {
  return {
    type: 'plain_text' as const,
    text: boundText(escapeMarkup(text), max, markupToken),
    emoji: false,
  }
}
