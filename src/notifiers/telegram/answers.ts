import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Form, Input, ListenContext } from '../_answer-channel.ts'
import { escapeHtml } from '../_markup.ts'
import { DeliveryError } from '../define.ts'
import { escapeTelegram } from './markup.ts'

// https://core.telegram.org/bots/api#getupdates

/** A text has 4,096 characters: the rest is for title, note and small print. */
export const FORM_ROOM = 3000
const TITLE_LENGTH = 200
/** How long one request waits for news. */
const POLL_SECONDS = 25
/** A server that does not answer for longer than that is asked again. */
const DEADLINE_MS = (POLL_SECONDS + 15) * 1000
const CALL_MS = 15_000
/** Updates repeat whole messages, and those to which they reply. */
const MAX_BYTES = 2 * 1024 * 1024
const BATCH = 10
const KINDS = ['message', 'edited_message', 'callback_query']
/** After an answer without news. */
const PAUSE_MS = 200
const MAX_TOAST = 190

const chat = z.object({ id: z.int() })
const person = z.object({ id: z.int(), is_bot: z.boolean().optional() })
const message = z.object({
  message_id: z.int(),
  chat,
  from: person.optional(),
  date: z.number().optional(),
  text: z.string().optional(),
  sender_chat: z.unknown().optional(),
  via_bot: z.unknown().optional(),
  forward_origin: z.unknown().optional(),
  forward_date: z.unknown().optional(),
  external_reply: z.unknown().optional(),
  reply_to_message: z.object({ message_id: z.int(), chat }).optional().catch(undefined),
})
const press = z.object({
  id: z.string(),
  from: person,
  message: z
    .object({ message_id: z.int(), chat, forward_origin: z.unknown().optional() })
    .optional(),
  data: z.string().optional(),
})
/** What cannot be read is passed over: it must not block the others for ever. */
const update = z.object({
  update_id: z.int(),
  message: message.optional().catch(undefined),
  edited_message: message.optional().catch(undefined),
  callback_query: press.optional().catch(undefined),
})
const updates = z.object({ ok: z.literal(true), result: z.array(update) })
type Update = z.output<typeof update>

/** Calls a method of the bot. Resolves with the answer's text. @throws DeliveryError */
type Call = (
  method: string,
  body: object,
  context: { signal: AbortSignal; extraCaFile?: string | undefined; maxBytes?: number },
) => Promise<string>

/** The text and the buttons of a form. */
export function formBody({ title, text, note, buttons }: Form) {
  const rows = buttons.map((row) =>
    row.map(({ label, data }) => ({ text: label, callback_data: data })),
  )
  return {
    text: [
      `<b>${escapeTelegram(title.slice(0, TITLE_LENGTH).toWellFormed())}</b>`,
      text && `<pre>${escapeHtml(text)}</pre>`,
      note && `<i>${escapeTelegram(note)}</i>`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: rows },
  }
}

/** Asks for updates again and again, and gives each to `onInput` once, in their order. @throws DeliveryError */
export async function listenTo(call: Call, context: ListenContext): Promise<void> {
  const { signal, extraCaFile, onReady } = context
  const fetch = async (offset: number, timeout: number, end: AbortSignal) => {
    const body = { offset, limit: BATCH, timeout, allowed_updates: KINDS }
    const limit = AbortSignal.any([end, AbortSignal.timeout(DEADLINE_MS)])
    return updatesIn(
      await call('getUpdates', body, { signal: limit, extraCaFile, maxBytes: MAX_BYTES }),
    )
  }
  let next = 0
  while (!signal.aborted) {
    try {
      const all = await fetch(next, next === 0 ? 0 : POLL_SECONDS, signal)
      onReady()
      for (const one of all) await take(one, call, context)
      next = Math.max(1, next, ...all.map(({ update_id: id }) => id + 1))
      // A server that does not wait must not be asked without end.
      if (all.length === 0) await sleep(PAUSE_MS, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw inWords(error)
    }
  }
  // Confirms what was taken, so that the next reader does not get it again.
  if (next > 1) await fetch(next, 0, AbortSignal.timeout(CALL_MS)).catch(() => {})
}

function updatesIn(text: string): Update[] {
  try {
    return updates.parse(JSON.parse(text)).result
  } catch {
    throw new DeliveryError('retry', 'the answer is not from Telegram', {
      hint: 'Check the server of this channel, and that no login page is in between',
    })
  }
}

async function take(one: Update, call: Call, context: ListenContext) {
  const input = inputOf(one)
  if (!input) return
  const told = await context.onInput(input)
  const pressed = one.callback_query
  const written = one.message
  if (!pressed && !(told && written)) return
  // Also when nothing is to be heard any more: it may have been the last answer.
  const signal = AbortSignal.timeout(CALL_MS)
  const { extraCaFile } = context
  const answer = pressed
    ? call(
        'answerCallbackQuery',
        { callback_query_id: pressed.id, ...(told && { text: told.slice(0, MAX_TOAST) }) },
        { signal, extraCaFile },
      )
    : call(
        'sendMessage',
        { chat_id: written?.chat.id, text: told, link_preview_options: { is_disabled: true } },
        { signal, extraCaFile },
      )
  // What was done is done, whether or not the person is told.
  await answer.catch(() => {})
}

/** @returns undefined for what nobody has done, such as a pinned message */
function inputOf({
  message: written,
  edited_message: edited,
  callback_query: pressed,
}: Update): Input | undefined {
  if (pressed) {
    const { from, message: on, data } = pressed
    const isBot = from.is_bot && { doubt: 'a bot' }
    // Without its message, Telegram has forgotten it.
    const where = on ? { chat: `${on.chat.id}`, handle: handleOf(on) } : { chat: '' }
    const isForwarded = on?.forward_origin !== undefined && { doubt: 'a forwarded message' }
    return { person: `${from.id}`, data: data ?? '', ...where, ...isBot, ...isForwarded }
  }
  const said = written ?? edited
  if (!said?.from || said.text === undefined) return undefined
  const { from, chat: place, text, date, reply_to_message: to } = said
  const doubt = edited ? 'an edited message' : doubtOf(said)
  return {
    ...{ person: `${from.id}`, chat: `${place.id}`, text },
    ...(date !== undefined && { at: date * 1000 }),
    ...(to && { handle: handleOf(to) }),
    ...(doubt !== undefined && { doubt }),
  }
}

function doubtOf(said: z.output<typeof message>): string | undefined {
  if (said.from?.is_bot) return 'a bot'
  if (said.sender_chat !== undefined) return 'somebody who writes as a group or a channel'
  if (said.via_bot !== undefined) return 'a message by way of a bot'
  const isForwarded = said.forward_origin !== undefined || said.forward_date !== undefined
  if (isForwarded) return 'a forwarded message'
  return said.external_reply === undefined ? undefined : 'a reply to another chat'
}

function handleOf({ chat: place, message_id: id }: { chat: { id: number }; message_id: number }) {
  return `${place.id}:${id}`
}

function inWords(error: unknown): unknown {
  if (!(error instanceof DeliveryError) || !error.message.includes(' 409')) return error
  const isHook = /webhook/i.test(error.message)
  const hint = isHook
    ? 'Call deleteWebhook of this bot'
    : 'Only one machine or program can read a bot. Make another bot for this machine with @BotFather'
  const what = isHook ? 'the bot has a webhook' : 'another machine or program reads this bot'
  return new DeliveryError('retry', what, { hint, cause: error })
}
