import { defineCommand } from 'citty'
import { print, terminalWidth } from '../cli/output.ts'
import { HookbellError } from '../errors.ts'
import { NEEDS_KEY, withClient } from './api/client.ts'
import { isForUsers, renderConversation, sortMessages } from './api/conversation.ts'
import { printResponse } from './api/print-response.ts'
import { readSessionId } from './api/session-id.ts'

const PAGE_SIZE = 100

export const messagesCommand = defineCommand({
  meta: { name: 'messages', description: `Read the conversation of a session\n${NEEDS_KEY}` },
  args: {
    session: { type: 'positional', required: true, description: 'Session ID' },
    limit: {
      type: 'string',
      description: 'Only the last N messages (default: all)',
      valueHint: 'N',
    },
    all: { type: 'boolean', description: 'Also what is meant for the model only' },
    json: { type: 'boolean', description: 'Print JSON, every message complete' },
  },
  async run({ args: { session, limit, all = false, json = false } }) {
    const last = limit === undefined ? undefined : readLimit(limit)
    const sessionId = readSessionId('messages', session)
    const everything = await withClient('messages', (client) =>
      client.sessions.messages.list({ sessionId, limit: PAGE_SIZE }).toArray(),
    )
    const shown = sortMessages(everything).filter((message) => all || isForUsers(message))
    const chosen = last === undefined ? shown : shown.slice(-last)
    if (json) return printResponse(chosen)
    const hidden = everything.length - shown.length
    if (chosen.length === 0 && hidden === 0) return print('No messages yet')
    if (chosen.length < shown.length) print(`(${shown.length - chosen.length} before)\n`)
    if (chosen.length > 0) print(renderConversation(chosen, terminalWidth()))
    if (hidden > 0) process.stderr.write(`${hidden} more for the model only: --all\n`)
  },
})

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1) return limit
  throw new HookbellError('E_USAGE', `messages: --limit takes a whole number from 1, not "${text}"`)
}
