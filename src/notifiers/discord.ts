import * as z from 'zod'
import { type HttpAnswer, isSuccess } from './_http.ts'
import { signOf } from './_kind-signs.ts'
import { boundMarkup } from './_markup.ts'
import { answerLine, httpFailure, notFrom, secureUrl, urlSecrets } from './_network.ts'
import { type JsonRequest, parseAnswer, requestJson } from './_request-json.ts'
import { boundLine, boundText, wayOnOf, whoOf } from './_text.ts'
import { defineNotifier, type Message, type SendContext } from './define.ts'
import { discordCode, discordMarkup, escapeDiscord } from './discord/markup.ts'

// https://docs.discord.com/developers/resources/webhook: the limits of a message.
const CONTENT_LENGTH = 2000
const TITLE_LENGTH = 256
const FACT_LENGTH = 100
const SUPPRESS_EMBEDS = 4
const SUPPRESS_NOTIFICATIONS = 4096
/** Discord's code for a message that is not there any more. */
const UNKNOWN_MESSAGE = 10008

/** An escaped mark, a time or a piece of code, which must not be cut in two. */
const WHOLE = /\\.|<t:\d+:f>|`[^`\n]+`/g

const RENEW = 'Create a new webhook in the settings of the Discord channel and set its URL here'
const hints = new Map([
  [10003, 'Correct the thread_id in the URL, if it has one, or create a new webhook'],
  [10015, RENEW],
  [50027, RENEW],
  [220001, 'A forum needs a thread: add ?thread_id=ID to the URL'],
])

const accepted = z.object({ id: z.string().regex(/^\d{1,25}$/) })
const refused = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  /** What is wrong with each field of the message. */
  errors: z.unknown().optional(),
  retry_after: z.number().nonnegative().optional(),
})

type Channel = { url: string }

export const discord = defineNotifier({
  name: 'discord',
  title: 'Discord',
  options: z.strictObject({
    url: secureUrl
      .describe('URL of a Discord webhook; with ?thread_id=ID for a thread')
      .meta({ secret: true }),
  }),
  serverOption: 'url',
  markup: discordMarkup,
  summarizes: true,
  leavesMachine: true,
  compose: composeDiscord,
  // Discord's limit is 30 messages per minute and channel.
  pace: { minIntervalMs: 2000, destination: ({ url }) => url },
  async send(message, channel, context) {
    const { body } = composeDiscord(message)
    const answer = await call({ url: urlOf(channel, '', { wait: 'true' }), body }, channel, context)
    const { data } = accepted.safeParse(parseAnswer(answer))
    if (data) return { answer: `accepted as ${data.id}`, handle: data.id }
    // From a server in between that does not pass on `wait`; no login page answers so.
    if (answer.status === 204) return `204 ${answerLine(answer.statusText, [])}`.trim()
    throw notFrom('Discord', {
      name: 'discord',
      status: answer.status,
      text: answerLine(answer.text, urlSecrets(channel.url)),
      hint: 'Check that the URL is that of a webhook, and that no login page is in between',
    })
  },
  async withdraw(handle, channel, context) {
    const url = urlOf(channel, `/messages/${handle}`)
    const isDeleted = await call({ method: 'DELETE', url }, channel, context)
    return isDeleted.status === 404 ? 'was already deleted' : 'deleted'
  },
  async update(handle, message, channel, context) {
    const url = urlOf(channel, `/messages/${handle}`)
    // The flags of a message cannot be changed.
    const { flags: _, ...body } = composeDiscord(message).body
    await call({ method: 'PATCH', url, body }, channel, context)
    return handle
  },
})

/** The URL of the webhook with more of a path. Its own query, such as the id of a thread, stays. */
function urlOf({ url }: Channel, path: string, query: Readonly<Record<string, string>> = {}) {
  const target = new URL(url)
  target.pathname = target.pathname.replace(/\/$/, '') + path
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
  return target.href
}

/** @throws DeliveryError if Discord refuses; not for a message that is gone */
async function call(
  asked: Pick<JsonRequest, 'method' | 'url' | 'body'>,
  { url }: Channel,
  context: Pick<SendContext, 'signal' | 'extraCaFile'>,
): Promise<HttpAnswer> {
  const secrets = urlSecrets(url)
  const answer = await requestJson('discord', { ...asked, secrets }, context)
  if (isSuccess(answer)) return answer
  const said = refused.safeParse(parseAnswer(answer)).data
  const { code = 0, message, errors, retry_after } = said ?? {}
  if (code === UNKNOWN_MESSAGE) return answer
  const reason = errors ? `${message}: ${JSON.stringify(errors)}` : message
  const text = answerLine(reason ?? answer.text, secrets)
  const hint = hints.get(code)
  throw httpFailure('discord', { ...answer, text, hint, retryAfterSeconds: retry_after })
}

function composeDiscord(message: Message) {
  const title = escapeDiscord(boundLine(message.title, TITLE_LENGTH) || 'hookbell')
  const head = [signOf(message.kind)?.emoji, `**${title}**`].filter(Boolean).join(' ')
  const foot = [smallPrint(message).join(' · '), discordCode(wayOnOf(message))]
    .filter(Boolean)
    .map((text) => `-# ${text}`)
    .join('\n')
  const room = CONTENT_LENGTH - head.length - foot.length - '\n\n'.length
  const markup = message.markup || escapeDiscord(boundText(message.body, room))
  const text = boundMarkup(markup, room, WHOLE)
  const isSilent = message.urgency === 'low'
  const body = {
    content: [head, text, foot].filter(Boolean).join('\n'),
    // Without it the word @everyone in a text would call everybody.
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS | (isSilent ? SUPPRESS_NOTIFICATIONS : 0),
  }
  return { body }
}

function smallPrint(message: Message): string[] {
  const ms = Date.parse(message.at)
  return [
    ...whoOf(message).map((fact) => escapeDiscord(boundLine(fact, FACT_LENGTH))),
    ...(Number.isNaN(ms) ? [] : [discordMarkup.parts.moment(ms, '')]),
  ]
}
