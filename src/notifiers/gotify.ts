import * as z from 'zod'
import { type HttpAnswer, isSuccess } from './_http.ts'
import { signOf } from './_kind-signs.ts'
import { answerLine, httpFailure, notFrom, secureUrl } from './_network.ts'
import { parseAnswer, requestJson } from './_request-json.ts'
import { boundLine, boundText, originOf, wayOnOf } from './_text.ts'
import { type ComposeContext, defineNotifier, type Message } from './define.ts'

// The server repeats the message in its answer, with up to six bytes for a character. All of that must fit into what
// `_http.ts` reads. In a MySQL database a message of more than 64 KiB would be refused.
const TEXT_LENGTH = 8000
const TITLE_LENGTH = 250
const ORIGIN_LENGTH = 500

/** https://github.com/gotify/android: an icon, an icon with a sound, and a vibration as well. */
const PRIORITIES = { low: 2, normal: 5, critical: 8 }

const options = z.strictObject({
  server: secureUrl
    .refine((url) => !URL.canParse(url) || isPlain(new URL(url)), {
      error: 'must be a URL without a user or a query; the token is an option of its own',
    })
    .describe('Your server, such as https://gotify.example.com'),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be the token of an application')
    .describe('Token of an application, from the page Apps of the server')
    .meta({ secret: true }),
})

/** https://gotify.net/api-docs: the answer to an accepted message, and to a refused one. */
const accepted = z.object({ id: z.int(), appid: z.int() })
const refused = z.object({ errorDescription: z.string() })

const hints = new Map([
  [401, 'Correct the token of this channel: it must be that of an application, not of a client'],
  [
    404,
    'Check that the URL of this channel is that of a Gotify server, with its path if it has one',
  ],
])

export const gotify = defineNotifier({
  name: 'gotify',
  title: 'Gotify (phone)',
  options,
  serverOption: 'server',
  summarizes: true,
  leavesMachine: true,
  compose: composeGotify,
  async send(message, { server, token }, context) {
    const { body } = composeGotify(message, {}, context)
    const secrets = [token]
    const request = { url: urlOf(server), headers: { 'x-gotify-key': token }, body, secrets }
    const answer = await requestJson('gotify', request, context)
    if (!isSuccess(answer)) throw failureOf(answer, secrets)
    const { data } = accepted.safeParse(parseAnswer(answer))
    if (data) return `accepted as ${data.id}`
    throw notFrom('a Gotify server', {
      name: 'gotify',
      status: answer.status,
      text: answerLine(answer.text, secrets),
      hint: 'Check that the server of this channel is a Gotify server',
    })
  },
})

function isPlain({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === ''
}

/** Behind a proxy the server may have a path of its own. */
function urlOf(server: string): string {
  return `${server.replace(/\/+$/, '')}/message`
}

function failureOf(answer: HttpAnswer, secrets: readonly string[]) {
  const { errorDescription } = refused.safeParse(parseAnswer(answer)).data ?? {}
  const text = answerLine(errorDescription ?? answer.text, secrets)
  return httpFailure('gotify', { ...answer, text, hint: hints.get(answer.status) })
}

function composeGotify(message: Message, _: object, { now }: Pick<ComposeContext, 'now'>) {
  const title = boundLine(message.title, TITLE_LENGTH) || 'hookbell'
  const text = boundText(message.body, TEXT_LENGTH)
  const origin = boundLine(originOf(message, now).join(' · '), ORIGIN_LENGTH)
  const small = [origin, wayOnOf(message)].filter(Boolean).join('\n')
  const body = {
    title: [signOf(message.kind)?.emoji, title].filter(Boolean).join(' '),
    // An empty message is refused.
    message: [text, small].filter(Boolean).join('\n\n') || 'hookbell',
    priority: PRIORITIES[message.urgency],
    // The agent's text must not be read as Markdown.
    extras: { 'client::display': { contentType: 'text/plain' } },
  }
  return { body }
}
