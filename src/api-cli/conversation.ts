import type { ContentBlock, Message } from '../api/index.ts'
import { paint } from '../cli/output.ts'
import { cleanText, cutText, oneLine } from '../text.ts'
import { toSafeJson } from './json.ts'

const CALL_LENGTH = 100

/** Messages as a conversation: who and when, then the text; what tools did on one line each. */
export function renderConversation(messages: readonly Message[]): string {
  return messages.map(renderMessage).join('\n\n')
}

/** Oldest first, whatever order they came in: the order of the service is not documented. */
export function sortMessages(messages: readonly Message[]): Message[] {
  return messages.toSorted((one, other) => one.createdAt - other.createdAt)
}

/** Whether a message is meant for the eyes of a user. */
export function isForUsers(message: Message): boolean {
  const { visibility, isUserVisible, hiddenFromUserViews } = message
  return visibility !== 'llm_only' && isUserVisible !== false && hiddenFromUserViews !== true
}

/** What the messages say, without tools and thoughts. */
export function renderText(messages: readonly Message[]): string {
  const texts = messages.flatMap(({ content }) => content.flatMap(textOf))
  return cleanText(texts.join('\n\n'))
}

const colours: Readonly<Record<string, 'cyan' | 'green' | 'dim'>> = {
  user: 'cyan',
  assistant: 'green',
  tool: 'dim',
}

function renderMessage(message: Message): string {
  const role = oneLine(message.role)
  const facts = [utcTime(message.createdAt), message.modelId && oneLine(message.modelId)]
  const head = [paint(['bold', colours[role] ?? 'yellow'], role), ...facts.filter(Boolean)]
  const lines = [...message.content.flatMap(renderBlock), ...renderHook(message)]
  return [head.join('  '), ...lines.map((line) => `  ${line}`.trimEnd())].join('\n')
}

function renderBlock(block: ContentBlock): string[] {
  switch (block.type) {
    case 'text':
      return textOf(block).flatMap((text) => cleanText(text).split('\n'))
    case 'tool_use':
      return [aside(`> ${block.name ?? 'tool'} ${short(block.input)}`)]
    case 'tool_result':
      return [aside(`< ${block.isError ? 'failed: ' : ''}${short(plain(block.content))}`)]
    case 'thinking':
    case 'redacted_thinking':
      return [aside('(thought about it)')]
    default:
      return [aside(`[${block.type}]`)]
  }
}

function renderHook({ hookEventName, hookStatus, hookResults = [] }: Message): string[] {
  if (hookEventName === undefined) return []
  const codes = hookResults.map(({ exitCode }) => `exit ${exitCode ?? 'unknown'}`)
  return [aside(['hook', hookEventName, hookStatus ?? '', ...codes].filter(Boolean).join(' '))]
}

function textOf(block: ContentBlock): string[] {
  return block.type === 'text' && typeof block.text === 'string' ? [block.text] : []
}

/** The text of a tool result, which may be text or blocks. */
function plain(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((block) => Object(block).text ?? `[${Object(block).type}]`).join(' ')
}

function short(value: unknown): string {
  if (value === undefined) return ''
  return cutText(oneLine(typeof value === 'string' ? value : toSafeJson(value)), CALL_LENGTH)
}

function aside(text: string): string {
  return paint('dim', oneLine(text))
}

function utcTime(at: number): string {
  const date = new Date(at)
  // A service may send anything; what is no time is no reason to show nothing.
  return Number.isNaN(date.getTime())
    ? '?'
    : `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
