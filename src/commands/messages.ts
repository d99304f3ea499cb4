import { defineCommand } from 'citty'
import type { Message, MessagesClient } from '../api/index.ts'
import { print, terminalWidth } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { counted } from '../text/counted.ts'
import { readSessionId, withClient } from './api/client.ts'
import { isForUsers, renderConversation, sortMessages } from './api/conversation.ts'
import { printLine, printResponse } from './api/print-response.ts'

const PAGE_SIZE = 100

export const messagesCommand = defineCommand({
  args: {
    session: { type: 'positional', required: true, description: 'Session ID' },
    limit: {
      type: 'string',
      description: 'Only the last N messages (default: all)',
      valueHint: 'N',
    },
    all: { type: 'boolean', description: 'Also messages that are meant for the model only' },
    follow: { type: 'boolean', description: 'Go on with new messages, until Ctrl+C' },
    json: { type: 'boolean', description: 'Print JSON, every message complete' },
  },
  async run({ args: { session, limit, all = false, follow = false, json = false } }) {
    const last = limit === undefined ? undefined : readLimit(limit)
    const sessionId = readSessionId('messages', session)
    const show = (messages: readonly Message[]) => {
      const chosen = choose(messages, last, all)
      if (json && follow) chosen.shown.forEach(printLine)
      else if (json) printResponse(chosen.shown)
      else printConversation(chosen)
    }
    await withClient('messages', async ({ sessions: { messages } }) => {
      const everything = await messages.list({ sessionId, limit: PAGE_SIZE }).toArray()
      show(everything)
      // Without a last message: from the beginning, since the first one may come before the watch starts.
      const newest = sortMessages(everything).at(-1)
      if (follow) await printNew(messages, sessionId, newest ? newest.id : null)
    })

    /** Prints new messages as they arrive, each one once; as JSON also messages that have changed. */
    async function printNew(messages: MessagesClient, id: string, after: string | null) {
      const seen = new Set<string>()
      for await (const message of messages.watch({ sessionId: id, after })) {
        if (!all && !isForUsers(message)) continue
        if (json) printLine(message)
        else if (!seen.has(message.id)) print(`\n${renderConversation([message], terminalWidth())}`)
        seen.add(message.id)
      }
    }
  },
})

interface Chosen {
  shown: readonly Message[]
  /** How many earlier messages are left out. */
  before: number
  /** How many are left out because they are for the model only. */
  hidden: number
}

function choose(messages: readonly Message[], last: number | undefined, all: boolean): Chosen {
  const visible = sortMessages(messages).filter((message) => all || isForUsers(message))
  const shown = last === undefined ? visible : visible.slice(-last)
  const before = visible.length - shown.length
  return { shown, before, hidden: messages.length - visible.length }
}

function printConversation({ shown, before, hidden }: Chosen) {
  if (shown.length === 0 && hidden === 0) return print('No messages yet')
  if (before > 0) print(`(${counted(before, 'earlier message')} not shown)\n`)
  if (shown.length > 0) print(renderConversation(shown, terminalWidth()))
  if (hidden > 0) process.stderr.write(`${hidden} more for the model only: --all\n`)
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1) return limit
  throw usageError(`messages: --limit takes a whole number from 1, not "${text}"`)
}
