import * as z from 'zod'
import { cleanText, cutText, oneLine } from '../../text/clean.ts'
import type { Dialog } from './dialog.ts'

const SERVER = 'https://api.telegram.org'
const LIMIT_MS = 15_000
const NAME_LENGTH = 40

const chat = z.object({
  id: z.int(),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
})
type Chat = z.output<typeof chat>

/** https://core.telegram.org/bots/api#update: what is said to a bot, and what happens to it in a group. */
const holder = z.object({ chat }).optional().catch(undefined)
const updates = z.array(
  z.object({
    message: holder,
    channel_post: holder,
    my_chat_member: holder,
    edited_message: holder,
  }),
)

/** Asks for the bot, and finds the chat by itself once the person has written to the bot. @returns the channel's options */
export async function askTelegram(
  dialog: Dialog,
  server = SERVER,
): Promise<Record<string, unknown>> {
  const token = await dialog.secret('Token of the bot, from @BotFather', (text) =>
    /^\d{1,20}:[\w-]{20,100}$/.test(text) ? undefined : 'Not a token such as 123456:ABC...',
  )
  const reference = dialog.store('TELEGRAM_TOKEN', token)
  const found = await findChat({ server, token }, dialog)
  return { token: reference, chat: found ?? (await askId(dialog)) }
}

interface Bot {
  server: string
  token: string
}

/** @returns undefined if the person wants to type the id */
async function findChat(bot: Bot, dialog: Dialog): Promise<number | undefined> {
  const me = await call('getMe', bot)
  if ('fault' in me) {
    dialog.say(`Telegram: ${me.fault}`)
    return undefined
  }
  const name = z.object({ username: z.string() }).safeParse(me.result).data?.username
  dialog.say(
    `Now write any word to ${name ? `@${name}` : 'the bot'} in Telegram,\nor add it to your group.`,
  )
  for (;;) {
    const next = await dialog.choose('Chat', {
      look: 'I have written: find it',
      type: 'I know its id',
    })
    if (next === 'type') return undefined
    const answer = await call('getUpdates', bot)
    if ('fault' in answer) {
      dialog.say(`Telegram: ${answer.fault}`)
      return undefined
    }
    const chats = chatsIn(answer.result)
    if (chats.length === 0) dialog.say('Telegram has no message for the bot yet.')
    else return await chooseChat(chats, dialog)
  }
}

async function chooseChat(chats: readonly Chat[], dialog: Dialog): Promise<number> {
  const [only] = chats
  if (only && chats.length === 1) {
    dialog.say(`Found: ${nameOf(only)} (${only.id})`)
    return only.id
  }
  // With a sign before it, because an object sorts keys that are numbers.
  const names = chats.map((one) => [`#${one.id}`, `${nameOf(one)} (${one.id})`])
  const chosen = await dialog.choose('Which chat?', Object.fromEntries(names))
  return Number(chosen.slice(1))
}

/** The chats of the latest updates, each once, the latest first. */
function chatsIn(result: unknown): Chat[] {
  const { data = [] } = updates.safeParse(result)
  const all = data.flatMap((one) => Object.values(one).flatMap((part) => part?.chat ?? []))
  return [...new Map(all.reverse().map((one) => [one.id, one])).values()]
}

function nameOf({ title, username, first_name: first }: Chat): string {
  // Chosen by other people: a terminal could obey it.
  return cutText(oneLine(cleanText(title ?? first ?? `@${username ?? '?'}`)), NAME_LENGTH)
}

/** Reads only: the updates stay for other programs. No error names the URL, because it has the token. */
async function call(
  method: 'getMe' | 'getUpdates',
  { server, token }: Bot,
): Promise<{ result: unknown } | { fault: string }> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const response = await fetch(`${server}/bot${token}/${method}`, { signal, redirect: 'error' })
    const { ok, result, description } = Object(await response.json())
    if (ok === true) return { result }
    if (response.status === 401 || response.status === 404)
      return { fault: 'it does not know this token' }
    // 409: another program receives what is said to the bot.
    return {
      fault: oneLine(cleanText(String(description ?? response.status))).slice(0, 200),
    }
  } catch {
    return { fault: 'it cannot be reached' }
  }
}

async function askId(dialog: Dialog): Promise<string> {
  return await dialog.text('Id of the chat, to which you have written before', {
    placeholder: '123456789',
    fault: (text) =>
      /^(?:-?\d{1,20}|@\w{1,64})$/.test(text)
        ? undefined
        : 'Not the id of a chat, or the @name of a channel',
  })
}
