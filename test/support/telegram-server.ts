import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Body {
  chat_id?: number
  message_id?: number
  text?: string
  offset?: number
  timeout?: number
  callback_query_id?: string
  reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] }
}

/** A message that the bot has sent, as it looks now. */
export interface BotMessage {
  id: number
  chat: number
  text: string
  buttons: { text: string; callback_data: string }[]
}

/** The wire of the Bot API, as far as hookbell speaks it. Closed at the end of the test. */
export async function startTelegram() {
  const messages: BotMessage[] = []
  const told: { to: string; text: string }[] = []
  const updates: { update_id: number }[] = []
  const polls = new Set<() => void>()
  let confirmed = 0
  let next = 7000
  let conflict = ''
  const server = createServer(async (request, response) => {
    const [, method = ''] = /\/bot[^/]+\/(\w+)$/.exec(request.url ?? '') ?? []
    const body = ((await json(request).catch(() => ({}))) ?? {}) as Body
    if (method === 'getUpdates') poll(body, response)
    else answer(response, handle(method, body))
  })

  function handle(method: string, body: Body): unknown {
    const buttons = body.reply_markup?.inline_keyboard.flat() ?? []
    const known = messages.find(({ id }) => id === body.message_id)
    if (method === 'sendMessage') {
      const id = messages.length + 100
      const { chat_id: chat = 0 } = body
      messages.push({ id, chat: Number(chat), text: shown(body), buttons })
      return { message_id: id, chat: { id: Number(chat) } }
    }
    if (method === 'editMessageText' && known) Object.assign(known, { text: shown(body), buttons })
    if (method === 'answerCallbackQuery')
      told.push({ to: body.callback_query_id ?? '', text: body.text ?? '' })
    return true
  }

  function poll({ offset = 0, timeout = 0 }: Body, response: ServerResponse) {
    if (conflict) return refuse(response, conflict)
    confirmed = Math.max(confirmed, offset)
    const give = () => {
      const due = updates.filter(({ update_id: id }) => id >= confirmed)
      if (due.length === 0 && timeout > 0) return
      polls.delete(give)
      answer(response, due)
    }
    polls.add(give)
    response.on('close', () => polls.delete(give))
    give()
  }

  const push = (update: object) => {
    next += 1
    updates.push({ ...update, update_id: next })
    for (const give of polls) give()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    /** What was said to those who pressed a button. */
    told,
    push,
    /** Somebody presses a button. @returns the id of the press */
    press(data: string, on: { id: number; chat: number }, person: number, more: object = {}) {
      const message = { message_id: on.id, chat: { id: on.chat } }
      const id = `press${next}`
      push({ callback_query: { id, from: { id: person }, message, data, ...more } })
      return id
    },
    /** Somebody writes. */
    write(text: string, chat: number, person: number, more: object = {}) {
      const date = Math.floor(Date.now() / 1000)
      const said = { message_id: next, chat: { id: chat }, from: { id: person }, date, text }
      push({ message: { ...said, ...more } })
    },
    /** Another program reads this bot from now on; '' for none. */
    setConflict(description: string) {
      conflict = description
    },
    /** Whether everything that was pushed has been taken. */
    isTaken: () => confirmed > next,
  }
}

/** What a person sees. */
function shown({ text = '' }: Body): string {
  const entities: { [name: string]: string } = { lt: '<', gt: '>', quot: '"', amp: '&' }
  return text.replace(/<[^>]*>/g, '').replace(/&(\w+);/g, (_, name) => entities[name] ?? '')
}

function answer(response: ServerResponse, result: unknown) {
  response.writeHead(200).end(JSON.stringify({ ok: true, result }))
}

function refuse(response: ServerResponse, description: string) {
  response.writeHead(409).end(JSON.stringify({ ok: false, error_code: 409, description }))
}
