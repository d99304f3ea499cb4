import * as z from 'zod'
import { sha256 } from '../text/sha256.ts'
import { signOf } from './_kind-signs.ts'
import { secureUrl } from './_network.ts'
import { type JsonRequest, requestJson } from './_request-json.ts'
import { boundLine, boundText, originOf, wayOnOf } from './_text.ts'
import { defineNotifier, type Message, type SendContext } from './define.ts'
import { acceptedMessage, ntfyFailure } from './ntfy/answer.ts'

// https://docs.ntfy.sh/publish/#limitations: a longer message becomes an attachment, and the whole
// JSON may be twice as long. Measured as JSON, so that escaped quotes cannot exceed the limit.
const MESSAGE_BYTES = 4096
const TITLE_LENGTH = 200

const PRIORITIES = { low: 2, normal: 3, critical: 5 }

const RESERVED = /^(?:account|app|docs|file|login|metrics|settings|signup|static|v1)$/

const options = z.strictObject({
  topic: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, "-" and "_", at most 64')
    .refine((topic) => !RESERVED.test(topic), 'is a name that ntfy keeps for itself')
    .describe('Topic to publish to; on an open server everyone who knows it can read it'),
  server: secureUrl
    .refine((url) => !URL.canParse(url) || isRoot(new URL(url)), {
      error: 'must be the server alone; the topic is an option of its own',
    })
    .default('https://ntfy.sh')
    .describe('Your own server'),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be an access token such as tk_...')
    .optional()
    .describe('Access token')
    .meta({ secret: true }),
  tags: z
    .array(z.string().regex(/^[^\s,]{1,50}$/, 'must be one word'))
    .max(10)
    .default([])
    .describe('Tags besides the one for the kind; emoji names are shown as emojis'),
  click: z
    .url('must be a URL such as https://example.com')
    .optional()
    .describe('URL to open when the notification is tapped'),
  replace: z
    .boolean()
    .default(false)
    .describe(
      'Each message replaces the previous one of its session, unless that waits for an answer',
    ),
})

type Channel = z.output<typeof options>

export const ntfy = defineNotifier({
  name: 'ntfy',
  title: 'ntfy (phone)',
  summarizes: true,
  leavesMachine: true,
  options,
  serverOption: 'server',
  compose: composeNtfy,
  canReplace: ({ replace }) => replace,
  async send(message, channel, context) {
    const { body } = composeNtfy(message, channel, context)
    const sent = { ...body, sequence_id: context.replaces ?? body.sequence_id }
    // To the root: JSON that is posted to the topic's own URL is shown as plain text.
    const answer = await call('', { body: sent, handle: sent.sequence_id }, channel, context)
    const accepted = acceptedMessage(answer, secretsOf(channel))
    // A server older than 2.16 knows no such ids, so the message could not be deleted by it.
    const hasHandle = accepted.sequence === sent.sequence_id
    return hasHandle ? { answer: accepted.answer, handle: sent.sequence_id } : accepted.answer
  },
  async withdraw(handle, channel, context) {
    const path = `/${channel.topic}/${encodeURIComponent(handle)}`
    await call(path, { method: 'DELETE' }, channel, context)
    return 'deleted on the devices'
  },
})

/** The topic counts as a secret: on an open server nothing else keeps others out. */
function secretsOf({ topic, token }: Channel): string[] {
  return [topic, ...(token ? [token] : [])]
}

/** @throws DeliveryError for any answer but 200, and where there is none */
async function call(
  path: string,
  asked: Pick<JsonRequest, 'method' | 'body' | 'handle'>,
  channel: Channel,
  context: Pick<SendContext, 'signal' | 'extraCaFile'>,
) {
  const { server, token } = channel
  const secrets = secretsOf(channel)
  const url = new URL(server).origin + path
  const headers = { ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await requestJson('ntfy', { ...asked, url, headers, secrets }, context)
  if (answer.status !== 200) throw ntfyFailure(answer, secrets)
  return answer
}

function isRoot(url: URL): boolean {
  return url.pathname === '/' && url.search + url.hash + url.username === ''
}

function composeNtfy(
  message: Message,
  { topic, tags, click, replace }: Channel,
  { now, isBeside }: Pick<SendContext, 'now' | 'isBeside'>,
) {
  const tag = signOf(message.kind)?.name
  const origin = [originOf(message, now).join(' · '), wayOnOf(message)].filter(Boolean).join('\n')
  const body = {
    topic,
    title: boundLine(message.title, TITLE_LENGTH) || 'hookbell',
    // ntfy replaces an empty message with `triggered`.
    message: withOrigin(boundJson(message.body), origin) || 'hookbell',
    priority: PRIORITIES[message.urgency],
    tags: tag ? [tag, ...tags] : tags,
    ...(click && { click }),
    sequence_id: sequenceId(message, replace && !isBeside),
  }
  return { body }
}

/** Appends the origin of the message, or leaves it out where there is no room for both. */
function withOrigin(text: string, origin: string): string {
  const both = [text, origin].filter(Boolean).join('\n\n')
  return Buffer.byteLength(JSON.stringify(both)) <= MESSAGE_BYTES ? both : text
}

/**
 * With an id from the event, a repeated delivery replaces itself; with one from the session, only the session's latest
 * message is shown.
 */
function sequenceId({ id, client, sessionId }: Message, replace: boolean): string {
  const subject = replace && sessionId ? `${client}\0${sessionId}` : `\0${id}`
  return sha256(subject).slice(0, 32)
}

/** Truncates a text so that its JSON fits into a message. */
function boundJson(text: string): string {
  let bounded = boundText(text, MESSAGE_BYTES)
  for (;;) {
    const bytes = Buffer.byteLength(JSON.stringify(bounded))
    if (bytes <= MESSAGE_BYTES) return bounded
    // Shortened in proportion to the excess; a few rounds are enough.
    bounded = boundText(text, Math.floor((bounded.length * MESSAGE_BYTES) / bytes) - 1)
  }
}
