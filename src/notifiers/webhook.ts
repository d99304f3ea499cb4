import * as z from 'zod'
import { exportsOf } from './_exports-of.ts'
import { isSuccess, request } from './_http.ts'
import { answerLine, connectionFailure, httpFailure, urlSecrets } from './_network.ts'
import { defineNotifier, type Message } from './define.ts'
import { refusalIn, successOf, successOption } from './webhook/success.ts'

// Headers that hookbell sets itself, or that belong to the connection.
const RESERVED =
  /^(?:connection|content-length|content-type|expect|host|idempotency-key|keep-alive|te|trailer|transfer-encoding|upgrade|webhook-.*)$/i

// Unless `success` is set, the status is the verdict. A receiver that sends a long text after it, or breaks off, must not
// get the message again.
const TEXT_MS = 1000

const headers = z.record(
  z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'the name of a header')
    .refine((name) => !RESERVED.test(name), 'a header that hookbell does not set itself'),
  z.string().regex(/^[\t\x20-\x7e]*$/, 'must be one line of ASCII'),
)

const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64')

const options = z.strictObject({
  url: z
    .url({
      protocol: /^https?$/,
      error: 'must be an https:// URL, or http:// to a private network',
    })
    .refine((url) => !URL.canParse(url) || new URL(url).username === '', {
      error: 'must have no user name; use a header',
    })
    .describe('URL to post to')
    .meta({ secret: true }),
  headers: headers
    .default({})
    .describe('Headers to add, such as {"Authorization": "Bearer ${TOKEN}"}')
    .meta({ secret: true }),
  body: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .optional()
    .describe('Template of the body: an object of templates, sent as JSON, or a text'),
  contentType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w-]+)?$/, 'must be a media type')
    .optional()
    .describe(
      'Media type of the body. Default: application/json for an object, text/plain for a text',
    ),
  signingSecrets: z
    .array(signingSecret)
    .max(5)
    .default([])
    .describe('Secrets (whsec_...) to sign with by Standard Webhooks; more than one to change them')
    .meta({ secret: true }),
  success: successOption
    .optional()
    .describe(
      'What the answer must contain besides a status of 2xx: feishu, dingtalk, wecom, or such as {"field": "code", "equals": 0}',
    ),
  allowPrivateNetwork: z
    .boolean()
    .default(false)
    .describe('Also send to addresses of a private network, by http:// too'),
})

type Channel = z.output<typeof options>

export const webhook = defineNotifier({
  name: 'webhook',
  title: 'Webhook',
  options,
  serverOption: 'url',
  leavesMachine: true,
  compose: composeWebhook,
  async send(message, channel, context) {
    const { guard, refusal } = await import('./webhook/guard.ts')
    const composed = await makeRequest(message, channel)
    const secrets = secretsIn(channel, composed.headers)
    const { signal, extraCaFile } = context
    const exchange = async () => {
      const { lookup } = guard(new URL(channel.url), channel)
      return await request(channel.url, {
        ...composed,
        ...{ lookup, signal, extraCaFile },
        ...(!channel.success && { textMs: TEXT_MS }),
      })
    }
    const answer = await exchange().catch((error) => {
      throw refusal(error) ?? connectionFailure('webhook', error, { signal, secrets })
    })
    const { status, statusText } = answer
    const text = answerLine(answer.text, secrets)
    const success = successOf(channel.success, channel.url)
    const refused = success && refusalIn(answer, success, secrets)
    if (refused) throw refused
    if (!isSuccess(answer)) throw httpFailure('webhook', { ...answer, text, hint: hintFor(status) })
    return text || `${status} ${answerLine(statusText, secrets)}`.trim()
  },
})

async function makeRequest(message: Message, channel: Channel) {
  const { headers, body } = await composeWebhook(message, channel)
  const own = lowerCaseNames(channel.headers)
  const signature = await sign(message.id, body, channel.signingSecrets)
  return { method: 'POST', headers: { ...headers, ...own, ...signature }, body }
}

/** Leaves out the values of the channel's own headers, which are secret, and the signature, made for each attempt. */
async function composeWebhook(message: Message, channel: Channel) {
  const isText = typeof channel.body === 'string'
  const contentType = channel.contentType ?? (isText ? 'text/plain' : 'application/json')
  const { fillBody, standardBody } = await import('./webhook/body.ts')
  const body =
    channel.body === undefined
      ? standardBody(message)
      : await fillBody(channel.body, contentType, message)
  const headers: Record<string, string> = {
    'user-agent': 'hookbell',
    ...hidden(channel.headers),
    'content-type': contentType,
    'idempotency-key': message.id,
    'webhook-id': message.id,
  }
  return { headers, body }
}

function hidden(headers: Record<string, string>): Record<string, string> {
  const names = Object.keys(lowerCaseNames(headers))
  return Object.fromEntries(names.map((name) => [name, '[redacted]']))
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** Signs with every secret: a receiver that is changing its secret accepts either signature. */
async function sign(
  id: string,
  body: string,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  if (secrets.length === 0) return {}
  const { Webhook } = exportsOf(await import('standardwebhooks'))
  const now = new Date()
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, now, body))
  return {
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

function secretsIn({ url, headers, signingSecrets }: Channel, sent: Record<string, string>) {
  // For `Bearer abc` also `abc`, which a receiver may repeat alone.
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(' ')])
  const signature = sent['webhook-signature'] ?? ''
  return [...urlSecrets(url), ...values, ...signingSecrets, signature].filter(Boolean)
}

function hintFor(status: number): string | undefined {
  if (status === 410) return 'The receiver is gone for good: remove this channel'
  return undefined
}
