import { defineCommand } from 'citty'
import { type Client, isClientError } from '../api/index.ts'
import { paint, print, say } from '../cli/output.ts'
import { HookbellError, usageError } from '../errors.ts'
import { oneLine } from '../text/clean.ts'
import { parseDuration } from '../text/duration.ts'
import { endedByInterrupt, readSessionId, withClient } from './api/client.ts'
import { makeFollower, renderText } from './api/conversation.ts'
import { asText } from './api/fields.ts'
import { printResponse } from './api/print-response.ts'
import { readText } from './api/read-input.ts'

const DAY_MS = 86_400_000

export const replyCommand = defineCommand({
  args: {
    session: { type: 'positional', required: true, description: 'Session ID' },
    text: { type: 'positional', required: true, description: 'The message, or - for stdin' },
    wait: { type: 'boolean', description: 'Wait for the agent and print its answer' },
    timeout: {
      type: 'string',
      default: '10m',
      description: 'How long to wait, such as 30s or 10m',
      valueHint: 'TIME',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { session, text: source, wait = false, timeout, json = false } }) {
    const deadlineMs = readTimeout(timeout)
    const text = source === '-' ? (await readText('reply', '-')).trimEnd() : source
    if (text.trim() === '') throw usageError('reply: the text is empty')
    const sessionId = readSessionId('reply', session)
    const message = { sessionId, text }
    await withClient('reply', (client) =>
      wait ? postAndWait(client, message, json, deadlineMs) : post(client, message, json),
    )
  },
})

interface Post {
  sessionId: string
  text: string
}

async function post(client: Client, message: Post, json: boolean) {
  const response = await client.sessions.messages.add(message, endedByInterrupt())
  if (json) return printResponse(response)
  const [id, status] = [response.messageId, response.status].map((value) => oneLine(asText(value)))
  const facts = [id ? ` as ${id}` : '', status ? `; the session is ${status}` : ''].join('')
  say(`${paint('green', 'ok')} posted${facts}`)
}

async function postAndWait(client: Client, message: Post, json: boolean, deadlineMs: number) {
  const onProgress = makeFollower()
  const answers = await client.sessions.messages
    .addAndWait(message, { ...endedByInterrupt(), deadlineMs, onProgress })
    .catch((error: unknown) => {
      throw isTooLate(error) ? tooLate(message.sessionId, deadlineMs, error) : error
    })
  if (json) return printResponse(answers)
  print(renderText(answers) || 'The agent is done and has written no text')
}

/** Whether the message was added, but the agent has not finished in time. */
function isTooLate(error: unknown): boolean {
  return isClientError(error) && error.kind === 'timeout' && /was added/.test(error.hint ?? '')
}

function tooLate(sessionId: string, deadlineMs: number, cause: unknown) {
  const message = `reply: the message was added, but the agent was not done within ${deadlineMs / 1000} s`
  const hint = `See what comes, instead of posting again: hookbell messages ${sessionId}`
  return new HookbellError('E_UNAVAILABLE', message, { hint, cause })
}

/** A bare number is seconds. @returns ms */
function readTimeout(text: string): number {
  const ms = parseDuration(text) ?? Number(text.trim() || Number.NaN) * 1000
  if (ms > 0 && ms <= DAY_MS) return ms
  throw usageError(`reply: --timeout takes a time of at most a day, not "${text}"`, 'Such as 30s')
}
