import * as z from 'zod'
import type { HttpAnswer } from './_http.ts'
import { signOf } from './_kind-signs.ts'
import { answerLine, httpFailure, notFrom, secureUrl } from './_network.ts'
import { parseAnswer, requestJson } from './_request-json.ts'
import { boundLine, boundText, markupToken, timeOf, wayOnOf, whoOf } from './_text.ts'
import { DeliveryError, defineNotifier, type Message, type SendContext } from './define.ts'
import { FORM_ROOM, formBody, listenTo } from './telegram/answers.ts'
import { closeElements, escapeTelegram, telegramMarkup } from './telegram/markup.ts'

// https://core.telegram.org/bots/api#sendmessage: the limit of a text, without its markup.
const TEXT_LENGTH = 4096
const TITLE_LENGTH = 256
const FACT_LENGTH = 100

/** Why no message gets into a chat, in the words of an answer 400, and what to do. */
const faultsOfChat: readonly [RegExp, string][] = [
  [
    /chat not found|PEER_ID_INVALID/,
    'Write to the bot in this chat first; the id of the chat is in https://api.telegram.org/bot<token>/getUpdates',
  ],
  [/thread not found|TOPIC_/, 'Correct the topic of this channel, or open it; General needs none'],
  [/rights|write access|_FORBIDDEN|CHAT_RESTRICTED/, 'Allow the bot to post in this chat'],
  [/upgraded/, 'Set chat to the new id of the group'],
]

const accepted = z.object({
  ok: z.literal(true),
  result: z.object({ message_id: z.int(), chat: z.object({ id: z.int() }) }),
})
const refused = z.object({
  description: z.string(),
  parameters: z
    .object({
      retry_after: z.number().nonnegative().optional(),
      migrate_to_chat_id: z.int().optional(),
    })
    .optional(),
})

const CHAT_FORM = 'must be the id of a chat, or the @name of a channel'

const options = z.strictObject({
  token: z
    .string()
    .regex(/^\d{1,20}:[\w-]{20,100}$/, 'must be the token of a bot, such as 123456:ABC...')
    .describe('Token of the bot, from @BotFather')
    .meta({ secret: true }),
  chat: z
    .union([z.int(), z.string().regex(/^(?:-?\d{1,20}|@\w{1,64})$/, CHAT_FORM)], {
      error: CHAT_FORM,
    })
    .describe('Id of the chat, or @name of a public channel'),
  topic: z.int().positive().optional().describe('Id of a topic in a group with topics'),
  server: secureUrl.default('https://api.telegram.org').describe('Another server of the Bot API'),
})

type Channel = z.output<typeof options>
type CallContext = Pick<SendContext, 'signal' | 'extraCaFile'> & { maxBytes?: number }

export const telegram = defineNotifier({
  name: 'telegram',
  title: 'Telegram',
  options,
  serverOption: 'server',
  markup: telegramMarkup,
  summarizes: true,
  leavesMachine: true,
  compose: composeTelegram,
  // Telegram's limit per chat. In groups it is 20 messages a minute; Telegram then says how long to wait.
  pace: { minIntervalMs: 1000, destination: ({ chat }) => String(chat) },
  async send(message, channel, context) {
    const { body } = composeTelegram(message, channel, context)
    if (context.form) Object.assign(body, formBody(context.form))
    const answer = await call('sendMessage', body, channel, context)
    const { data } = accepted.safeParse(parseAnswer(answer))
    if (!data) throw notTelegram(answer, channel)
    const { message_id: id, chat } = data.result
    return { answer: `accepted as ${id}`, handle: `${chat.id}:${id}` }
  },
  async withdraw(handle, channel, context) {
    try {
      await call('deleteMessage', addressOf(handle), channel, context)
      return 'deleted'
    } catch (error) {
      // Somebody has deleted it, or it is older than the 48 hours in which a bot may do so.
      if (!isRefused(error, /message (?:to delete not found|can't be deleted)/)) throw error
      return 'could not be deleted any more'
    }
  },
  async update(handle, message, channel, context) {
    const { text, parse_mode, link_preview_options } = composeTelegram(
      message,
      channel,
      context,
    ).body
    await edit({ ...addressOf(handle), text, parse_mode, link_preview_options }, channel, context)
    return handle
  },
  answers: {
    room: FORM_ROOM,
    chat: ({ chat }) => (Number.isSafeInteger(Number(chat)) ? `${Number(chat)}` : undefined),
    needs: 'chat must be the number of a chat',
    listener: ({ server, token }) => `${server} ${token.split(':')[0]}`,
    listen: (channel, context) =>
      listenTo(
        async (...[method, body, how]) => (await call(method, body, channel, how)).text,
        context,
      ),
    change: (handle, form, channel, context) =>
      edit({ ...addressOf(handle), ...formBody(form) }, channel, context),
  },
})

/** Replaces a message. One that is gone, or says the same, is not an error. @throws DeliveryError */
async function edit(body: object, channel: Channel, context: CallContext) {
  try {
    await call('editMessageText', body, channel, context)
  } catch (error) {
    if (!isRefused(error, /message (?:is not modified|to edit not found|can't be edited)/))
      throw error
  }
}

function addressOf(handle: string) {
  const [chat = '', message = ''] = handle.split(':')
  return { chat_id: Number(chat), message_id: Number(message) }
}

function isRefused(error: unknown, reason: RegExp): boolean {
  return error instanceof DeliveryError && reason.test(error.message)
}

/** @throws DeliveryError for any answer but a success, and where there is none */
async function call(method: string, body: object, channel: Channel, context: CallContext) {
  const { server, token } = channel
  const secrets = secretsOf(channel)
  const url = `${server.replace(/\/$/, '')}/bot${token}/${method}`
  const { maxBytes, ...rest } = context
  const request = { url, body, secrets, ...(maxBytes && { maxBytes }) }
  const answer = await requestJson('telegram', request, rest)
  if (answer.status !== 200) throw failureOf(answer, secrets)
  return answer
}

function secretsOf({ token }: Channel): string[] {
  const [, secret = token] = token.split(':')
  return [token, secret, encodeURIComponent(token)]
}

function failureOf(answer: HttpAnswer, secrets: readonly string[]): DeliveryError {
  const { description, parameters } = refused.safeParse(parseAnswer(answer)).data ?? {}
  const text = answerLine(description ?? answer.text, secrets)
  const fault =
    answer.status === 400 ? faultsOfChat.find(([reason]) => reason.test(text))?.[1] : undefined
  const newChat = parameters?.migrate_to_chat_id
  const hint = newChat
    ? `The group has a new id: set chat to ${newChat}`
    : (fault ?? hintFor(answer.status, text))
  const retryAfterSeconds = parameters?.retry_after
  const isChannelDead = fault !== undefined
  return httpFailure('telegram', { ...answer, text, hint, retryAfterSeconds, isChannelDead })
}

function hintFor(status: number, text: string): string | undefined {
  if (status === 401 || status === 404) return 'Set the token that @BotFather shows for the bot'
  if (status === 403) return 'Start the bot in this chat again, or add it to the group'
  if (/can't parse entities/.test(text)) return 'Correct your template: Telegram knows little HTML'
  return undefined
}

function notTelegram({ status, text }: HttpAnswer, channel: Channel): DeliveryError {
  return notFrom('Telegram', {
    name: 'telegram',
    status,
    text: answerLine(text, secretsOf(channel)),
    hint: 'Check the server of this channel, and that no login page is in between',
  })
}

function composeTelegram(
  message: Message,
  { chat, topic }: Pick<Channel, 'chat' | 'topic'>,
  { now }: Pick<SendContext, 'now'>,
) {
  const title = escapeLine(message.title, TITLE_LENGTH) || 'hookbell'
  const head = [signOf(message.kind)?.emoji, `<b>${title}</b>`].filter(Boolean).join(' ')
  const foot = [`<i>${smallPrint(message, now).join(' · ')}</i>`, wayOn(message)]
    .filter(Boolean)
    .join('\n')
  const room = TEXT_LENGTH - head.length - foot.length - '\n\n\n\n'.length
  const markup = message.markup || escapeTelegram(boundText(message.body, room))
  const text = closeElements(boundText(markup, room, markupToken))
  const body = {
    chat_id: chat,
    ...(topic && { message_thread_id: topic }),
    text: [head, text, foot].filter(Boolean).join('\n\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    disable_notification: message.urgency === 'low',
  }
  return { body }
}

/** Bounded again once it is escaped, which may make it six times as long: the text needs the room. */
function escapeLine(text: string, max: number): string {
  return boundText(escapeTelegram(boundLine(text, max)), max * 2, markupToken)
}

function smallPrint(message: Message, now: number): string[] {
  const facts = [...whoOf(message), timeOf(message, now)].filter(Boolean)
  return facts.map((fact) => escapeLine(fact, FACT_LENGTH))
}

function wayOn(message: Message): string {
  const command = wayOnOf(message)
  return command && telegramMarkup.parts.code(command)
}
