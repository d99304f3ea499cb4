import type { Message } from '../../api/index.ts'
import { paint } from '../../cli/output.ts'
import { wrapText } from '../../cli/wrap-text.ts'
import { cutText, oneLine } from '../../text/clean.ts'
import { asCount, asText, type Fields, fieldsOf } from './fields.ts'
import { type Line, linesOf, textsOf } from './message-lines.ts'
import { utcTime } from './utc-time.ts'

const INDENT = '  '

/**
 * Renders messages as a conversation: author and time, then the text, with one line per tool call and result. All
 * that an agent does between two messages of the user is one turn with one header. Lines are wrapped to the width.
 */
export function renderConversation(messages: readonly Message[], width = Infinity): string {
  const turns: Message[][] = []
  for (const message of messages) {
    const turn = turns.at(-1)
    if (turn && belongsTo(turn, message)) turn.push(message)
    else turns.push([message])
  }
  return turns.map((turn) => renderTurn(turn, width)).join('\n\n')
}

/** Sorts messages oldest first: the order of the service is not documented. */
export function sortMessages(messages: readonly Message[]): Message[] {
  return messages.toSorted((one, other) => timeOf(one) - timeOf(other))
}

/** Whether a message is meant to be shown to users. */
export function isForUsers(message: Message): boolean {
  const { visibility, isUserVisible, hiddenFromUserViews } = fieldsOf(message)
  return visibility !== 'llm_only' && isUserVisible !== false && hiddenFromUserViews !== true
}

/** The text of the messages, without tools and thoughts. */
export function renderText(messages: readonly Message[]): string {
  return messages.flatMap((message) => textsOf(fieldsOf(message))).join('\n\n')
}

function timeOf(message: Message): number {
  return asCount(fieldsOf(message).createdAt)
}

function belongsTo(turn: readonly Message[], message: Message): boolean {
  const [first, next] = [fieldsOf(turn[0]), fieldsOf(message)]
  if (first.role !== 'assistant' || hasFailed(first)) return false
  if (next.role === 'tool') return true
  return next.role === 'assistant' && next.modelId === first.modelId && !hasFailed(next)
}

/** Whether a message reports an error. For a tool, the line of its result shows that instead. */
function hasFailed({ role, isError }: Fields): boolean {
  return isError === true && role !== 'tool'
}

const colours: Readonly<Record<string, 'cyan' | 'green' | 'dim'>> = {
  user: 'cyan',
  assistant: 'green',
  tool: 'dim',
}

function renderTurn(turn: readonly Message[], width: number): string {
  const first = fieldsOf(turn[0])
  const { role, createdAt, modelId } = first
  const who = oneLine(asText(role)) || '?'
  const facts = [utcTime(createdAt), oneLine(asText(modelId))].filter(Boolean).join('  ')
  const head = [
    paint(['bold', colours[who] ?? 'yellow'], who),
    paint('dim', facts),
    ...(hasFailed(first) ? [paint('red', 'failed')] : []),
  ].join('  ')
  const lines = joinLines(turn.map((message) => linesOf(fieldsOf(message))))
  const body = lines.flatMap((line) => renderLine(line, width - INDENT.length))
  return [head, ...body].join('\n')
}

/** Joins the lines of messages. Only asides, such as tool calls, follow each other without a blank line. */
function joinLines(messages: readonly Line[][]): Line[] {
  const joined: Line[] = []
  for (const lines of messages) {
    const [last, first] = [joined.at(-1), lines[0]]
    if (last && first && !(last.isAside && first.isAside)) joined.push({ text: '', isAside: false })
    joined.push(...lines)
  }
  return joined
}

function renderLine({ text, isAside }: Line, width: number): string[] {
  if (isAside) return [INDENT + paint('dim', cutText(text, width))]
  const lines = wrapText(text, width).split('\n')
  return lines.map((line) => (INDENT + line).trimEnd())
}
